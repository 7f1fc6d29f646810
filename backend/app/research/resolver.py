"""The resolver: all signals and the size of the bundle become exactly one stop and one action (§5)."""

from __future__ import annotations

from ..kernel.contract import ContractData
from ..kernel.outcome import Verdict
from ..kernel.stops import Cause, Signal, StopReason

__all__ = ["resolve"]


def resolve(signals: tuple[Signal, ...], counted: int, clarified: bool, contract: ContractData) -> Verdict:
    """Choose; `counted` is the number of accepted sources that make a success (R21)."""
    raised = tuple(signal.reason for signal in signals)
    # R1: a signal that contradicts the bundle means that a room is broken, and wins over everything.
    if StopReason.SUCCESS_COMPLETED in raised or (StopReason.NO_SOURCE in raised and counted > 0):
        broken = Signal(reason=StopReason.INTERNAL_INCONSISTENCY, cause=Cause.IMPOSSIBLE_STATE, value=counted)
        signals = (*signals, broken)
        raised = (*raised, broken.reason)
    # INVARIANT 5: the first in the priority list wins; the list is data.
    stop = next((reason for reason in contract.stops.order if reason in raised), None)
    if stop is None:
        stop = StopReason.SUCCESS_COMPLETED if counted > 0 else StopReason.NO_SOURCE
    return Verdict(
        stop=stop,
        action=contract.actions.action(stop, counted == 0, clarified),
        signals=signals,
        retry_at_ms=_retry_at(signals) if stop is StopReason.RATE_LIMITED else None,
    )


def _retry_at(signals: tuple[Signal, ...]) -> int | None:
    moments = [s.retry_at_ms for s in signals if s.reason is StopReason.RATE_LIMITED and s.retry_at_ms is not None]
    return max(moments, default=None)
