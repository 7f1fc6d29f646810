"""The caps table, the tools' prices and the stop reasons, as policy holds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ....kernel.caps import CapsEntry, CapsTable, CapsUnusable
from ....kernel.catalog import ToolEntry
from ....kernel.contract import ContractData
from .shown_words import millis, stop_family

__all__ = ["CAPS_FIELDS", "CapsRow", "PolicyPage", "StopRow", "ToolRow", "policy_page"]

CAPS_FIELDS: Final = (
    ("max_tool_calls_total", "calls per request"),
    ("max_tool_calls_per_minute", "calls per minute"),
    ("per_call_timeout_ms", "time per call, ms"),
    ("total_research_timeout_ms", "time per request, ms"),
    ("budget_units_clamp", "units per request"),
)


@dataclass(frozen=True, slots=True)
class CapsRow:
    """One tier in one environment."""

    tier: str
    environment: str
    here: bool
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolRow:
    """One allowed tool."""

    name: str
    price: str
    deadline: str
    output: str
    effect: str
    schemes: str


@dataclass(frozen=True, slots=True)
class StopRow:
    """One stop reason with the actions it can lead to."""

    priority: int
    code: str
    family: str
    trigger: str
    actions: str


@dataclass(frozen=True, slots=True)
class PolicyPage:
    """Everything on the page."""

    contract_version: str
    environment: str
    custom: bool
    unusable: str
    columns: tuple[str, ...]
    caps: tuple[CapsRow, ...]
    tools: tuple[ToolRow, ...]
    stops: tuple[StopRow, ...]


def policy_page(
    contract: ContractData,
    caps: CapsTable | CapsUnusable,
    tools: Sequence[ToolEntry],
    environment: str,
    *,
    custom: bool,
) -> PolicyPage:
    """The page."""
    entries = caps.entries if isinstance(caps, CapsTable) else ()
    return PolicyPage(
        contract_version=contract.version,
        environment=environment,
        custom=custom,
        unusable=caps.why if isinstance(caps, CapsUnusable) else "",
        columns=tuple(title for _, title in CAPS_FIELDS),
        caps=tuple(_caps(entry, environment) for entry in entries),
        tools=tuple(_tool(entry) for entry in tools),
        stops=tuple(_stops(contract)),
    )


def _caps(entry: CapsEntry, environment: str) -> CapsRow:
    caps = entry.caps
    values = ("no research",) * len(CAPS_FIELDS)
    if caps is not None:
        numbers = dict(caps)
        values = tuple(f"{numbers[name]:,}" for name, _ in CAPS_FIELDS)
    return CapsRow(entry.tier, entry.environment, entry.environment == environment, values)


def _tool(entry: ToolEntry) -> ToolRow:
    return ToolRow(
        name=entry.name,
        price=f"{entry.price_units:,}",
        deadline=millis(entry.own_deadline_ms),
        output=f"{entry.max_output_bytes:,}",
        effect=entry.effect.replace("_", " "),
        schemes=", ".join(entry.schemes),
    )


def _stops(contract: ContractData) -> list[StopRow]:
    rows = []
    for entry in contract.stops.stop_reasons:
        actions = dict.fromkeys(row.action.value for row in contract.actions.rows if row.stop is entry.code)
        rows.append(
            StopRow(entry.priority, entry.code.value, stop_family(entry.code), entry.trigger, ", ".join(actions))
        )
    return rows
