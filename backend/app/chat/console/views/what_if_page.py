"""A what-if as the console shows it: the caps that are tried, how many stops change, and each change with its link."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ....archive.whatif import WhatIfReport, WhatIfRow
from ....kernel.caps import CapsEntry, CapsTable, PolicyCaps
from ....kernel.errors import RequestInvalid
from .policy_page import CAPS_FIELDS
from .shown_words import short, stop_family

__all__ = ["WINDOWS", "ChangedRow", "WhatIfChoice", "WhatIfResult", "choice_of", "table_with", "what_if_result"]

WINDOWS: Final = (50, 200, 500)
_TRIED: Final = ("caps", "rules", "rules_text")
_DIGITS: Final = 7


@dataclass(frozen=True, slots=True)
class WhatIfChoice:
    """What the form says."""

    tried: str
    tier: str
    environment: str
    values: tuple[tuple[str, str, str], ...]
    """Field, title and value."""
    window: int
    rules_text: str


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """One session that would end otherwise."""

    session_id: str
    named: str
    stop_then: str
    family_then: str
    stop_now: str
    family_now: str
    sources: str
    units: str
    unrecorded: str
    stop_changes: bool


@dataclass(frozen=True, slots=True)
class WhatIfResult:
    """The answer to a what-if."""

    headline: str
    detail: str
    rows: tuple[ChangedRow, ...]
    skipped: tuple[tuple[str, int], ...]


def choice_of(form: Mapping[str, str], table: CapsTable, environment: str) -> WhatIfChoice:
    """The form as it was sent; what is missing is as policy has it now."""
    granted = [entry for entry in table.entries if entry.caps is not None]
    tier = form.get("tier", "")
    where = form.get("environment", "") or environment
    entry = next((one for one in granted if (one.tier, one.environment) == (tier, where)), None)
    entry = entry or next((one for one in granted if one.environment == where), granted[0])
    numbers = dict(entry.caps or ())
    window = form.get("window", "")
    tried = form.get("tried", "")
    return WhatIfChoice(
        tried=tried if tried in _TRIED else "caps",
        tier=entry.tier,
        environment=entry.environment,
        values=tuple((name, title, form.get(name, "") or str(numbers[name])) for name, title in CAPS_FIELDS),
        window=int(window) if window in {str(one) for one in WINDOWS} else WINDOWS[1],
        rules_text=form.get("rules_text", ""),
    )


def table_with(table: CapsTable, choice: WhatIfChoice) -> CapsTable:
    """The table with one entry as it was chosen.

    Raises:
        RequestInvalid: names the field that is wrong.
    """
    numbers: dict[str, int] = {}
    for name, title, value in choice.values:
        text = value.strip()
        if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
            raise RequestInvalid(f"{title} is not a whole number of at most {_DIGITS} digits")
        numbers[name] = int(text)
    try:
        caps = PolicyCaps(**numbers)
    except ValueError as exc:
        raise RequestInvalid(
            "these caps are out of range: every one is at least 1, and one call takes no longer than the request"
        ) from exc
    entries = tuple(
        CapsEntry(tier=one.tier, environment=one.environment, granted=True, caps=caps)
        if (one.tier, one.environment) == (choice.tier, choice.environment)
        else one
        for one in table.entries
    )
    return CapsTable(
        contract_version=table.contract_version, tiers=table.tiers, environments=table.environments, entries=entries
    )


def what_if_result(report: WhatIfReport) -> WhatIfResult:
    """Changed stops first, then other changes."""
    rows = sorted((_row(one) for one in report.changed), key=lambda row: not row.stop_changes)
    stops = sum(row.stop_changes for row in rows)
    others = len(rows) - stops
    noun = "stop changes" if stops == 1 else "stops change"
    more = f"{others} more {'ends' if others == 1 else 'end'} alike with other sources or spend. " if others else ""
    left_out = sum(1 for _ in report.skipped)
    return WhatIfResult(
        headline=f"{stops} of {report.sessions} {noun}",
        detail=f"{more}{left_out} could not be run again." if left_out else more.strip(),
        rows=tuple(rows),
        skipped=tuple(Counter(why for _, why in report.skipped).most_common()),
    )


def _row(one: WhatIfRow) -> ChangedRow:
    calls = one.unrecorded_calls
    return ChangedRow(
        session_id=one.session_id,
        named=short(one.session_id),
        stop_then=one.stop_then.value,
        family_then=stop_family(one.stop_then),
        stop_now=one.stop_now.value,
        family_now=stop_family(one.stop_now),
        sources=_arrow(one.sources_then, one.sources_now),
        units=_arrow(one.units_then, one.units_now),
        unrecorded="" if not calls else f"{calls} {'call' if calls == 1 else 'calls'} without a recorded answer",
        stop_changes=one.stop_then is not one.stop_now,
    )


def _arrow(then: int, now: int) -> str:
    return f"{then:,}" if then == now else f"{then:,} → {now:,}"
