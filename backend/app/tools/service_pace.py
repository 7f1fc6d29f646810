"""When a provider may be asked again: its row's rate, and the pause that it asked for itself."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from ..kernel.ports import Clock
from ..kernel.providers import ProviderEntry

__all__ = ["ProviderPace"]

_LONGEST_PAUSE_S: Final = 600


@dataclass(slots=True)
class _Pace:
    taken: deque[int] = field(default_factory=deque)
    closed_until_ms: int = 0


class ProviderPace:
    """The turns of every provider, for all sessions of a process together."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._paces: dict[str, _Pace] = {}
        self._lock = Lock()  # for hosts with several threads

    def take_turn(self, entry: ProviderEntry, patience_ms: int) -> int | None:
        """The milliseconds to wait before the request, whose turn is then taken; None where that is too long."""
        with self._lock:
            pace = self._paces.setdefault(entry.name, _Pace())
            now_ms = self._clock.now_ms()
            at_ms = max(now_ms, pace.closed_until_ms)
            if len(pace.taken) >= entry.rate.requests:
                at_ms = max(at_ms, pace.taken[-entry.rate.requests] + entry.rate.per_ms)
            if at_ms - now_ms > patience_ms:
                return None
            pace.taken.append(at_ms)
            while len(pace.taken) > entry.rate.requests:
                pace.taken.popleft()
            return at_ms - now_ms

    def close_for(self, entry: ProviderEntry, seconds: int) -> None:
        """Leave a provider alone for as long as it asks, ten minutes at most."""
        until_ms = self._clock.now_ms() + 1000 * min(seconds, _LONGEST_PAUSE_S)
        with self._lock:
            pace = self._paces.setdefault(entry.name, _Pace())
            pace.closed_until_ms = max(pace.closed_until_ms, until_ms)

    def closed_for_s(self, entry: ProviderEntry) -> int:
        """How many seconds a provider still wants to be left alone, rounded up."""
        pace = self._paces.setdefault(entry.name, _Pace())
        return max(0, -(-(pace.closed_until_ms - self._clock.now_ms()) // 1000))
