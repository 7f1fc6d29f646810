"""What the end of a tool call means: one outcome per call, and the signal that goes with it (R2, R16)."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import ValidationError

from ..kernel.calls import ToolCall
from ..kernel.caps import ToolEntry
from ..kernel.errors import (
    OutputTooLarge,
    SandboxViolation,
    ToolFailure,
    ToolResponseInvalid,
    ToolTimeout,
    ToolUnavailable,
)
from ..kernel.results import OutcomeStatus, RawItem, RawResult, UnavailableKind
from ..kernel.stops import Cause, Signal, StopReason
from .cutting import Ran

__all__ = ["Answer", "read_answer"]

_REASONS = {
    OutcomeStatus.FAILED: StopReason.VALIDATION_FAIL,
    OutcomeStatus.TIMED_OUT: StopReason.TIMEOUT,
    OutcomeStatus.VIOLATED: StopReason.SANDBOX_VIOLATION,
    OutcomeStatus.CRASHED: StopReason.INTERNAL_INCONSISTENCY,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A call's end, before the screen has seen its text."""

    status: OutcomeStatus
    spent_units: int
    raw: RawResult | None = None
    unavailable: UnavailableKind | None = None
    signal: Signal | None = None


def read_answer(call: ToolCall, entry: ToolEntry, ran: Ran[RawResult], limit_ms: int, cut_cause: Cause) -> Answer:
    """Turn a value, an error or a cut into an answer; what is not a result costs the full price."""
    if ran.cut:
        return _stopped(call, entry, OutcomeStatus.TIMED_OUT, cut_cause, limit=limit_ms, value=ran.elapsed_ms)
    if ran.error is not None:
        return _raised(call, entry, ran.error)
    try:
        raw = RawResult.model_validate(ran.value)
    except ValidationError:
        return _stopped(call, entry, OutcomeStatus.FAILED, Cause.TOOL_OUTPUT_INVALID)
    size = output_bytes(raw)
    if size > entry.max_output_bytes:
        cause = OutputTooLarge.cause
        return _stopped(call, entry, OutcomeStatus.VIOLATED, cause, limit=entry.max_output_bytes, value=size)
    if raw.spent_units > entry.price_units:
        cause = Cause.TOOL_OUTPUT_INVALID
        return _stopped(call, entry, OutcomeStatus.FAILED, cause, limit=entry.price_units, value=raw.spent_units)
    return Answer(OutcomeStatus(raw.status), raw.spent_units, raw=raw, unavailable=raw.unavailable)


def output_bytes(raw: RawResult) -> int:
    """How much text a tool handed over, in UTF-8."""
    return sum(len(part.encode()) for item in raw.items for part in _texts(item))


def _texts(item: RawItem) -> tuple[str, ...]:
    pairs = (part for pair in item.metadata for part in pair)
    return (item.locator, item.requested, item.title, item.snippet, item.body, *pairs, *item.hidden)


def _raised(call: ToolCall, entry: ToolEntry, error: BaseException) -> Answer:
    match error:
        case ToolUnavailable() if error.kind in tuple(UnavailableKind):
            return Answer(OutcomeStatus.UNAVAILABLE, 0, unavailable=UnavailableKind(error.kind))
        case ToolUnavailable() | ToolResponseInvalid():
            return _stopped(call, entry, OutcomeStatus.FAILED, Cause.TOOL_OUTPUT_INVALID)
        case ToolTimeout():
            return _stopped(call, entry, OutcomeStatus.TIMED_OUT, error.cause)
        case SandboxViolation():
            return _stopped(call, entry, OutcomeStatus.VIOLATED, error.cause)
        case ToolFailure():
            return _stopped(call, entry, OutcomeStatus.CRASHED, error.cause)
        case _:
            # An unforeseen error is never "nothing found": it says so, by its type and without its text.
            return _stopped(call, entry, OutcomeStatus.CRASHED, Cause.TOOL_ERROR, code=type(error).__name__)


def _stopped(
    call: ToolCall,
    entry: ToolEntry,
    status: OutcomeStatus,
    cause: Cause,
    code: str = "",
    limit: int | None = None,
    value: int | None = None,
) -> Answer:
    signal = Signal(reason=_REASONS[status], cause=cause, call_id=call.call_id, code=code, limit=limit, value=value)
    return Answer(status, entry.price_units, signal=signal)
