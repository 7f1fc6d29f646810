"""The rooms of a what-if: recorded answers for tools, a ledger in memory, other caps or rules."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.trace import NoOpTracerProvider
from pydantic import ValidationError

from ..archive.whatif import RecordedSession, RecordedTool, WhatIfReport, what_if
from ..kernel.caps import CapsTable
from ..kernel.catalog import CATALOG_VERSION, ToolTable
from ..kernel.errors import ContractViolation, RequestInvalid
from ..kernel.outcome import ResearchOutcome
from ..research.adapter import Adapter
from ..research.basis import Basis
from ..research.injection import InjectionScreen, RuleSet
from ..research.ledger import decide
from ..research.policy import Policy
from ..research.record.opening import Memory
from ..research.router import Router
from ..research.telemetry import Telemetry
from ..system.caps_files import kept_caps, read_caps
from ..system.contract_files import read_contract, read_rules
from ..system.data_folder import open_data_folder
from ..system.ids import RandomIds
from ..system.settings import Settings
from ..system.stores.content.files import FileStore
from ..system.stores.content.memory import MemoryStore
from ..system.stores.journal.files import FileJournal
from ..system.stores.journal.memory import MemoryJournal
from ..system.stores.ledger.memory import MemoryLedger
from .host_parts import all_capabilities
from .places import CAPS_FOLDER, JOURNAL_FOLDER, STORE_FOLDER, rules_digest

__all__ = ["run_what_if"]

_VERSION: Final = re.compile(r"v?\d+(?:\.\d+){0,3}|[0-9a-f]{64}")


class _StartClock:
    """Stands at the moment when the session began: time that a session took is not simulated."""

    def __init__(self) -> None:
        self.at_ms = 0

    def now_ms(self) -> int:
        return self.at_ms


async def run_what_if(
    settings: Settings, caps: Path | CapsTable | None, rules: Path | str | None, limit: int, tenant: str | None = None
) -> WhatIfReport:
    """Run recorded sessions under another caps table or other injection rules; without either, as they are now.

    With a tenant, only its own sessions. Rules are a file or their text.

    Raises:
        RequestInvalid: caps or rules cannot be used.
        StoreUnusable: the data folder cannot be used.
    """
    folder = open_data_folder(settings.data_dir, to_look=True)
    contract = read_contract()
    text = read_rules() if rules is None else _rules(rules) if isinstance(rules, Path) else rules
    screen = InjectionScreen(_rule_set(text))
    own = read_caps(caps, contract.caps) if isinstance(caps, Path) else caps
    capabilities = all_capabilities(())
    clock = _StartClock()
    ledger = MemoryLedger(clock, decide)
    telemetry = Telemetry(NoOpTracerProvider().get_tracer(""), NoOpMeterProvider().get_meter(""))

    async def run(session: RecordedSession) -> tuple[ResearchOutcome, int]:
        opened = session.opened
        table = own or kept_caps(folder / CAPS_FOLDER, opened.caps) or contract.caps
        clock.at_ms = opened.started_at_ms
        policy = Policy(
            environment=opened.environment, research_enabled=opened.research_enabled, sealed=opened.sealed, caps=table
        )
        tool = RecordedTool(session)
        adapter = Adapter(dict.fromkeys((one.name for one in opened.tools), tool), screen, ledger, clock, telemetry)
        basis = Basis(contract, rules_digest(text), ToolTable(catalog_version=CATALOG_VERSION, tools=opened.tools))
        memory = Memory(clock, RandomIds(), MemoryJournal(), MemoryStore())
        router = Router(basis, policy, adapter, capabilities, memory, telemetry)
        outcome = await router.run(session.request, session.principal)
        return outcome, tool.unrecorded

    return await what_if(FileJournal(folder / JOURNAL_FOLDER), FileStore(folder / STORE_FOLDER), limit, run, tenant)


def _rules(path: Path) -> str:
    """The rules of a version or digest that is known here, or of a file."""
    own = read_rules()
    name = str(path)
    if name in (_rule_set(own).version, rules_digest(own)) and not path.is_file():
        return own
    if _VERSION.fullmatch(name) and not path.is_file():
        known = f"{_rule_set(own).version} ({rules_digest(own)[:12]})"
        raise RequestInvalid(f"rules `{name}` are not kept here: this version has {known}; name a file of others")
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as exc:
        raise RequestInvalid(f"rules `{path}` cannot be read") from exc


def _rule_set(text: str) -> RuleSet:
    try:
        return RuleSet.parse(text)
    except (ContractViolation, ValidationError, ValueError) as exc:
        raise RequestInvalid("the rules cannot be used") from exc
