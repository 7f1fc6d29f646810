"""Moments that a store's time stamps can tell apart."""

from __future__ import annotations

import time

__all__ = ["HOUR_MS", "later_ms", "now_ms"]

HOUR_MS = 3_600_000
_APART_S = 0.05  # a file system stamps with a clock that ticks every few milliseconds


def now_ms() -> int:
    """The time of day."""
    return time.time_ns() // 1_000_000


def later_ms() -> int:
    """A moment behind all that was done so far and before all that is done from here on."""
    time.sleep(_APART_S)
    moment = now_ms()
    time.sleep(_APART_S)
    return moment
