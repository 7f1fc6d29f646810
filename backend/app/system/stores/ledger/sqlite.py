"""A ledger in one SQLite file that several processes share."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TypeVar

from ....kernel.errors import ContractViolation, StoreBusy, StoreUnusable
from ....kernel.ledger import WINDOW_MS, LedgerStanding, LedgerState, Refused, Reservation, Reserved
from ....kernel.ports import Clock, LedgerRule
from .schema import BUSY, ledger_file_fault, open_ledger_file, translate

__all__ = ["SqliteLedger"]

_T = TypeVar("_T")

_RETAIN_MS = 24 * 3_600_000
_PRUNED_PER_RESERVE = 4
_PATIENCE_MS = 5_000
_BACK_OFF_MS = (0, 1, 1, 2, 2, 4, 8)
_LOOK_WAITS_S = 0.2

# Ids grow with at_ms, because time never goes back: the last row is the newest, the first rows are the oldest.
_NEWEST = "SELECT at_ms FROM reservations ORDER BY id DESC LIMIT 1"
_WINDOW = "SELECT at_ms, calls FROM reservations WHERE subject = ? AND at_ms > ? ORDER BY at_ms"
_WINDOW_CALLS = "SELECT coalesce(sum(calls), 0) FROM reservations WHERE subject = ? AND at_ms > ?"
_SESSION = "SELECT key, calls, units, at_ms, lease_until_ms, spent FROM reservations WHERE session_id = ?"
_INSERT = (
    "INSERT INTO reservations (subject, session_id, key, calls, units, at_ms, lease_until_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_OLDEST = "SELECT id, at_ms, lease_until_ms FROM reservations ORDER BY id LIMIT ?"
_FORGET = "DELETE FROM reservations WHERE id = ?"
_SETTLE = "UPDATE reservations SET spent = ? WHERE session_id = ? AND key = ? AND spent IS NULL AND units >= ?"
_LOOK_UP = "SELECT units, spent FROM reservations WHERE session_id = ? AND key = ?"
_RELEASE = "UPDATE reservations SET spent = 0 WHERE session_id = ? AND spent IS NULL"


class SqliteLedger:
    """The kernel's `Ledger` in a file with a write-ahead log.

    Every decision is one short transaction. A lock held by another process is never waited for in SQLite:
    the call sleeps in the event loop and tries again, for `patience_ms` in all. The file is opened by the first call.
    A session's rows are forgotten `retain_ms` after they were made: far longer than any session may run.
    """

    def __init__(
        self,
        path: Path,
        clock: Clock,
        rule: LedgerRule,
        *,
        patience_ms: int = _PATIENCE_MS,
        retain_ms: int = _RETAIN_MS,
    ) -> None:
        self._path = path
        self._clock = clock
        self._rule = rule
        self._patience_ms = patience_ms
        self._retain_ms = max(retain_ms, WINDOW_MS)
        self._lock = Lock()  # held for one transaction, for hosts with several threads
        self._connection: sqlite3.Connection | None = None
        self._opened_by = 0
        self._file: tuple[int, int] | None = None
        self._closed = False
        self._prune_after_ms = 0

    async def reserve(self, wish: Reservation, give_up: Callable[[], bool] | None = None) -> Reserved | Refused:
        """Decide the batch and write the decision down in one transaction."""
        return await self._patiently(lambda db: self._reserve(db, wish), give_up)

    async def settle(self, reservation_id: str, spent_units: int) -> None:
        """Record what the batch cost; a second time with the same amount changes nothing.

        Raises:
            ContractViolation: no such reservation, more than was reserved, or another amount than before.
        """
        await self._patiently(lambda db: _settle(db, reservation_id, spent_units))

    async def release_session(self, session_id: str) -> int:
        """Settle what the session left open at nothing, and say how much that was."""
        return await self._patiently(lambda db: db.execute(_RELEASE, (session_id,)).rowcount)

    async def standing(self, subject: str, session_id: str) -> LedgerStanding:
        """The subject's window and the session's totals at this moment."""
        return await self._patiently(lambda db: self._standing(db, subject, session_id))

    def fault(self) -> str:
        """Why the file on disk cannot be used, in a few words; empty where it can. Changes nothing, never raises."""
        # A look may not come between an opening and its locks. Whoever holds the lock is using the ledger at this
        # moment; a fork may have inherited it held for ever.
        if not self._lock.acquire(timeout=_LOOK_WAITS_S):
            return ""
        try:
            if self._connection is not None and self._opened_by != os.getpid():
                return "was opened before a fork"
            if self._connection is not None and _file_id(self._path) != self._file:
                return "is gone or was replaced since it was opened: start again"
            return ledger_file_fault(self._path)
        finally:
            self._lock.release()

    def close(self) -> None:
        """Close the file; what was decided stays in it."""
        with self._lock:
            self._closed = True
            self._drop_connection()

    async def _patiently(
        self, work: Callable[[sqlite3.Connection], _T], give_up: Callable[[], bool] | None = None
    ) -> _T:
        patience_ends = time.monotonic() + self._patience_ms / 1000
        attempt = 0
        while True:
            try:
                with self._lock:
                    return self._transact(work)
            except sqlite3.OperationalError as exc:  # only a lock that someone else holds gets here
                if time.monotonic() >= patience_ends or (give_up is not None and give_up()):
                    raise StoreBusy(f"ledger `{self._path}` stays locked by another process") from exc
            await asyncio.sleep(_BACK_OFF_MS[min(attempt, len(_BACK_OFF_MS) - 1)] / 1000)
            attempt += 1

    def _transact(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        try:
            return work(self._open())
        except sqlite3.Error as exc:
            if getattr(exc, "sqlite_errorcode", 0) & 0xFF in BUSY:
                self._roll_back()
                raise
            # After an I/O error the next call starts with a fresh connection, so a freed disk is enough to go on.
            self._drop_connection()
            raise translate(exc, self._path) from exc
        except (OverflowError, UnicodeEncodeError) as exc:
            self._roll_back()
            raise ContractViolation("a number or a text does not fit into the ledger") from exc
        except BaseException:
            self._roll_back()
            raise

    def _open(self) -> sqlite3.Connection:
        if self._closed:
            raise StoreUnusable(f"ledger `{self._path}` was closed")
        if self._connection is None:
            self._connection = open_ledger_file(self._path)
            self._opened_by = os.getpid()
            self._file = _file_id(self._path)
        elif self._opened_by != os.getpid():
            # SQLite's locks do not survive a fork: going on could damage the file for everyone.
            raise StoreUnusable(f"ledger `{self._path}` was opened before a fork; build one ledger per process")
        return self._connection

    def _roll_back(self) -> None:
        if self._connection is not None and self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _drop_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None and self._opened_by == os.getpid():
            connection.close()

    def _now_ms(self, db: sqlite3.Connection) -> int:
        newest = db.execute(_NEWEST).fetchone()
        now_ms = self._clock.now_ms()
        return now_ms if newest is None else max(now_ms, newest[0])

    def _reserve(self, db: sqlite3.Connection, wish: Reservation) -> Reserved | Refused:
        db.execute("BEGIN IMMEDIATE")
        now_ms = self._now_ms(db)
        earlier, session_calls, session_units = None, 0, 0
        for key, calls, units, at_ms, lease_until_ms, spent in db.execute(_SESSION, (wish.session_id,)):
            session_calls += calls
            session_units += _counted(units, lease_until_ms, spent, now_ms)
            if key == wish.key:
                earlier = Reserved(
                    reservation_id=wish.reservation_id,
                    calls=calls,
                    units=units,
                    at_ms=at_ms,
                    lease_until_ms=lease_until_ms,
                )
        decision = self._rule(
            LedgerState(
                window=tuple(db.execute(_WINDOW, (wish.subject, now_ms - WINDOW_MS))),
                session_calls=session_calls,
                session_units=session_units,
                earlier=earlier,
            ),
            wish,
            now_ms,
        )
        if earlier is not None or isinstance(decision, Refused):
            db.execute("ROLLBACK")
            return decision
        row = (
            wish.subject,
            wish.session_id,
            wish.key,
            decision.calls,
            decision.units,
            decision.at_ms,
            decision.lease_until_ms,
        )
        db.execute(_INSERT, row)
        if now_ms > self._prune_after_ms:
            self._prune(db, now_ms)
        db.execute("COMMIT")
        return decision

    def _prune(self, db: sqlite3.Connection, now_ms: int) -> None:
        """Forget a few of the oldest rows, so that the file stays small and no call pays for history."""
        for row_id, at_ms, lease_until_ms in db.execute(_OLDEST, (_PRUNED_PER_RESERVE,)).fetchall():
            if at_ms + self._retain_ms >= now_ms or lease_until_ms >= now_ms:
                self._prune_after_ms = max(at_ms + self._retain_ms, lease_until_ms)
                return
            db.execute(_FORGET, (row_id,))

    def _standing(self, db: sqlite3.Connection, subject: str, session_id: str) -> LedgerStanding:
        db.execute("BEGIN")
        now_ms = self._now_ms(db)
        rows = db.execute(_SESSION, (session_id,)).fetchall()
        (window_calls,) = db.execute(_WINDOW_CALLS, (subject, now_ms - WINDOW_MS)).fetchone()
        db.execute("COMMIT")
        return LedgerStanding(
            window_calls=window_calls,
            session_calls=sum(row[1] for row in rows),
            spent_units=sum(row[5] or 0 for row in rows),
            held_units=sum(_counted(row[2], row[4], None, now_ms) for row in rows if row[5] is None),
            open_reservations=sum(row[5] is None for row in rows),
        )


def _file_id(path: Path) -> tuple[int, int] | None:
    """Which file has this name at the moment; none where none can be seen."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _counted(units: int, lease_until_ms: int, spent: int | None, now_ms: int) -> int:
    """Spent, or held while the lease lives; a lease that has run out gives its units back."""
    if spent is not None:
        return spent
    return units if now_ms <= lease_until_ms else 0


def _settle(db: sqlite3.Connection, reservation_id: str, spent_units: int) -> None:
    session_id, _, key = reservation_id.partition(":")
    # The usual case is one statement, which is a transaction of its own.
    if spent_units >= 0 and db.execute(_SETTLE, (spent_units, session_id, key, spent_units)).rowcount == 1:
        return
    found = db.execute(_LOOK_UP, (session_id, key)).fetchone()
    if found is None:
        raise ContractViolation(f"no reservation `{reservation_id}`")
    units, spent = found
    if not 0 <= spent_units <= units:
        raise ContractViolation(f"{spent_units} units spent of {units} in `{reservation_id}`")
    if spent != spent_units:
        raise ContractViolation(f"reservation `{reservation_id}` was settled at {spent} units before")
