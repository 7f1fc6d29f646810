"""What the end of a tool call means: one outcome per call, and the signal that goes with it (R2, R16).

First `take` reads what came from outside into values that can be journalled; `read_answer` judges those, so that a
replay judges the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import ValidationError

from ..kernel.calls import ToolCall
from ..kernel.catalog import ToolEntry
from ..kernel.errors import (
    OutputTooLarge,
    SandboxViolation,
    ToolFailure,
    ToolResponseInvalid,
    ToolTimeout,
    ToolUnavailable,
)
from ..kernel.journal_records import CallInput, Raised
from ..kernel.results import OutcomeStatus, RawItem, RawResult, SourceKind, UnavailableKind
from ..kernel.stops import Cause, Signal, StopReason
from .time_limits import Ran

__all__ = ["LOST", "WITHDRAWN", "CallResult", "TakenResult", "read_answer", "remembered", "take"]

_REASONS = {
    OutcomeStatus.FAILED: StopReason.VALIDATION_FAIL,
    OutcomeStatus.TIMED_OUT: StopReason.TIMEOUT,
    OutcomeStatus.VIOLATED: StopReason.SANDBOX_VIOLATION,
    OutcomeStatus.CRASHED: StopReason.INTERNAL_INCONSISTENCY,
}


@dataclass(frozen=True, slots=True)
class CallResult:
    """A call's end, before the screen has seen its text."""

    status: OutcomeStatus
    spent_units: int
    raw: RawResult | None = None
    unavailable: UnavailableKind | None = None
    signal: Signal | None = None


@dataclass(frozen=True, slots=True)
class TakenResult:
    """A call's end as values: what is journalled, and the tool's answer where it gave one."""

    input: CallInput
    raw: RawResult | None = None


# R19: a write that was under way when the process died may have happened, so it is never tried again.
LOST = TakenResult(CallInput(ended="lost", elapsed_ms=0))
# R22: a session that goes on does not call a tool that left the catalogue meanwhile; that is a gap, not a fault.
WITHDRAWN = TakenResult(
    CallInput(
        ended="raised",
        elapsed_ms=0,
        raised=Raised(status=OutcomeStatus.UNAVAILABLE, unavailable=UnavailableKind.BLOCKED),
    )
)


def take(entry: ToolEntry, ran: Ran[RawResult], keep: Callable[[bytes], str]) -> TakenResult:
    """Read a value, an error or a cut; an answer of the right type and size goes to the content store."""
    if ran.cut:
        return TakenResult(CallInput(ended="cut", elapsed_ms=ran.elapsed_ms))
    if ran.error is not None:
        return TakenResult(CallInput(ended="raised", elapsed_ms=ran.elapsed_ms, raised=_raised(ran.error)))
    try:
        raw = RawResult.model_validate(ran.value)
    except ValidationError:
        return TakenResult(CallInput(ended="invalid", elapsed_ms=ran.elapsed_ms))
    size = output_bytes(raw)
    if size > entry.max_output_bytes:
        return TakenResult(CallInput(ended="too_large", elapsed_ms=ran.elapsed_ms, size=size))
    # Bytes that are stored and read back, never made again, need no canonical form, which takes four times as long.
    kept = keep(raw.model_dump_json().encode())
    fetched = tuple(dict.fromkeys(item.content_hash for item in raw.items if _read_from_bytes(item)))
    return TakenResult(
        CallInput(ended="answered", elapsed_ms=ran.elapsed_ms, size=size, raw=kept, fetched=fetched), raw
    )


def remembered(given: CallInput, content: bytes | None) -> TakenResult:
    """The same from the record of a session; the content store has checked the bytes."""
    return TakenResult(given, None if content is None else RawResult.model_validate_json(content))


def read_answer(call: ToolCall, entry: ToolEntry, taken: TakenResult, limit_ms: int, cut_cause: Cause) -> CallResult:
    """Judge a call's end; what is not a result costs the full price."""
    given, raw = taken.input, taken.raw
    match given.ended:
        case "cut":
            return _stopped(call, entry, OutcomeStatus.TIMED_OUT, cut_cause, limit=limit_ms, value=given.elapsed_ms)
        case "too_large":
            cause, limit = OutputTooLarge.cause, entry.max_output_bytes
            return _stopped(call, entry, OutcomeStatus.VIOLATED, cause, limit=limit, value=given.size)
        case "lost":
            return _stopped(call, entry, OutcomeStatus.CRASHED, Cause.TOOL_ERROR, code=given.ended)
    if given.raised is not None:
        raised = given.raised
        if raised.cause is None:
            return CallResult(raised.status, 0, unavailable=raised.unavailable)
        return _stopped(call, entry, raised.status, raised.cause, code=raised.code)
    if raw is None:
        return _stopped(call, entry, OutcomeStatus.FAILED, Cause.TOOL_OUTPUT_INVALID)
    if raw.spent_units > entry.price_units:
        cause = Cause.TOOL_OUTPUT_INVALID
        return _stopped(call, entry, OutcomeStatus.FAILED, cause, limit=entry.price_units, value=raw.spent_units)
    return CallResult(OutcomeStatus(raw.status), raw.spent_units, raw=raw, unavailable=raw.unavailable)


def output_bytes(raw: RawResult) -> int:
    """How much text a tool handed over, in UTF-8."""
    return sum(len(part.encode()) for item in raw.items for part in _texts(item))


def _read_from_bytes(item: RawItem) -> bool:
    """Whether the tool has put the bytes behind an item into the content store: a page, or a record of a service."""
    return item.kind is SourceKind.FETCHED or item.payload == "record"


def _texts(item: RawItem) -> tuple[str, ...]:
    pairs = (part for pair in item.metadata for part in pair)
    return (item.locator, item.requested, item.title, item.snippet, item.body, *pairs, *item.hidden)


def _raised(error: BaseException) -> Raised:
    match error:
        case ToolUnavailable() if error.kind in tuple(UnavailableKind):
            return Raised(status=OutcomeStatus.UNAVAILABLE, unavailable=UnavailableKind(error.kind))
        case ToolUnavailable() | ToolResponseInvalid():
            return Raised(status=OutcomeStatus.FAILED, cause=Cause.TOOL_OUTPUT_INVALID)
        case ToolTimeout():
            return Raised(status=OutcomeStatus.TIMED_OUT, cause=error.cause)
        case SandboxViolation():
            return Raised(status=OutcomeStatus.VIOLATED, cause=error.cause)
        case ToolFailure():
            return Raised(status=OutcomeStatus.CRASHED, cause=error.cause)
        case _:
            # An unforeseen error is never "nothing found": it says so, by its type and without its text.
            return Raised(status=OutcomeStatus.CRASHED, cause=Cause.TOOL_ERROR, code=type(error).__name__)


def _stopped(
    call: ToolCall,
    entry: ToolEntry,
    status: OutcomeStatus,
    cause: Cause,
    code: str = "",
    limit: int | None = None,
    value: int | None = None,
) -> CallResult:
    signal = Signal(reason=_REASONS[status], cause=cause, call_id=call.call_id, code=code, limit=limit, value=value)
    return CallResult(status, entry.price_units, signal=signal)
