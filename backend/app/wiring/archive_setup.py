"""The archive of a data folder, built and connected."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.trace import NoOpTracerProvider

from ..archive.archive import Archive
from ..archive.replay_ports import NoLedger, NoTool
from ..archive.run_again import PlanWatch, with_watched_plan
from ..kernel.canonical import digest_of
from ..kernel.capability import AnyCapability
from ..kernel.caps import CapsTable, CapsUnusable
from ..kernel.catalog import CATALOG_VERSION, ToolTable
from ..kernel.contract import ContractData
from ..kernel.errors import RequestInvalid
from ..kernel.journal_records import Opened
from ..kernel.ports import Ledger
from ..research.adapter import Adapter, ToolOpener
from ..research.basis import Basis
from ..research.injection import InjectionScreen, RuleSet
from ..research.ledger import decide
from ..research.policy import Policy
from ..research.record.opening import Memory
from ..research.record.replay import Rooms
from ..research.router import Router
from ..research.telemetry import Telemetry
from ..system.caps_files import kept_caps
from ..system.clock import SystemClock
from ..system.contract_files import read_contract, read_rules
from ..system.data_folder import open_data_folder
from ..system.ids import RandomIds
from ..system.settings import Settings
from ..system.stores.content.files import FileStore
from ..system.stores.content.memory import MemoryStore
from ..system.stores.conversations.requests import RequestStore
from ..system.stores.conversations.sqlite import ConversationStore
from ..system.stores.conversations.worded import WordedStore
from ..system.stores.journal.files import FileJournal
from ..system.stores.journal.memory import MemoryJournal
from ..system.stores.ledger.sqlite import SqliteLedger
from ..system.stores.web_cache.sqlite import SqliteWebCache
from ..system.tripwire import install
from .host_parts import all_capabilities
from .places import (
    CAPS_FOLDER,
    COLLECTIONS_FOLDER,
    CONVERSATIONS_FILE,
    JOURNAL_FOLDER,
    LEDGER_FILE,
    STORE_FOLDER,
    WEB_CACHE_FOLDER,
    rules_digest,
)

__all__ = ["open_archive"]


def open_archive(settings: Settings, capabilities: Sequence[AnyCapability] = ()) -> Archive:
    """The recorded past of a data folder: list, show, replay, receipts, erase, prune.

    A host passes the capabilities it brought, so that their sessions can be replayed, too.

    Raises:
        StoreUnusable: the data folder cannot be used.
    """
    if not isinstance(settings, Settings):
        raise RequestInvalid("`settings` are no Settings: make them with `settings_from`")
    folder = open_data_folder(settings.data_dir, to_look=True)
    known = all_capabilities(capabilities)
    clock = SystemClock()
    required = None if settings.sandbox == "any" else settings.sandbox
    contract = cache(_contract_and_screen)  # who looks at many sessions reads them once

    @contextmanager
    def ledger() -> Iterator[Ledger]:
        opened = SqliteLedger(folder / LEDGER_FILE, clock, decide)
        try:
            yield opened
        finally:
            opened.close()

    return Archive(
        journal=FileJournal(folder / JOURNAL_FOLDER),
        store=FileStore(folder / STORE_FOLDER),
        clock=clock,
        beside=_TenantFolders(folder / WEB_CACHE_FOLDER, folder / COLLECTIONS_FOLDER, folder / CONVERSATIONS_FILE),
        rooms=lambda watch: _rooms(contract(), folder / CAPS_FOLDER, known, watch),
        page_reader=lambda: ToolOpener.page_reader(required),
        open_ledger=ledger,
    )


class _TenantFolders:
    """Cached responses and document indexes, one folder per tenant, and the turns of its conversations; the documents
    lie where their owner keeps them."""

    def __init__(self, web: Path, indexes: Path, conversations: Path) -> None:
        self._web = web
        self._indexes = indexes
        self._conversations = conversations

    def knows(self, tenant: str) -> bool:
        return (self._web / tenant).is_dir() or (self._indexes / tenant).is_dir()

    def forget_responses(self, tenant: str) -> None:
        SqliteWebCache(self._web).forget(tenant)

    def forget(self, tenant: str) -> None:
        self.forget_responses(tenant)
        shutil.rmtree(self._indexes / tenant, ignore_errors=True)
        if self._conversations.exists():
            file = self._conversations
            for turns in (ConversationStore(file), RequestStore(file, ""), WordedStore(file)):
                turns.forget(tenant)
                turns.close()

    def written(self, tenant: str) -> frozenset[str]:
        with self._worded() as worded:
            return frozenset() if worded is None else worded.written(tenant)

    def forget_written(self, tenant: str, session_id: str) -> str | None:
        with self._worded() as worded:
            return None if worded is None else worded.forget_session(tenant, session_id)

    @contextmanager
    def _worded(self) -> Iterator[WordedStore | None]:
        if not self._conversations.exists():
            yield None
            return
        worded = WordedStore(self._conversations)
        try:
            yield worded
        finally:
            worded.close()


def _contract_and_screen() -> tuple[ContractData, str, InjectionScreen]:
    """The frozen tables, the rules and the screen that they make."""
    rules = read_rules()
    return read_contract(), rules, InjectionScreen(RuleSet.parse(rules))


def _rooms(
    ruled: tuple[ContractData, str, InjectionScreen],
    caps_folder: Path,
    known: Mapping[str, AnyCapability],
    watch: PlanWatch | None,
) -> Callable[[Opened], Rooms | None]:
    """The rooms of a recorded session, with what it was opened under; None where its caps table is missing."""
    capabilities = known
    if watch is not None:
        capabilities = {name: with_watched_plan(one, watch) for name, one in known.items()}
    contract, rules, screen = ruled
    wire = install()
    telemetry = Telemetry(NoOpTracerProvider().get_tracer(""), NoOpMeterProvider().get_meter(""))
    clock = SystemClock()

    def rooms_of(opened: Opened) -> Rooms | None:
        caps = _caps(contract, caps_folder, opened.caps)
        if caps is None:
            return None
        policy = Policy(
            environment=opened.environment,
            research_enabled=opened.research_enabled,
            sealed=opened.sealed,
            caps=caps,
        )
        toolbox = dict.fromkeys((entry.name for entry in opened.tools), NoTool())
        adapter = Adapter(toolbox, screen, NoLedger(), clock, telemetry, wire)
        memory = Memory(clock, RandomIds(), MemoryJournal(), MemoryStore(), wire)
        recorded = ToolTable(catalog_version=CATALOG_VERSION, tools=opened.tools)
        basis = Basis(contract, rules_digest(rules), recorded, custom_caps=opened.custom_caps)
        return Router(basis, policy, adapter, capabilities, memory, telemetry, wire)

    return rooms_of


def _caps(contract: ContractData, folder: Path, digest: str) -> CapsTable | CapsUnusable | None:
    """The caps that a session ran under: the contract's, or those that were kept when a gate was opened."""
    return contract.caps if digest_of(contract.caps) == digest else kept_caps(folder, digest)
