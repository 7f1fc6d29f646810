"""Words, numbers and moments as the console shows them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from ....kernel.calls import ParamValue
from ....kernel.results import OutcomeStatus
from ....kernel.stops import StopReason
from ....screen.carriers import is_carrier

__all__ = ["age", "calls_family", "clock_time", "day_time", "millis", "param_text", "short", "stop_family", "visible"]

_FAMILIES: Final = {
    StopReason.INTERNAL_INCONSISTENCY: "security",
    StopReason.SANDBOX_VIOLATION: "security",
    StopReason.INJECTION_DETECTED: "security",
    StopReason.ENTITLEMENT_CAP: "access",
    StopReason.POLICY_DISABLED: "access",
    StopReason.SUCCESS_COMPLETED: "success",
}
_CALLS: Final = {
    OutcomeStatus.OK: "success",
    OutcomeStatus.EMPTY: "access",
    OutcomeStatus.UNAVAILABLE: "limit",
    OutcomeStatus.TIMED_OUT: "limit",
}
_UNITS: Final = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"))
_PARAM_CHARS: Final = 400


def stop_family(stop: StopReason | None) -> str:
    """Which colour a stop has; its word always stands beside it."""
    return "open" if stop is None else _FAMILIES.get(stop, "limit")


def calls_family(status: OutcomeStatus) -> str:
    """Which colour the end of a call has."""
    return _CALLS.get(status, "security")


def millis(value: int) -> str:
    """A duration: `840 ms`, `12.4 s`, `2 min 5 s`."""
    if value < 1_000:
        return f"{value} ms"
    if value < 60_000:
        return f"{value // 1_000} s" if value % 1_000 == 0 else f"{value / 1_000:.1f} s"
    seconds = value // 1_000 % 60
    return f"{value // 60_000} min {seconds} s" if seconds else f"{value // 60_000} min"


def age(then_ms: int, now_ms: int) -> str:
    """How long ago something was, in one unit."""
    passed = max(0, now_ms - then_ms)
    for size, name in _UNITS:
        if passed >= size:
            return f"{passed // size} {name}"
    return "now"


def clock_time(at_ms: int) -> str:
    """The time of day, in UTC."""
    return datetime.fromtimestamp(at_ms / 1_000, UTC).strftime("%H:%M:%S")


def day_time(at_ms: int) -> str:
    """Day and time, in UTC."""
    return datetime.fromtimestamp(at_ms / 1_000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def short(digest: str) -> str:
    """The first characters of a hash or an id."""
    return digest[:12]


def visible(text: str) -> str:
    """A text of others with everything that a reader would not see written out as `[U+202E]`."""
    return "".join(
        f"[U+{ord(one):04X}]"
        if one not in "\n\t" and (is_carrier(one) or ord(one) < 32 or 127 <= ord(one) < 160)
        else one
        for one in text
    )


def param_text(value: ParamValue) -> str:
    """A parameter of a call in one line."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, tuple):
        return ", ".join(param_text(one) for one in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {param_text(one)}" for name, one in value.items())
    text = visible(str(value))
    return text if len(text) <= _PARAM_CHARS else f"{text[:_PARAM_CHARS]} ..."
