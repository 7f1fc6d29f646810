"""Why research ended: the closed vocabulary of stops, actions, causes and signals."""

from __future__ import annotations

from enum import StrEnum

from .models import FrozenModel

__all__ = ["Action", "Cause", "Signal", "StopReason"]


class StopReason(StrEnum):
    """The eleven codes of §4.1, in the priority order of §5 (a drift test compares both with the contract data)."""

    INTERNAL_INCONSISTENCY = "INTERNAL_INCONSISTENCY"
    SANDBOX_VIOLATION = "SANDBOX_VIOLATION"
    INJECTION_DETECTED = "INJECTION_DETECTED"
    ENTITLEMENT_CAP = "ENTITLEMENT_CAP"
    POLICY_DISABLED = "POLICY_DISABLED"
    RATE_LIMITED = "RATE_LIMITED"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"
    TIMEOUT = "TIMEOUT"
    VALIDATION_FAIL = "VALIDATION_FAIL"
    NO_SOURCE = "NO_SOURCE"
    SUCCESS_COMPLETED = "SUCCESS_COMPLETED"


class Action(StrEnum):
    """What the host does with the answer."""

    GROUNDED = "GROUNDED"
    ASK_CLARIFY = "ASK_CLARIFY"
    UNKNOWN = "UNKNOWN"
    BASELINE = "BASELINE"


class Cause(StrEnum):
    """What exactly raised a signal; for the operator's eyes."""

    CANCELLED = "cancelled"
    CAPS_INVALID = "caps_invalid"
    CHECK_FAILED = "check_failed"
    COLLECTION_NOT_GRANTED = "collection_not_granted"
    CONTRACT_VIOLATION = "contract_violation"
    DESTINATION_FORBIDDEN = "destination_forbidden"
    DIRECTIVE = "directive"
    ENVIRONMENT_UNKNOWN = "environment_unknown"
    FLAG_OFF = "flag_off"
    IMPOSSIBLE_STATE = "impossible_state"
    LOCK_MISMATCH = "lock_mismatch"
    NONE_ACCEPTED = "none_accepted"
    OPERATION_FORBIDDEN = "operation_forbidden"
    OUTPUT_TOO_LARGE = "output_too_large"
    PER_CALL_TIMEOUT = "per_call_timeout"
    RATE_WINDOW = "rate_window"
    TIER_NOT_GRANTED = "tier_not_granted"
    TIER_UNKNOWN = "tier_unknown"
    TOOL_ERROR = "tool_error"
    TOOL_OUTPUT_INVALID = "tool_output_invalid"
    TOTAL_CALLS = "total_calls"
    TOTAL_TIMEOUT = "total_timeout"
    TOTAL_UNITS = "total_units"
    UNEXPECTED_ERROR = "unexpected_error"
    UNSAFE_SOURCE = "unsafe_source"
    WORKER_KILLED = "worker_killed"


class Signal(FrozenModel):
    """One stop condition that held, with its numbers; never user text or source text."""

    reason: StopReason
    cause: Cause
    call_id: str = ""
    code: str = ""
    limit: int | None = None
    value: int | None = None
    retry_at_ms: int | None = None
