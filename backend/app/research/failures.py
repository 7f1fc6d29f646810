"""The one mapping of stop reasons to the failures that a caller sees (R18)."""

from __future__ import annotations

from typing import Final, assert_never

from ..kernel.failure import ErrorDetail, Failure, SuggestedAction
from ..kernel.outcome import ResearchOutcome
from ..kernel.stops import StopReason

__all__ = ["failure_of", "failure_of_stop", "rate_limited", "unavailable"]

_RETRY_SECONDS: Final = 60


def failure_of(outcome: ResearchOutcome) -> Failure | None:
    """The failure of a stopped session; None where its capability has the word: a success, or nothing found."""
    return failure_of_stop(outcome.verdict.stop, _retry_after(outcome))


def failure_of_stop(stop: StopReason, retry_after_seconds: int | None = None) -> Failure | None:
    """The same for a stop alone; the three security stops look alike (R14)."""
    match stop:
        case StopReason.SUCCESS_COMPLETED | StopReason.NO_SOURCE | StopReason.VALIDATION_FAIL:
            return None
        case StopReason.RATE_LIMITED:
            return rate_limited(retry_after_seconds)
        case StopReason.BUDGET_EXHAUSTED | StopReason.TIMEOUT:
            return unavailable(retryable=True)
        case StopReason.ENTITLEMENT_CAP | StopReason.POLICY_DISABLED:
            detail = ErrorDetail(kind="config", retryable=False, suggested_action="check_configuration")
            return Failure(message="Not available for this tier or environment.", error=detail)
        case StopReason.INTERNAL_INCONSISTENCY | StopReason.SANDBOX_VIOLATION | StopReason.INJECTION_DETECTED:
            return unavailable(retryable=False)
        case other:
            assert_never(other)


def rate_limited(after: int | None) -> Failure:
    """Too many calls within a minute."""
    return Failure(
        message=f"Rate limited. Retry in {after or _RETRY_SECONDS} seconds.",
        error=ErrorDetail(
            kind="rate_limited", retryable=True, suggested_action="retry_after_delay", retry_after_seconds=after
        ),
    )


def unavailable(*, retryable: bool) -> Failure:
    """The request could not be completed; nothing is said about why."""
    action: SuggestedAction = "retry" if retryable else "try_alternative_source"
    detail = ErrorDetail(kind="upstream_unavailable", retryable=retryable, suggested_action=action)
    return Failure(message="Not available: the request could not be completed.", error=detail)


def _retry_after(outcome: ResearchOutcome) -> int | None:
    moment = outcome.verdict.retry_at_ms
    if moment is None:
        return None
    return max(1, -(-(moment - outcome.started_at_ms - outcome.elapsed_ms) // 1000))
