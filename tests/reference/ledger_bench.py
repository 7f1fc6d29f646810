"""What the ledger's tests share: a clock set by hand, wishes with defaults, both backends behind one door."""

from __future__ import annotations

from pathlib import Path

from app.kernel.ledger import Reservation
from app.research.ledger import decide
from app.system.stores.ledger.memory import MemoryLedger
from app.system.stores.ledger.sqlite import SqliteLedger

START_MS = 1_700_000_000_000
BACKENDS = ("memory", "sqlite")


class HandClock:
    """Shows what the test sets, also backwards."""

    def __init__(self, at_ms: int = START_MS) -> None:
        self.at_ms = at_ms

    def now_ms(self) -> int:
        return self.at_ms


def wish(**changes) -> Reservation:
    """A small wish under wide caps; a test names only what it is about."""
    fields = {
        "subject": "acme/ada",
        "session_id": "s1",
        "key": "b1",
        "calls": 1,
        "units": 10,
        "max_calls_per_minute": 10,
        "max_calls_total": 1_000,
        "max_units": 100_000,
        "lease_ms": 30_000,
    }
    return Reservation(**{**fields, **changes})


def drive(coroutine):
    """Run a coroutine that never has to wait; a ledger that nobody else uses must not."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("the ledger waited although nobody else uses it")


class Bench:
    """One ledger under test, driven without an event loop of the test's own."""

    def __init__(self, backend: str, folder: Path) -> None:
        self.backend = backend
        self.path = folder / "ledger.db"
        self.clock = HandClock()
        self.ledger = self._build()

    def _build(self) -> MemoryLedger | SqliteLedger:
        if self.backend == "memory":
            return MemoryLedger(self.clock, decide)
        return SqliteLedger(self.path, self.clock, decide)

    def restart(self) -> None:
        """A file outlives its process; memory does not, so there a restart is nothing."""
        if self.backend == "sqlite":
            self.ledger.close()
            self.ledger = self._build()

    def reserve(self, **changes):
        return drive(self.ledger.reserve(wish(**changes)))

    def settle(self, reservation_id, spent):
        return drive(self.ledger.settle(reservation_id, spent))

    def release(self, session_id):
        return drive(self.ledger.release_session(session_id))

    def standing(self, subject="acme/ada", session_id="s1"):
        return drive(self.ledger.standing(subject, session_id)).model_dump()
