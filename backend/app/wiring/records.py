"""The record of past sessions, for those who look after it: list, show, replay, receipts, erasing and pruning."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.trace import NoOpTracerProvider
from pydantic import TypeAdapter, ValidationError

from ..kernel.canonical import digest_of
from ..kernel.capability import AnyCapability
from ..kernel.caps import CapsTable, CapsUnusable
from ..kernel.catalog import CATALOG_VERSION, ToolTable
from ..kernel.contract import ContractData
from ..kernel.errors import RequestInvalid, StoreUnusable
from ..kernel.journal_records import Called, Closed, Erased, Opened, Recovered, ReserveDecided, written_line
from ..kernel.ledger import Reserved
from ..kernel.models import FrozenModel, Identifier
from ..research.adapter import Adapter
from ..research.basis import Basis
from ..research.injection import InjectionScreen, RuleSet
from ..research.ledger import decide
from ..research.policy import Policy
from ..research.record.blocked_sources import blocked_of
from ..research.record.history import Receipt, SessionHistory, SessionSummary, history_of, receipt_of
from ..research.record.memory import Chain, Memory, objects_of, read_chain
from ..research.record.replay import Replayed, replay
from ..research.router import Router
from ..research.telemetry import Telemetry
from ..system.caps_files import kept_caps
from ..system.clock import SystemClock
from ..system.contract_files import read_contract, read_rules
from ..system.data_folder import open_data_folder
from ..system.ids import RandomIds
from ..system.quiet_loop import in_a_loop, run_quietly
from ..system.settings import Settings
from ..system.stores.content.files import FileStore
from ..system.stores.content.memory import MemoryStore
from ..system.stores.journal.files import FileJournal, Found, SessionGone
from ..system.stores.journal.memory import MemoryJournal
from ..system.stores.ledger.sqlite import SqliteLedger
from ..system.stores.web_cache.sqlite import SqliteWebCache
from ..system.tripwire import install
from .derivation import derive_again
from .host_parts import all_capabilities
from .places import (
    CAPS_FOLDER,
    COLLECTIONS_FOLDER,
    JOURNAL_FOLDER,
    LEDGER_FILE,
    STORE_FOLDER,
    WEB_CACHE_FOLDER,
    rules_digest,
)
from .recovery import give_up
from .replay_ports import NoLedger, NoTool

__all__ = ["ErasedReport", "PrunedReport", "ReceiptCheck", "Records"]

Progress = Callable[[int], None]
_IDENTIFIER = TypeAdapter[str](Identifier)
_FETCHING = frozenset({"scrape_page", "services"})


class ErasedReport(FrozenModel):
    """What erasing took away, and what it left because other sessions name it, too."""

    sessions: int
    objects: int
    shared: int


class PrunedReport(FrozenModel):
    """What pruning took away."""

    sessions: int
    objects: int
    given_up: int


class ReceiptCheck(FrozenModel):
    """Whether a receipt is what the journal here says."""

    receipt_id: str
    session_id: str
    valid: bool
    why: str


class Records:
    """Journal and content store of one data folder."""

    def __init__(self, settings: Settings, capabilities: Sequence[AnyCapability] = ()) -> None:
        """A host passes the capabilities it brought, so that their sessions can be replayed, too."""
        folder = open_data_folder(settings.data_dir, to_look=True)
        self._settings = settings
        self._capabilities = all_capabilities(capabilities)
        self._clock = SystemClock()
        self._journal = FileJournal(folder / JOURNAL_FOLDER)
        self._store = FileStore(folder / STORE_FOLDER)
        self._ledger_file = folder / LEDGER_FILE

    def sessions(self, limit: int, tenant: str | None = None) -> Iterator[SessionSummary]:
        """The newest sessions first; open ones before all others."""
        shown: set[str] = set()  # one that closes meanwhile is met twice
        for sources in (self._journal.open_sessions(), self._journal.closed_sessions()):
            for found in sources:
                if len(shown) >= limit:
                    return
                if tenant not in (None, found.tenant) or found.session_id in shown:
                    continue
                read = self._journal.read(found)
                if read is not None:
                    shown.add(found.session_id)
                    yield _summary_of(*read)

    def show(self, session_id: str) -> SessionHistory:
        """One session, step by step; what the screen blocked is named from the content store, as far as that has it."""
        found, chain = self._found(session_id)

        def get(digest: str) -> bytes | None:
            with suppress(StoreUnusable):
                return self._store.get(found.tenant, digest)
            return None

        return history_of(chain.lines, chain.broken_at, blocked_of(chain.lines, get))

    def replay(self, session_id: str) -> Replayed:
        """Run a recorded session again without tools, ledger, documents, sockets or time, under the tripwire.

        Raises:
            RequestInvalid: there is no such session, or an event loop runs in this thread.
        """
        if in_a_loop():
            raise RequestInvalid("a replay needs a thread of its own: an event loop runs in this one")
        found, chain = self._found(session_id)
        contract, rules = read_contract(), read_rules()
        screen = InjectionScreen(RuleSet.parse(rules))
        wire = install()
        telemetry = Telemetry(NoOpTracerProvider().get_tracer(""), NoOpMeterProvider().get_meter(""))

        def router_of(opened: Opened) -> Router | None:
            caps = self._caps(contract, opened.caps)
            if caps is None:
                return None
            policy = Policy(
                environment=opened.environment,
                research_enabled=opened.research_enabled,
                sealed=opened.sealed,
                caps=caps,
            )
            toolbox = dict.fromkeys((entry.name for entry in opened.tools), NoTool())
            adapter = Adapter(toolbox, screen, NoLedger(), self._clock, telemetry, wire)
            memory = Memory(self._clock, RandomIds(), MemoryJournal(), MemoryStore(), wire)
            recorded = ToolTable(catalog_version=CATALOG_VERSION, tools=opened.tools)
            basis = Basis(contract, rules_digest(rules), recorded, custom_caps=opened.custom_caps)
            return Router(basis, policy, adapter, self._capabilities, memory, telemetry, wire)

        def get(digest: str) -> bytes | None:
            return self._store.get(found.tenant, digest)

        replayed = run_quietly(replay(session_id, chain, get, router_of))
        if not replayed.identical:
            return replayed
        again = derive_again(chain.lines, get, self._settings)
        return replayed.model_copy(update=again.model_dump())

    def _caps(self, contract: ContractData, digest: str) -> CapsTable | CapsUnusable | None:
        """The caps that a session ran under: the contract's, or those that were kept when a gate was opened."""
        if digest_of(contract.caps) == digest:
            return contract.caps
        return kept_caps(self._settings.data_dir / CAPS_FOLDER, digest)

    def receipt(self, session_id: str) -> Receipt:
        """The receipt of a finished session."""
        chain = self._found(session_id)[1]
        if chain.broken_at is not None:
            raise StoreUnusable(f"the journal of session `{session_id}` is damaged at step {chain.broken_at}")
        return receipt_of(chain.lines)

    def verify(self, text: bytes) -> ReceiptCheck:
        """Compare a receipt with itself and with the journal here.

        Raises:
            RequestInvalid: this is no receipt.
        """
        try:
            receipt = Receipt.model_validate_json(text)
        except ValidationError as exc:
            raise RequestInvalid("this is not a receipt") from exc
        why = self._wrong(receipt)
        return ReceiptCheck(
            receipt_id=receipt.receipt_id, session_id=receipt.session_id, valid=not why, why=why or "as in the journal"
        )

    def erase(self, session_id: str, *, shared: bool = False) -> ErasedReport:
        """Take a session's objects out of the store; those that other sessions name stay, unless told otherwise."""
        found, chain = self._found(session_id)
        if not found.closed:
            raise RequestInvalid(f"session `{session_id}` is open and cannot be erased yet")
        named: set[str] = set()
        if not shared:
            for other in (*self._journal.open_sessions(), *self._closed_of(found.tenant)):
                chain_there = self._there(other) if other.session_id != session_id else None
                if chain_there is not None and not _is_erased(chain_there):
                    named.update(objects_of(chain_there.lines))
        return self._erased(found, chain, named)

    def erase_tenant(self, tenant: str) -> ErasedReport:
        """Take every object of a tenant out of the store, its stored responses and the indexes of its documents."""
        sessions = objects = 0
        web, indexes = (self._settings.data_dir / name for name in (WEB_CACHE_FOLDER, COLLECTIONS_FOLDER))
        known = tenant in self._store.tenants()
        if not known and not (_plain(tenant) and ((web / tenant).is_dir() or (indexes / tenant).is_dir())):
            raise RequestInvalid(f"there is no tenant `{tenant}` in this data folder")
        SqliteWebCache(web).forget(tenant)
        shutil.rmtree(indexes / tenant, ignore_errors=True)  # the documents lie where their owner keeps them
        for found in self._closed_of(tenant):
            read = self._journal.read(found)
            if read is not None and (chain := _chain_of(*read)).broken_at is None:
                report = self._erased(found, chain, set())
                sessions, objects = sessions + report.sessions, objects + report.objects
        for name, _ in list(self._store.digests(tenant)):
            objects += self._store.remove(tenant, name)
        return ErasedReport(sessions=sessions, objects=objects, shared=0)

    async def prune(self, older_than_ms: int, progress: Progress = lambda _: None) -> PrunedReport:
        """Forget sessions that ended before a moment, and every object that no remaining session names."""
        before_ms = self._clock.now_ms() - older_than_ms
        given_up = await self._give_up(before_ms)
        sessions = 0
        named: dict[str, set[str]] = {}
        # Open ones first: one that closes meanwhile is met again among the closed ones, and never missed.
        for found in self._journal.open_sessions():
            named.setdefault(found.tenant, set()).update(self._named(found))
        for seen, found in enumerate(self._journal.closed_sessions(newest_first=False), start=1):
            progress(seen)
            if self._journal.forget(found, before_ms):
                sessions += 1
            else:
                named.setdefault(found.tenant, set()).update(self._named(found))
        objects = 0
        for tenant in self._store.tenants():
            for name, _ in list(self._store.digests(tenant)):
                if name not in named.get(tenant, ()):
                    objects += self._store.forget(tenant, name, before_ms)
        return PrunedReport(sessions=sessions, objects=objects, given_up=given_up)

    async def _give_up(self, before_ms: int) -> int:
        old = [found for found in self._journal.open_sessions() if self._journal.untouched(found, before_ms)]
        if not old:
            return 0
        ledger = SqliteLedger(self._ledger_file, self._clock, decide)
        try:
            return sum([await give_up(self._journal, ledger, self._clock, found) for found in old])
        finally:
            ledger.close()

    def _erased(self, found: Found, chain: Chain, named: set[str]) -> ErasedReport:
        if chain.broken_at is not None:
            raise StoreUnusable(
                f"the journal of session `{found.session_id}` is damaged at step {chain.broken_at}: what it names "
                "cannot all be told; erasing its tenant takes everything"
            )
        own = objects_of(chain.lines)
        if _may_have_fetched(chain):
            # What was fetched may lie in the cache, also where nothing could be read of it; losing it costs a fetch.
            SqliteWebCache(self._settings.data_dir / WEB_CACHE_FOLDER).forget(found.tenant)
        removed = sum(self._store.remove(found.tenant, digest) for digest in own if digest not in named)
        kept = sum(digest in named for digest in own)

        def mark(data: tuple[bytes, ...]) -> bytes | None:
            now = read_chain(data)
            if _is_erased(now) or now.broken_at is not None:
                return None
            erased = Erased(at_ms=self._clock.now_ms(), objects=removed, shared=kept)
            return written_line(now.lines[-1].digest, (), erased).data

        with suppress(SessionGone):  # pruned meanwhile: its objects are gone as well
            self._journal.amend(found, mark)
        return ErasedReport(sessions=1, objects=removed, shared=kept)

    def _wrong(self, receipt: Receipt) -> str:
        if not receipt.intact:
            return "the receipt was changed: its id is not that of its content"
        found = self._journal.find(receipt.session_id)
        if found is None:
            return "the receipt is whole, but its session is not in this data folder"
        read = self._journal.read(found)
        if read is None:
            return "the receipt is whole, but its session was just pruned"
        chain = _chain_of(*read)
        if chain.broken_at is not None:
            return f"the journal is damaged at step {chain.broken_at}"
        try:
            here = receipt_of(chain.lines)
        except StoreUnusable as exc:
            return str(exc)
        return "" if here == receipt else "the receipt is whole, but the journal here says something else"

    def _closed_of(self, tenant: str) -> Iterator[Found]:
        return (found for found in self._journal.closed_sessions() if found.tenant == tenant)

    def _found(self, session_id: str) -> tuple[Found, Chain]:
        found = self._journal.find(session_id) if _plain(session_id) else None
        read = None if found is None else self._journal.read(found)
        if read is None:
            raise RequestInvalid(f"there is no session `{session_id}` in this data folder")
        return read[0], _chain_of(*read)

    def _there(self, found: Found) -> Chain | None:
        read = self._journal.read(found)
        return None if read is None else read_chain(read[1])

    def _named(self, found: Found) -> frozenset[str]:
        chain = self._there(found)
        return frozenset() if chain is None else frozenset(objects_of(chain.lines))


def _plain(session_id: str) -> bool:
    """An id becomes a file's name, so it must not lead anywhere else."""
    try:
        _IDENTIFIER.validate_python(session_id, strict=True)
    except ValidationError:
        return False
    return True


def _chain_of(found: Found, lines: tuple[bytes, ...]) -> Chain:
    """The lines of a session; one that was closed and has no end has lost it."""
    chain = read_chain(lines)
    ended = any(isinstance(line.record, Closed | Recovered) for line in chain.lines)
    if found.closed and not ended and chain.broken_at is None:
        return Chain(chain.lines, len(chain.lines) + 1)
    return chain


def _summary_of(found: Found, lines: tuple[bytes, ...]) -> SessionSummary:
    """A row for every file, also for one of which nothing can be read."""
    chain = _chain_of(found, lines)
    try:
        return history_of(chain.lines, chain.broken_at).summary
    except StoreUnusable:
        return SessionSummary(
            session_id=found.session_id,
            tenant=found.tenant,
            state="damaged" if found.closed or chain.broken_at else "open",
            erased=False,
            stop=None,
            action=None,
            capability="unknown",
            environment="",
            started_at_ms=0,
            elapsed_ms=0,
            calls=0,
            spent_units=0,
            sources=0,
        )


def _may_have_fetched(chain: Chain) -> bool:
    """Whether a tool that fetches was called, or a call that was reserved left no line to say which tool it was."""
    records = [line.record for line in chain.lines]
    called = [record for record in records if isinstance(record, Called)]
    granted = (record for record in records if isinstance(record, ReserveDecided))
    reserved = sum(record.wish.calls for record in granted if isinstance(record.decision, Reserved))
    return reserved > len(called) or any(record.outcome.tool in _FETCHING for record in called)


def _is_erased(chain: Chain) -> bool:
    return any(isinstance(line.record, Erased) for line in chain.lines)
