"""When a provider may be asked again: its rate by its row or its own headers, and the pauses that it asked for."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from ..kernel.ports import Clock
from ..kernel.providers import ProviderEntry, RatePolicy
from ..parsing.http.rate_fields import RateSaid

__all__ = ["ProviderPace"]

_LONGEST_PAUSE_S: Final = 600
# Without a Retry-After: twice as long each time, until it answers again.
_FIRST_PAUSE_S: Final = 2
_LONGEST_GUESS_S: Final = 64


@dataclass(slots=True)
class _Pace:
    taken: deque[int] = field(default_factory=deque)
    closed_until_ms: int = 0
    rate: RatePolicy | None = None
    """What its headers said last; it takes the place of the row's."""
    throttled: int = 0
    """How often in a row it said that it was asked too often."""


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
            rate = pace.rate or entry.rate
            now_ms = self._clock.now_ms()
            at_ms = max(now_ms, pace.closed_until_ms)
            if len(pace.taken) >= rate.requests:
                at_ms = max(at_ms, pace.taken[-rate.requests] + rate.per_ms)
            if at_ms - now_ms > patience_ms:
                return None
            pace.taken.append(at_ms)
            while len(pace.taken) > rate.requests:
                pace.taken.popleft()
            return at_ms - now_ms

    def heard(self, entry: ProviderEntry, said: RateSaid | None) -> None:
        """Take what the headers of an answer say about the rate; they vary with key, pool and day."""
        if said is None:
            return
        with self._lock:
            pace = self._paces.setdefault(entry.name, _Pace())
            if said.requests and said.per_ms:
                pace.rate = RatePolicy(requests=min(said.requests, 10_000), per_ms=said.per_ms)
            if said.wait_ms:
                until_ms = self._clock.now_ms() + min(said.wait_ms, 1000 * _LONGEST_PAUSE_S)
                pace.closed_until_ms = max(pace.closed_until_ms, until_ms)

    def answered(self, entry: ProviderEntry) -> None:
        """It answered: whatever pauses it asked for before do not grow any more."""
        with self._lock:
            self._paces.setdefault(entry.name, _Pace()).throttled = 0

    def throttled(self, entry: ProviderEntry, retry_after_s: int | None) -> None:
        """It was asked too often: leave it alone for as long as it asks, or for a guess that grows each time."""
        with self._lock:
            pace = self._paces.setdefault(entry.name, _Pace())
            pace.throttled += 1
            guess_s = min(_FIRST_PAUSE_S << min(pace.throttled - 1, 10), _LONGEST_GUESS_S)
        self.close_for(entry, guess_s if retry_after_s is None else retry_after_s)

    def used_up(self, entry: ProviderEntry, retry_after_s: int | None) -> None:
        """Its quota is used up: that does not pass within seconds."""
        self.close_for(entry, _LONGEST_PAUSE_S if retry_after_s is None else retry_after_s)

    def close_for(self, entry: ProviderEntry, seconds: int) -> None:
        """Leave a provider alone for as long as it asks, ten minutes at most."""
        until_ms = self._clock.now_ms() + 1000 * min(seconds, _LONGEST_PAUSE_S)
        with self._lock:
            pace = self._paces.setdefault(entry.name, _Pace())
            pace.closed_until_ms = max(pace.closed_until_ms, until_ms)

    def closed_for_s(self, entry: ProviderEntry) -> int:
        """How many seconds a provider still wants to be left alone, rounded up."""
        with self._lock:
            pace = self._paces.get(entry.name, _Pace())
            return max(0, -(-(pace.closed_until_ms - self._clock.now_ms()) // 1000))
