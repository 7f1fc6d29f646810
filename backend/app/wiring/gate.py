"""The gate, built and connected."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from opentelemetry import metrics, trace

from ..archive.recorded_sources import RecordedSources
from ..archive.recovery import recover
from ..archive.shown_sources import FinishedRecords
from ..kernel.capability import AnyCapability
from ..kernel.caps import CapsTable, CapsUnusable
from ..kernel.document_index import Collection
from ..kernel.errors import RequestInvalid
from ..kernel.ports import Toolbox
from ..kernel.tripwire import NO_TRIPWIRE, Tripwire
from ..research.adapter import Adapter, ToolOpener
from ..research.basis import Basis
from ..research.injection import InjectionScreen, RuleSet
from ..research.ledger import decide
from ..research.policy import Policy
from ..research.record.opening import Memory
from ..research.router import Router
from ..research.serving import PORTS, Serving
from ..research.telemetry import Telemetry
from ..system.audit import LogAudit
from ..system.caps_files import keep_caps, raises_defaults, read_caps
from ..system.catalog_files import Catalog, read_catalog
from ..system.clock import SystemClock
from ..system.contract_files import read_contract, read_rules
from ..system.data_folder import open_data_folder
from ..system.ids import RandomIds
from ..system.lock_files import LockState, check_runtime_lock
from ..system.notices import LogNotices
from ..system.plan_source import PlanSources
from ..system.provider_files import read_providers
from ..system.settings import Settings, settings_from
from ..system.stores.content.files import FileStore
from ..system.stores.journal.files import FileJournal
from ..system.stores.ledger.sqlite import SqliteLedger
from ..system.stores.web_cache.sqlite import SqliteWebCache
from ..system.tripwire import install
from .document_setup import documents_ready
from .forks import CapabilitiesAtHome
from .health import GateMachine
from .host_parts import Folders, HostTool, all_capabilities, all_tools, collections_ready, tools_by_name
from .places import CAPS_FOLDER, JOURNAL_FOLDER, LEDGER_FILE, STORE_FOLDER, WEB_CACHE_FOLDER, rules_digest
from .refused_gates import refusals_told
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
    tools: Sequence[HostTool] = (),
    capabilities: Sequence[AnyCapability] = (),
    caps: Path | str | None = None,
    collections: Folders | None = None,
) -> AsyncIterator[Router]:
    """Open the gate on a folder of documents; leaving the block ends its workers and closes its stores.

    A host may bring tools and capabilities of its own, a caps table of its operator and a folder of documents per
    tenant; they run under the same adapter, ledger, screen and journal as ours (R24). `toolbox` stands in for our own
    tools; whoever passes one closes it. With `tripwire`, an audit hook is added to the process, for good: it refuses
    sockets, processes, threads and written files to the rooms of a session, and leaves the host's own alone.

    The router may be asked from any thread and any event loop of this process, also when the one that opened it stands
    still. In a fork of this process it raises `StoreUnusable`: there a gate has to be opened anew.

    Raises:
        RequestInvalid: there is no such folder or environment, or something that the host brings cannot be used.
        StoreUnusable: the data folder cannot be used.
        ContractViolation: the frozen files cannot be read, or the machine is weaker than the settings require.
    """
    async with AsyncExitStack() as block:
        with refusals_told():
            own = settings_from() if settings is None else settings
            if not isinstance(own, Settings):
                raise RequestInvalid("`settings` are no Settings: make them with `settings_from`")
            router = await block.enter_async_context(
                _opened(documents, own, toolbox, tripwire, tools, capabilities, caps, collections or {})
            )
        yield router


@asynccontextmanager
async def _opened(
    documents: Path | str | Collection | None,
    settings: Settings,
    toolbox: Toolbox | None,
    tripwire: bool,
    tools: Sequence[HostTool],
    capabilities: Sequence[AnyCapability],
    caps: Path | str | None,
    collections: Folders,
) -> AsyncIterator[Router]:
    sandbox = require_sandbox(settings)
    contract, rules, catalog = read_contract(), read_rules(), read_catalog()
    read_providers()  # a table that cannot be used is refused here, not by the first search
    if caps is not None and not isinstance(caps, (str, Path)):
        raise RequestInvalid("`caps` must be the path of a caps table")
    table = contract.caps if caps is None else read_caps(Path(caps), contract.caps)
    _known(settings.environment, table)
    lock = check_runtime_lock()
    _warn(lock, catalog, settings.environment)
    screen = InjectionScreen(RuleSet.parse(rules))
    offered = all_tools(catalog.tools, tools)
    known = CapabilitiesAtHome(all_capabilities(capabilities, offered, PORTS))
    open_data_folder(settings.data_dir)
    keep_caps(settings.data_dir / CAPS_FOLDER, table)
    places = [documents] if isinstance(documents, Collection) else []
    if documents is not None and not isinstance(documents, Collection):
        places = [(await documents_ready(documents, settings))[0]]
    places += await collections_ready(collections, settings)
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
    hosted = ToolOpener.toolbox(settings, tuple(places), clock, store, cache)
    policy = Policy(
        environment=settings.environment,
        research_enabled=settings.research_enabled,
        sealed=lock.matches and catalog.sealed,
        caps=table,
    )
    custom = isinstance(table, CapsTable) and raises_defaults(table, contract.caps)
    basis = Basis(contract, rules_digest(rules), offered, PlanSources(), custom_caps=custom)
    wire: Tripwire = install() if tripwire else NO_TRIPWIRE
    recall = ToolOpener.recall(RecordedSources(journal, store, known.get))
    held = {"recall": recall, **(hosted if toolbox is None else toolbox), **tools_by_name(tools)}
    adapter = Adapter(held, screen, ledger, clock, telemetry, wire)
    ids = RandomIds()
    past = FinishedRecords(journal, store)
    serving = Serving(policy, screen, ledger, clock, ids, LogAudit(), store, wire, past)
    memory = Memory(clock, ids, journal, store, wire)
    machine = GateMachine(
        settings,
        lock,
        catalog,
        sandbox,
        lambda: hosted.workers,
        lambda: hosted.left_alone,
        ledger.fault,
        tuple(places) if toolbox is None else (),
    )
    router = Router(basis, policy, adapter, known, memory, telemetry, wire, serving, LogNotices(), machine)
    if toolbox is None:
        hosted.prepare()
    try:
        yield router
    finally:
        machine.closed = True
        if known.at_home:  # in a fork, workers and files are the parent's
            try:
                await router.end_sessions()  # they need tools and ledger for their last word
            finally:
                try:
                    await hosted.aclose()
                finally:
                    cache.close()
                    ledger.close()


def _known(environment: str, caps: CapsTable | CapsUnusable) -> None:
    if isinstance(caps, CapsTable) and environment not in caps.environments:
        allowed = ", ".join(caps.environments)
        raise RequestInvalid(f"environment `{environment}` is not one of {allowed}")


def _warn(lock: LockState, catalog: Catalog, environment: str) -> None:
    """R15: tell the operator which frozen files differ; what follows from it is for policy to say."""
    differing = (*catalog.differing, *lock.differing)
    if not differing:
        return
    named, more = ", ".join(differing[:_NAMED]), len(differing) - _NAMED
    others = f" and {more} more" if more > 0 else ""
    message = "frozen files do not match the lock, research is disabled outside `dev` (this is `%s`): %s%s"
    logging.getLogger(_SCOPE).warning(message, environment, named, others)
