"""Prunes: sessions that ended before a moment, and every object that no remaining session names."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from ..kernel.models import FrozenModel
from ..kernel.ports import Clock, ContentStore, Journal, Ledger
from .erasing import TenantData
from .lookup import SessionLookup
from .recovery import give_up

__all__ = ["OpenLedger", "Progress", "PrunedReport", "Pruner"]

Progress = Callable[[int], None]
OpenLedger = Callable[[], AbstractContextManager[Ledger]]


class PrunedReport(FrozenModel):
    """What pruning deleted."""

    sessions: int
    objects: int
    given_up: int


@dataclass(frozen=True, slots=True)
class Pruner:
    """Works on any journal and content store, also beside running sessions."""

    journal: Journal
    store: ContentStore
    clock: Clock
    beside: TenantData

    async def prune(self, open_ledger: OpenLedger, older_than_ms: int, progress: Progress) -> PrunedReport:
        """Delete what ended before a moment; open sessions that nobody writes any more are given up first."""
        before_ms = self.clock.now_ms() - older_than_ms
        lookup = SessionLookup(self.journal)
        old = [found for found in self.journal.open_sessions() if self.journal.untouched(found, before_ms)]
        sessions = given_up = 0
        if old:
            with open_ledger() as ledger:
                given_up = sum([await give_up(self.journal, ledger, self.clock, found) for found in old])
        named: dict[str, set[str]] = {}
        # Open ones first: one that closes meanwhile is met again among the closed ones, and never missed.
        for found in self.journal.open_sessions():
            named.setdefault(found.tenant, set()).update(lookup.objects(found))
        for seen, found in enumerate(self.journal.closed_sessions(newest_first=False), start=1):
            progress(seen)
            if self.journal.remove(found, before_ms):
                sessions += 1
                self.beside.forget_written(found.tenant, found.session_id)
            else:
                named.setdefault(found.tenant, set()).update(lookup.objects(found))
        objects = 0
        for tenant in self.store.tenants():
            named.setdefault(tenant, set()).update(self.beside.written(tenant))
            for name in list(self.store.digests(tenant)):
                if name not in named[tenant]:
                    objects += self.store.remove_unused(tenant, name, before_ms)
        return PrunedReport(sessions=sessions, objects=objects, given_up=given_up)
