"""Erases content: what a session stored, or everything of a tenant; the chain of its journal stays whole (R20)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..kernel.errors import RequestInvalid, StoreUnusable
from ..kernel.journal_records import Called, Erased, ReserveDecided, written_line
from ..kernel.ledger import Reserved
from ..kernel.models import FrozenModel
from ..kernel.ports import Clock, ContentStore, FoundSession, Journal
from ..research.record.opening import Chain, objects_of, read_chain
from .lookup import SessionLookup, chain_of, is_erased, is_plain_name

__all__ = ["ErasedReport", "Eraser", "TenantData"]

_FETCHING = frozenset({"scrape_page", "services"})


class ErasedReport(FrozenModel):
    """What erasing deleted, and what it left because other sessions name it, too."""

    sessions: int
    objects: int
    shared: int


class TenantData(Protocol):
    """What is kept for a tenant beside journal and content store: cached responses, indexes of documents."""

    def knows(self, tenant: str) -> bool: ...

    def forget_responses(self, tenant: str) -> None: ...

    def forget(self, tenant: str) -> None: ...

    def written(self, tenant: str) -> frozenset[str]:
        """The digests of what a model wrote for the tenant's sessions; no journal names them."""
        ...

    def forget_written(self, tenant: str, session_id: str) -> str | None:
        """Forget what a model wrote for a session; its digest if no other session has the same."""
        ...


@dataclass(frozen=True, slots=True)
class Eraser:
    """Works on a journal, a content store, and what else is kept for a tenant."""

    journal: Journal
    store: ContentStore
    clock: Clock
    beside: TenantData

    def session(self, session_id: str, *, shared: bool = False) -> ErasedReport:
        """Delete a session's objects; those that other sessions name stay, unless `shared`."""
        lookup = SessionLookup(self.journal)
        found, chain = lookup.session(session_id)
        if not found.closed:
            raise RequestInvalid(f"session `{session_id}` is open and cannot be erased yet")
        named: set[str] = set()
        if not shared:
            for other in (*self.journal.open_sessions(), *lookup.closed_of(found.tenant)):
                chain_there = lookup.chain(other) if other.session_id != session_id else None
                if chain_there is not None and not is_erased(chain_there):
                    named.update(objects_of(chain_there.lines))
        return self._erased(found, chain, named)

    def tenant(self, tenant: str) -> ErasedReport:
        """Delete every object of a tenant, its cached responses and the indexes of its documents."""
        sessions = objects = 0
        if tenant not in self.store.tenants() and not (is_plain_name(tenant) and self.beside.knows(tenant)):
            raise RequestInvalid(f"there is no tenant `{tenant}` in this data folder")
        self.beside.forget(tenant)
        for found in SessionLookup(self.journal).closed_of(tenant):
            read = self.journal.read(found)
            if read is not None and (chain := chain_of(*read)).broken_at is None:
                report = self._erased(found, chain, set())
                sessions, objects = sessions + report.sessions, objects + report.objects
        for name in list(self.store.digests(tenant)):
            objects += self.store.remove(tenant, name)
        return ErasedReport(sessions=sessions, objects=objects, shared=0)

    def _erased(self, found: FoundSession, chain: Chain, named: set[str]) -> ErasedReport:
        if chain.broken_at is not None:
            raise StoreUnusable(
                f"the journal of session `{found.session_id}` is damaged at step {chain.broken_at}, so not all objects "
                "that it names are known; erase its tenant to delete everything"
            )
        own = objects_of(chain.lines)
        if _may_have_fetched(chain):
            # What was fetched may lie in the cache, also where nothing could be read of it; losing it costs a fetch.
            self.beside.forget_responses(found.tenant)
        removed = sum(self.store.remove(found.tenant, digest) for digest in own if digest not in named)
        written = self.beside.forget_written(found.tenant, found.session_id)
        if written is not None and written not in named:
            removed += self.store.remove(found.tenant, written)
        kept = sum(digest in named for digest in own)

        def mark(data: tuple[bytes, ...]) -> bytes | None:
            now = read_chain(data)
            if is_erased(now) or now.broken_at is not None:
                return None
            erased = Erased(at_ms=self.clock.now_ms(), objects=removed, shared=kept)
            return written_line(now.lines[-1].digest, (), erased).data

        self.journal.amend(found, mark)  # one that was pruned meanwhile needs no mark
        return ErasedReport(sessions=1, objects=removed, shared=kept)


def _may_have_fetched(chain: Chain) -> bool:
    """Whether a tool that fetches was called, or a call that was reserved left no line to say which tool it was."""
    records = [line.record for line in chain.lines]
    called = [record for record in records if isinstance(record, Called)]
    granted = (record for record in records if isinstance(record, ReserveDecided))
    reserved = sum(record.wish.calls for record in granted if isinstance(record.decision, Reserved))
    return reserved > len(called) or any(record.outcome.tool in _FETCHING for record in called)
