"""Why a session stopped: one sentence, and every signal in the order of priority with the winner marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ....kernel.contract import StopTable
from ....kernel.counting import counted
from ....kernel.stops import Cause, Signal, StopReason
from .shown_words import clock_time, millis, stop_family

__all__ = ["SignalRow", "StopWhy", "why_stopped"]


@dataclass(frozen=True, slots=True)
class SignalRow:
    """One condition that held."""

    priority: int
    reason: str
    family: str
    cause: str
    call_id: str
    code: str
    numbers: str
    wins: bool


@dataclass(frozen=True, slots=True)
class StopWhy:
    """The sentence and the signals behind it."""

    sentence: str
    signals: tuple[SignalRow, ...]


_FIXED: Final = {
    Cause.CANCELLED: "the caller went away or cancelled it",
    Cause.CAPS_INVALID: "the caps table cannot be used; put back a table that is valid and complete",
    Cause.CHECK_FAILED: "the check after the verdict found it inconsistent",
    Cause.COLLECTION_NOT_GRANTED: "the caller has no access to the collection that was asked",
    Cause.ENVIRONMENT_UNKNOWN: "the environment is not in the caps table",
    Cause.FLAG_OFF: "research is switched off in the settings (PORTCULLIS_RESEARCH)",
    Cause.IMPOSSIBLE_STATE: "signals and sources contradict each other",
    Cause.LOCK_MISMATCH: "frozen files do not match the lock; put the released files back",
    Cause.TIER_NOT_GRANTED: "the tier of the caller does not include research",
    Cause.TIER_UNKNOWN: "the tier of the caller is not in the caps table",
}
_OF_A_CALL: Final = {
    Cause.CONTRACT_VIOLATION: "a rule of the gate was broken{at}{code}",
    Cause.DESTINATION_FORBIDDEN: "a destination that is forbidden was asked for{at}",
    Cause.OPERATION_FORBIDDEN: "a forbidden operation was tried{at}{code}",
    Cause.OUTPUT_TOO_LARGE: "a tool handed over more than it may{at}",
    Cause.TOOL_ERROR: "a tool ended with an error that it must not have{at}{code}",
    Cause.TOOL_OUTPUT_INVALID: "a tool answered in a shape that it did not declare{at}",
    Cause.UNEXPECTED_ERROR: "something broke that must not break{code}",
    Cause.UNSAFE_SOURCE: "a candidate failed a safety check{at}{code}",
    Cause.WORKER_KILLED: "the process of a tool was killed{at}",
}


def why_stopped(
    stop: StopReason | None,
    signals: Sequence[Signal],
    stops: StopTable,
    *,
    calls: int,
    sources: int,
    broken_at: int | None = None,
) -> StopWhy:
    """The sentence that an operator reads first."""
    order = {entry.code: entry.priority for entry in stops.stop_reasons}
    ranked = sorted(signals, key=lambda signal: order[signal.reason])
    winner = next((signal for signal in ranked if signal.reason is stop), None)
    rows = tuple(_row(signal, order[signal.reason], wins=signal is winner) for signal in ranked)
    if stop is None and broken_at is not None:
        return StopWhy(f"The record breaks off at step {broken_at}, so why this session stopped is not known.", rows)
    return StopWhy(_sentence(stop, winner, ranked, calls=calls, sources=sources), rows)


def _sentence(
    stop: StopReason | None, winner: Signal | None, ranked: Sequence[Signal], *, calls: int, sources: int
) -> str:
    if stop is None:
        return "This session has not ended: it runs, or its process died and the next start will close it."
    if stop is StopReason.SUCCESS_COMPLETED:
        return f"No stop condition held: {counted(calls, 'call')}, and {counted(sources, 'source')} passed every check."
    if winner is None:
        return f"{stop.value}: no stop condition held, and {counted(calls, 'call')} brought no source that counts."
    beaten = list(dict.fromkeys(signal.reason.value for signal in ranked if signal.reason is not stop))
    won = f" won over {_listed(beaten)}" if beaten else ""
    return f"{stop.value}{won}: {_told(winner)}."


def _told(signal: Signal) -> str:
    """What held, with its numbers."""
    limit, value = signal.limit or 0, signal.value or 0
    match signal.cause:
        case Cause.RATE_WINDOW:
            free = f"; next free {clock_time(signal.retry_at_ms)} UTC" if signal.retry_at_ms is not None else ""
            return f"the next batch would make {counted(value, 'call')} in 60 s, and {limit} are allowed{free}"
        case Cause.TOTAL_CALLS:
            return f"the next batch would make {counted(value, 'call')} in all, and {limit} are allowed"
        case Cause.TOTAL_UNITS:
            return f"the next batch would bring the spend to {counted(value, 'unit')}, and {limit} are allowed"
        case Cause.TOTAL_TIMEOUT if signal.call_id:
            return f"call {signal.call_id} was cut when the time of the whole request was over"
        case Cause.TOTAL_TIMEOUT:
            return f"{millis(value)} had passed, and {millis(limit)} are allowed"
        case Cause.PER_CALL_TIMEOUT:
            return f"call {signal.call_id} was cut at {millis(limit)}, the limit of one call"
        case Cause.UNEXPECTED_ERROR if signal.code == "interrupted":
            return "its process went away before it ended, and a later start closed it"
        case Cause.DIRECTIVE:
            return f"an instruction was found in what call {signal.call_id} brought back ({signal.code})"
        case Cause.NONE_ACCEPTED:
            return f"{counted(value, 'candidate')} came back and none was accepted"
        case _:
            at = f" in call {signal.call_id}" if signal.call_id else ""
            code = f" ({signal.code})" if signal.code else ""
            told = _FIXED.get(signal.cause) or _OF_A_CALL.get(signal.cause, f"{signal.cause.value}{{at}}{{code}}")
            return told.format(at=at, code=code)


def _row(signal: Signal, priority: int, *, wins: bool) -> SignalRow:
    numbers = [
        f"{name} {value:,}" for name, value in (("limit", signal.limit), ("value", signal.value)) if value is not None
    ]
    if signal.retry_at_ms is not None:
        numbers.append(f"next free {clock_time(signal.retry_at_ms)} UTC")
    return SignalRow(
        priority=priority,
        reason=signal.reason.value,
        family=stop_family(signal.reason),
        cause=signal.cause.value,
        call_id=signal.call_id,
        code=signal.code,
        numbers=", ".join(numbers),
        wins=wins,
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
