"""A ledger that lives as long as its process: for tests and for hosts that bring their own limits."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from ....kernel.errors import ContractViolation
from ....kernel.ledger import WINDOW_MS, LedgerStanding, LedgerState, Refused, Reservation, Reserved
from ....kernel.ports import Clock, LedgerRule

__all__ = ["MemoryLedger"]

_RETAIN_MS = 24 * 3_600_000
_PRUNED_PER_RESERVE = 4


@dataclass(slots=True)
class _LedgerRow:
    subject: str
    session_id: str
    key: str
    reserved: Reserved
    spent: int | None = None

    def counted_units(self, now_ms: int) -> int:
        """Spent, or held while the lease lives; a lease that has run out gives its units back."""
        if self.spent is not None:
            return self.spent
        return self.reserved.units if now_ms <= self.reserved.lease_until_ms else 0


class MemoryLedger:
    """The kernel's `Ledger` in dictionaries; a lock makes it safe for hosts with several threads.

    A session's entries are forgotten `retain_ms` after they were made: far longer than any session may run.
    """

    def __init__(self, clock: Clock, rule: LedgerRule, *, retain_ms: int = _RETAIN_MS) -> None:
        self._clock = clock
        self._rule = rule
        self._retain_ms = max(retain_ms, WINDOW_MS)
        self._lock = Lock()
        self._newest_ms = 0
        self._windows: dict[str, deque[tuple[int, int]]] = {}
        self._sessions: dict[str, dict[str, _LedgerRow]] = {}
        self._oldest_first: deque[_LedgerRow] = deque()

    async def reserve(self, wish: Reservation, give_up: Callable[[], bool] | None = None) -> Reserved | Refused:
        """Decide the batch and write the decision down in one step; nobody else can hold the lock for long."""
        with self._lock:
            now_ms = self._now_ms()
            session = self._sessions.get(wish.session_id, {})
            earlier = session.get(wish.key)
            decision = self._rule(
                LedgerState(
                    window=self._window(wish.subject, now_ms),
                    session_calls=sum(entry.reserved.calls for entry in session.values()),
                    session_units=sum(entry.counted_units(now_ms) for entry in session.values()),
                    earlier=None if earlier is None else earlier.reserved,
                ),
                wish,
                now_ms,
            )
            if earlier is None and isinstance(decision, Reserved):
                self._write(_LedgerRow(wish.subject, wish.session_id, wish.key, decision))
            return decision

    async def settle(self, reservation_id: str, spent_units: int) -> None:
        """Record what the batch cost; a second time with the same amount changes nothing.

        Raises:
            ContractViolation: no such reservation, more than was reserved, or another amount than before.
        """
        session_id, _, key = reservation_id.partition(":")
        with self._lock:
            entry = self._sessions.get(session_id, {}).get(key)
            if entry is None:
                raise ContractViolation(f"no reservation `{reservation_id}`")
            if not 0 <= spent_units <= entry.reserved.units:
                raise ContractViolation(f"{spent_units} units spent of {entry.reserved.units} in `{reservation_id}`")
            if entry.spent not in (None, spent_units):
                raise ContractViolation(f"reservation `{reservation_id}` was settled at {entry.spent} units before")
            entry.spent = spent_units

    async def release_session(self, session_id: str) -> int:
        """Settle what the session left open at nothing, and say how much that was."""
        with self._lock:
            left_open = [entry for entry in self._sessions.get(session_id, {}).values() if entry.spent is None]
            for entry in left_open:
                entry.spent = 0
            return len(left_open)

    async def standing(self, subject: str, session_id: str) -> LedgerStanding:
        """The subject's window and the session's totals at this moment."""
        with self._lock:
            now_ms = self._now_ms()
            entries = tuple(self._sessions.get(session_id, {}).values())
            spent = sum(entry.spent or 0 for entry in entries)
            return LedgerStanding(
                window_calls=sum(calls for _, calls in self._window(subject, now_ms)),
                session_calls=sum(entry.reserved.calls for entry in entries),
                spent_units=spent,
                held_units=sum(entry.counted_units(now_ms) for entry in entries) - spent,
                open_reservations=sum(entry.spent is None for entry in entries),
            )

    def close(self) -> None:
        """Nothing to close; the method stands here so that stores can be exchanged."""

    def _now_ms(self) -> int:
        return max(self._clock.now_ms(), self._newest_ms)

    def _window(self, subject: str, now_ms: int) -> tuple[tuple[int, int], ...]:
        # Only looked at, not trimmed: a clock that is set back after a look must find everything again.
        return tuple([entry for entry in self._windows.get(subject, ()) if entry[0] + WINDOW_MS > now_ms])

    def _trim(self, subject: str) -> None:
        """Drop what has left the window by the newest decision, behind which time cannot fall."""
        window = self._windows.get(subject, deque())
        while window and window[0][0] + WINDOW_MS <= self._newest_ms:
            window.popleft()
        if not window:
            self._windows.pop(subject, None)

    def _write(self, entry: _LedgerRow) -> None:
        at_ms = self._newest_ms = entry.reserved.at_ms
        self._windows.setdefault(entry.subject, deque()).append((at_ms, entry.reserved.calls))
        self._sessions.setdefault(entry.session_id, {})[entry.key] = entry
        self._oldest_first.append(entry)
        self._trim(entry.subject)
        for _ in range(_PRUNED_PER_RESERVE):
            oldest = self._oldest_first[0]
            if oldest.reserved.at_ms + self._retain_ms >= at_ms or oldest.reserved.lease_until_ms >= at_ms:
                return
            self._forget(self._oldest_first.popleft())

    def _forget(self, entry: _LedgerRow) -> None:
        session = self._sessions[entry.session_id]
        del session[entry.key]
        if not session:
            del self._sessions[entry.session_id]
        self._trim(entry.subject)
