"""Reads what a service's header fields say about its rate limit: how many requests, in which time, what is left."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from .fields import Fields, field_value, whole_number

__all__ = ["RATE_FIELDS", "RateSaid", "rate_said"]

RATE_FIELDS: Final = frozenset({
    "ratelimit", "ratelimit-limit", "ratelimit-policy", "ratelimit-remaining", "ratelimit-reset",
    "x-rate-limit-interval", "x-rate-limit-limit", "x-rate-limit-remaining", "x-rate-limit-reset",
    "x-ratelimit-limit", "x-ratelimit-policy", "x-ratelimit-remaining", "x-ratelimit-reset",
})  # fmt: skip
_PREFIXES: Final = ("ratelimit", "x-ratelimit", "x-rate-limit")
_INTERVAL: Final = re.compile(r"([0-9]{1,9})\s*(ms|s|m|h|d)?")
_UNITS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_PAIR: Final = re.compile(r"(?:^|[;,\s])(limit|remaining|reset|q|w|r|t)\s*=\s*([0-9]{1,12})")
_EPOCH_S: Final = 10**9
_EPOCH_MS: Final = 10**12
_MOST: Final = 4
_LONGEST: Final = 400
_LONGEST_MS: Final = 86_400_000


@dataclass(frozen=True, slots=True)
class RateSaid:
    """What the fields say; None where they are silent."""

    requests: int | None = None
    """Of the shortest window, together with `per_ms`."""
    per_ms: int | None = None
    left: int | None = None
    """The fewest of all windows."""
    wait_ms: int | None = None
    """Until a window that is used up begins again."""


def rate_said(fields: Fields, now_ms: int) -> RateSaid | None:
    """What is said under the usual names: `RateLimit`, `X-RateLimit-...` with several windows, `X-Rate-Limit-...`.

    A reset is a number of seconds, or a time since the epoch where it is too large for that. Nonsense is nothing.
    """
    limits, left, resets, window = _named(fields)
    if not (limits or left):
        return None
    waits = [_wait_ms(reset, now_ms) for reset in resets]
    used_up = [(waits[place] if place < len(waits) else None) for place, remaining in enumerate(left) if remaining == 0]
    known = [wait for wait in used_up if wait is not None]
    return RateSaid(
        requests=limits[0] if limits and limits[0] and window else None,
        per_ms=window if limits and limits[0] and window else None,
        left=min(left) if left else None,
        wait_ms=max(known) if known else None,
    )


def _named(fields: Fields) -> tuple[list[int], list[int], list[int], int | None]:
    """Limits, remaining requests and resets, window by window, and the length of the first window."""
    joined = field_value(fields, "ratelimit")[:_LONGEST]
    if joined:
        said = dict(_PAIR.findall(joined))
        pick = [[int(said[name]) for name in names if name in said] for names in _JOINED]
        return pick[0][:1], pick[1][:1], pick[2][:1], _policy(field_value(fields, "ratelimit-policy"))
    for prefix in _PREFIXES:
        limit, left, reset = (
            _numbers(field_value(fields, f"{prefix}-{name}")) for name in ("limit", "remaining", "reset")
        )
        if limit or left:
            window = _interval(field_value(fields, f"{prefix}-interval"))
            policy = field_value(fields, f"{prefix}-policy") or field_value(fields, f"{prefix}-limit")
            return limit, left, reset, window or _policy(policy)
    return [], [], [], None


_JOINED: Final = (("limit", "q"), ("remaining", "r"), ("reset", "t"))


def _numbers(text: str) -> list[int]:
    """`1, 15000` as two windows; a limit may carry its window with it (`10;w=1`)."""
    found = (whole_number(part.partition(";")[0]) for part in text[:_LONGEST].split(",")[:_MOST])
    numbers = list(found)
    return [number for number in numbers if number is not None] if None not in numbers else []


def _policy(text: str) -> int | None:
    """The length of the first window of `1;w=1, 15000;w=2592000`."""
    for part in text[:_LONGEST].split(",")[:1]:
        seconds = dict(_PAIR.findall(part)).get("w")
        if seconds and 0 < int(seconds) * 1_000 <= _LONGEST_MS:
            return int(seconds) * 1_000
    return None


def _interval(text: str) -> int | None:
    """The length of a window as Crossref writes it: `1s`."""
    found = _INTERVAL.fullmatch(text.strip().lower()[:20])
    if found is None:
        return None
    length = int(found.group(1)) * _UNITS[found.group(2) or "s"]
    return length if 0 < length <= _LONGEST_MS else None


def _wait_ms(reset: int, now_ms: int) -> int:
    if reset >= _EPOCH_MS:
        return max(0, reset - now_ms)
    return max(0, reset * 1_000 - now_ms) if reset >= _EPOCH_S else reset * 1_000
