"""The gate, built and connected."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from opentelemetry import metrics, trace

from ..capabilities.registry import CAPABILITIES
from ..kernel.documents import Collection
from ..kernel.ports import Toolbox
from ..kernel.tripwire import NO_TRIPWIRE, Tripwire
from ..research.adapter import Adapter, open_toolbox
from ..research.injection import InjectionScreen, RuleSet
from ..research.ledger import decide
from ..research.memory import Memory
from ..research.policy import Policy
from ..research.router import Router
from ..research.telemetry import Telemetry
from ..system.clock import SystemClock
from ..system.contract_files import read_contract, read_rules
from ..system.data_folder import open_data_folder
from ..system.ids import RandomIds
from ..system.lock_files import LockState, check_runtime_lock
from ..system.settings import Settings, settings_from
from ..system.stores.content_files import FileStore
from ..system.stores.journal_files import FileJournal
from ..system.stores.ledger_sqlite import SqliteLedger
from ..system.stores.web_cache import SqliteWebCache
from ..system.tripwire import install
from .documents import documents_ready
from .places import JOURNAL_FOLDER, LEDGER_FILE, STORE_FOLDER, WEB_CACHE_FOLDER, rules_digest
from .recovery import recover
from .sandbox import require_sandbox

__all__ = ["open_gate"]

_SCOPE = "portcullis"
_NAMED = 3


@asynccontextmanager
async def open_gate(
    documents: Path | str | Collection | None = None,
    *,
    settings: Settings | None = None,
    toolbox: Toolbox | None = None,
    tripwire: bool = False,
) -> AsyncIterator[Router]:
    """Open the gate on a folder of documents; leaving the block ends its workers and closes its stores.

    A host may pass a toolbox of its own making; it then closes it itself. With `tripwire`, an audit hook is added to
    the process, for good: it refuses sockets, processes, threads and written files to the rooms of a session, and
    leaves the host's own alone.

    Raises:
        RequestInvalid: there is no such folder.
        StoreUnusable: the data folder cannot be used.
        ContractViolation: the frozen files cannot be read, or the machine is weaker than the settings require.
    """
    settings = settings or settings_from()
    sandbox = require_sandbox(settings)
    contract, rules = read_contract(), read_rules()
    lock = check_runtime_lock()
    _warn(lock, settings.environment)
    screen = InjectionScreen(RuleSet.parse(rules))
    open_data_folder(settings.data_dir)
    collection = documents if isinstance(documents, Collection) else None
    if documents is not None and not isinstance(documents, Collection):
        collection, _ = await documents_ready(documents, settings)
    clock = SystemClock()
    ledger = SqliteLedger(settings.data_dir / LEDGER_FILE, clock, decide)
    journal = FileJournal(settings.data_dir / JOURNAL_FOLDER)
    try:
        await recover(journal, ledger, clock)
    except BaseException:
        ledger.close()
        raise
    telemetry = Telemetry(trace.get_tracer(_SCOPE), metrics.get_meter(_SCOPE), sandbox)
    store = FileStore(settings.data_dir / STORE_FOLDER)
    cache = SqliteWebCache(settings.data_dir / WEB_CACHE_FOLDER)
    hosted = open_toolbox(settings, () if collection is None else (collection,), clock, store, cache)
    policy = Policy(
        environment=settings.environment,
        research_enabled=settings.research_enabled,
        sealed=lock.matches,
        caps=contract.caps,
        tools=contract.tools,
    )
    wire: Tripwire = install() if tripwire else NO_TRIPWIRE
    held = hosted if toolbox is None else toolbox
    adapter = Adapter(held, contract.tools, screen, ledger, clock, telemetry, wire)
    memory = Memory(clock, RandomIds(), journal, store, wire)
    try:
        yield Router(contract, rules_digest(rules), policy, adapter, CAPABILITIES, memory, telemetry, wire)
    finally:
        await hosted.aclose()
        cache.close()
        ledger.close()


def _warn(lock: LockState, environment: str) -> None:
    """R15: tell the operator which frozen files differ; what follows from it is for policy to say."""
    if lock.matches:
        return
    named, more = ", ".join(lock.differing[:_NAMED]), len(lock.differing) - _NAMED
    others = f" and {more} more" if more > 0 else ""
    message = "frozen files do not match the lock, research is disabled outside `dev` (this is `%s`): %s%s"
    logging.getLogger(_SCOPE).warning(message, environment, named, others)
