"""The rule of the ledger: rate, budget and idempotency of one batch, decided together."""

from __future__ import annotations

from ..kernel.errors import ContractViolation
from ..kernel.ledger import WINDOW_MS, LedgerState, Refused, Reservation, Reserved
from ..kernel.stops import Cause, Signal, StopReason

__all__ = ["decide"]


def decide(state: LedgerState, wish: Reservation, now_ms: int) -> Reserved | Refused:
    """Reserve the whole batch or refuse it with every limit that stands against it.

    Raises:
        ContractViolation: the key was used before, for another batch.
    """
    if state.earlier is not None:
        if (state.earlier.calls, state.earlier.units) != (wish.calls, wish.units):
            raise ContractViolation(f"reservation `{wish.reservation_id}` was made before with other calls or units")
        return state.earlier
    rate = _rate(state, wish, now_ms)
    calls = _over(Cause.TOTAL_CALLS, wish.max_calls_total, state.session_calls + wish.calls)
    units = _over(Cause.TOTAL_UNITS, wish.max_units, state.session_units + wish.units)
    signals = tuple([signal for signal in (rate, calls, units) if signal is not None])
    if signals:
        return Refused(signals=signals, retry_at_ms=None if rate is None else rate.retry_at_ms)
    return Reserved(
        reservation_id=wish.reservation_id,
        calls=wish.calls,
        units=wish.units,
        at_ms=now_ms,
        lease_until_ms=now_ms + wish.lease_ms,
    )


def _rate(state: LedgerState, wish: Reservation, now_ms: int) -> Signal | None:
    room = wish.max_calls_per_minute - wish.calls
    if _calls_of(state.window) <= room:
        return None
    # A reservation counts in [t, t + WINDOW_MS); the rule filters again, so that no store can move the edge.
    window = tuple(entry for entry in state.window if entry[0] + WINDOW_MS > now_ms)
    excess = _calls_of(window) - room
    if excess <= 0:
        return None
    return Signal(
        reason=StopReason.RATE_LIMITED,
        cause=Cause.RATE_WINDOW,
        limit=wish.max_calls_per_minute,
        value=wish.max_calls_per_minute + excess,
        retry_at_ms=_earliest_fit(window, excess),
    )


def _calls_of(window: tuple[tuple[int, int], ...]) -> int:
    return sum([calls for _, calls in window])


def _earliest_fit(window: tuple[tuple[int, int], ...], excess: int) -> int | None:
    """When enough of the window has run out; None where the batch alone is over the limit."""
    for at_ms, calls in window:
        excess -= calls
        if excess <= 0:
            return at_ms + WINDOW_MS
    return None


def _over(cause: Cause, limit: int, value: int) -> Signal | None:
    if value <= limit:
        return None
    return Signal(reason=StopReason.BUDGET_EXHAUSTED, cause=cause, limit=limit, value=value)
