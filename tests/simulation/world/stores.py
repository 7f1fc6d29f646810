"""Stores that fail on purpose: a life that ends at a byte, a disk that is full at a byte, a ledger that breaks."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.kernel.canonical import sha256_hex
from app.kernel.errors import StoreBusy, StoreUnusable
from app.kernel.ledger import LedgerStanding, Refused, Reservation, Reserved
from app.kernel.ports import Ledger
from app.system.stores.content.files import FileStore
from app.system.stores.journal.files import FileJournal


class Killed(BaseException):
    """The process of this session is gone; nothing of it acts any more."""


class Mortal:
    """One life of a process: after its end no port answers."""

    def __init__(self, end: dict[str, Any] | None, happened: set[str]) -> None:
        self.end, self.happened, self.dead = end, happened, False

    def must_live(self) -> None:
        if self.dead:
            raise Killed

    def due(self, where: str, count: int) -> bool:
        return self.end is not None and self.end["where"] == where and self.end["line"] == count

    def starved(self, puts: int) -> bool:
        """Whether a life that ends at the journal lacks room for this object before."""
        return self.end is not None and self.end.get("put") == puts


@contextmanager
def _room_for(size: int) -> Iterator[None]:
    """No file grows past `size` while this lasts: the kernel itself cuts the write."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class FailingJournal(FileJournal):
    """The journal on disk, until its end is due: then a line is cut at a byte."""

    def __init__(self, folder: Path, life: Mortal) -> None:
        super().__init__(folder)
        self._life, self._appended = life, 0

    def append(self, session_id: str, line: bytes) -> None:
        self._life.must_live()
        if not self._life.due("journal", self._appended) or session_id not in self._held:
            self._appended += 1
            super().append(session_id, line)
            return
        self._appended += 1
        end = self._life.end
        assert end is not None
        self._life.happened.add("kill" if end["kind"] == "kill" else "disk_full")
        size = os.fstat(self._held[session_id][0]).st_size
        with _room_for(size + (len(line) + 1) * end["permille"] // 1_000):
            super().append(session_id, line)
        if end["kind"] == "kill":
            self._life.dead = True
            self.abandon(session_id)
            raise Killed

    def close(self, session_id: str) -> None:
        self._life.must_live()
        super().close(session_id)

    def abandon(self, session_id: str) -> None:
        super().abandon(session_id)


class FailingStore(FileStore):
    """The content store on disk; the disk is full for one object."""

    def __init__(self, folder: Path, life: Mortal) -> None:
        super().__init__(folder)
        self._life, self._puts = life, 0

    def put(self, tenant: str, data: bytes) -> str:
        self._life.must_live()
        self._puts += 1
        if self._life.due("store", self._puts - 1) or self._life.starved(self._puts - 1):
            self._life.happened.add("disk_full")
            with _room_for(0):
                other = super().put(tenant, data + b" ")  # another byte: a new object, which has to be written
            digest = sha256_hex(data)
            self._failed[tenant, digest] = self._failed.pop((tenant, other))
            return digest
        return super().put(tenant, data)


class WatchedLedger:
    """A session's way to the ledger: it dies with its process, breaks on request, and tells whether it had to wait."""

    def __init__(self, ledger: Ledger, life: Mortal, fault: dict[str, Any] | None, tick: Callable[[], int]) -> None:
        self._ledger, self._life, self._fault, self._tick = ledger, life, fault, tick

    async def reserve(self, wish: Reservation, give_up: Callable[[], bool] | None = None) -> Reserved | Refused:
        self._life.must_live()
        self._break("reserve", wish.key)
        before = self._tick()
        try:
            return await self._ledger.reserve(wish, give_up)
        except StoreBusy:
            self._life.happened.add("ledger_contention")
            raise
        finally:
            self._waited(before)

    async def settle(self, reservation_id: str, spent_units: int) -> None:
        self._life.must_live()
        self._break("settle", reservation_id.rpartition(":")[2])
        before = self._tick()
        try:
            await self._ledger.settle(reservation_id, spent_units)
        except StoreBusy:
            self._life.happened.add("ledger_contention")
            raise
        finally:
            self._waited(before)

    async def release_session(self, session_id: str) -> int:
        return await self._ledger.release_session(session_id)

    async def standing(self, subject: str, session_id: str) -> LedgerStanding:
        return await self._ledger.standing(subject, session_id)

    def _break(self, op: str, key: str) -> None:
        if self._fault and self._fault["op"] == op and key == f"batch-{self._fault['batch']}":
            self._life.happened.add("trouble_on_return" if "life" in self._fault else "ledger_error")
            raise StoreUnusable("the ledger broke")

    def _waited(self, before: int) -> None:
        if self._tick() != before:
            self._life.happened.add("ledger_contention")
