"""The nouns of the ledger: what is asked for, what is held, what was decided."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .models import FrozenModel, Identifier
from .stops import Signal

__all__ = ["WINDOW_MS", "LedgerStanding", "LedgerState", "Refused", "Reservation", "Reserved"]

WINDOW_MS = 60_000


class Reservation(FrozenModel):
    """A batch that wants to run; `key` makes the wish idempotent within its session."""

    subject: str
    session_id: Identifier
    key: Identifier
    calls: Annotated[int, Field(ge=1)]
    units: Annotated[int, Field(ge=0)]
    max_calls_per_minute: Annotated[int, Field(ge=1)]
    max_calls_total: Annotated[int, Field(ge=1)]
    max_units: Annotated[int, Field(ge=0)]
    lease_ms: Annotated[int, Field(ge=1)]

    @property
    def reservation_id(self) -> str:
        """Derived, so that a second wish with the same key finds the first."""
        return f"{self.session_id}:{self.key}"


class Reserved(FrozenModel):
    """The batch may run; it counts against the window from `at_ms` whatever becomes of it (R9)."""

    reservation_id: str
    calls: int
    units: int
    at_ms: int
    lease_until_ms: int


class Refused(FrozenModel):
    """The batch may not run; every limit that stood against it, and when the rate limit would let it pass."""

    signals: Annotated[tuple[Signal, ...], Field(min_length=1)]
    retry_at_ms: int | None = None


class LedgerState(FrozenModel):
    """What a store knows at the moment of deciding: the subject's window and the session's totals."""

    window: tuple[tuple[int, int], ...]
    """(at_ms, calls) of the subject's reservations that still count, oldest first."""
    session_calls: int
    session_units: int
    """Units of the session that are spent or held under a live lease."""
    earlier: Reserved | None = None
    """The decision that the same key got before."""


class LedgerStanding(FrozenModel):
    """What an operator or a test may ask a store about a subject and a session."""

    window_calls: int
    session_calls: int
    spent_units: int
    held_units: int
    open_reservations: int
