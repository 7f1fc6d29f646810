"""Audiences: three projections of one outcome; what is not projected is not shown (R14, R18)."""

from __future__ import annotations

from typing import Final

from ..kernel.calls import Ended
from ..kernel.errors import RequestInvalid
from ..kernel.failure import ErrorKind
from ..kernel.models import FrozenModel, Text
from ..kernel.outcome import Gap, GapKind, ResearchOutcome
from ..kernel.request import Principal
from ..kernel.results import CallOutcome, Source, UnavailableKind
from ..kernel.stops import Action, StopReason
from .failures import failure_of

__all__ = [
    "OPERATOR_SCOPE",
    "CallerError",
    "CallerView",
    "Cost",
    "EndUserView",
    "for_caller",
    "for_end_user",
    "for_operator",
    "gaps_of",
]

OPERATOR_SCOPE = "operator"
_SECURITY: Final = (
    StopReason.INTERNAL_INCONSISTENCY,
    StopReason.SANDBOX_VIOLATION,
    StopReason.INJECTION_DETECTED,
)


class EndUserView(FrozenModel):
    """Chat text: the fixed text of the action and, when grounded, the sources."""

    action: Action
    text: Text
    sources: tuple[Source, ...]


class CallerError(FrozenModel):
    """Why there is no result, in words that tell nothing about the inside."""

    kind: ErrorKind
    retryable: bool
    retry_after_seconds: int | None = None


class Cost(FrozenModel):
    """What the request cost."""

    tool_calls: int
    units: int
    wall_time_ms: int


class CallerView(FrozenModel):
    """Library, MCP, command line, HTTP API: the result, its gaps and its cost; no stop code and no cap."""

    contract_version: str
    session_id: str
    capability: str
    action: Action
    text: Text
    sources: tuple[Source, ...]
    gaps: tuple[Gap, ...]
    hints: tuple[str, ...]
    budget_exhausted: bool
    error: CallerError | None
    cost: Cost


def for_end_user(outcome: ResearchOutcome) -> EndUserView:
    """What a person in a chat may see."""
    return EndUserView(action=outcome.verdict.action, text=outcome.text, sources=outcome.bundle.sources)


def for_caller(outcome: ResearchOutcome, hints: tuple[str, ...] = ()) -> CallerView:
    """What a program that asked may see; `hints` are those of its capability, told where nothing was found."""
    stop = outcome.verdict.stop
    empty = stop in (StopReason.NO_SOURCE, StopReason.VALIDATION_FAIL)
    # INVARIANT 3.6: the three security stops look alike from outside, also in what they cost.
    alike = stop in _SECURITY
    calls, units = (0, 0) if alike else (len(outcome.outcomes), outcome.spent_units)
    return CallerView(
        contract_version=outcome.contract_version,
        session_id=outcome.session_id,
        capability=outcome.capability,
        action=outcome.verdict.action,
        text=outcome.text,
        sources=outcome.bundle.sources,
        gaps=() if alike else outcome.gaps,
        hints=hints if empty else (),
        budget_exhausted=outcome.ended is Ended.LIMIT,
        error=_error(outcome),
        cost=Cost(tool_calls=calls, units=units, wall_time_ms=outcome.elapsed_ms),
    )


def for_operator(outcome: ResearchOutcome, principal: Principal) -> ResearchOutcome:
    """Everything, for those whom the host has given the scope.

    Raises:
        RequestInvalid: the principal does not carry the operator's scope.
    """
    if OPERATOR_SCOPE not in principal.scopes:
        raise RequestInvalid(f"the view of an operator needs the scope `{OPERATOR_SCOPE}`")
    return outcome


def gaps_of(outcomes: tuple[CallOutcome, ...]) -> tuple[Gap, ...]:
    """Every unavailable call becomes a gap (R3)."""
    return tuple(
        Gap(kind=_GAPS[outcome.unavailable], detail=outcome.unavailable.value, call_id=outcome.call_id)
        for outcome in outcomes
        if outcome.unavailable is not None
    )


_GAPS: dict[UnavailableKind, GapKind] = {
    UnavailableKind.AUTH: "access_denied",
    UnavailableKind.PAYWALL: "access_denied",
    UnavailableKind.ROBOTS: "access_denied",
    UnavailableKind.BLOCKED: "access_denied",
    UnavailableKind.REFUSED_DESTINATION: "access_denied",
    UnavailableKind.UNREACHABLE: "source_not_found",
    UnavailableKind.SLOW: "source_not_found",
    UnavailableKind.RATE_LIMITED: "source_not_found",
    UnavailableKind.PROVIDER_DOWN: "source_not_found",
    UnavailableKind.TOO_LARGE: "scope_exceeded",
    UnavailableKind.UNREADABLE: "scope_exceeded",
}


def _error(outcome: ResearchOutcome) -> CallerError | None:
    failed = failure_of(outcome)
    if failed is None:
        return None
    detail = failed.error
    return CallerError(kind=detail.kind, retryable=detail.retryable, retry_after_seconds=detail.retry_after_seconds)
