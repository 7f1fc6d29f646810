"""A circuit breaker per provider: who fails again and again is left alone for a while, then asked by one probe."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Final, Literal

from ..kernel.ports import Clock
from ..kernel.providers import Fault

__all__ = ["COUNTED_FAULTS", "BreakerState", "ProviderBreakers"]

BreakerState = Literal["closed", "half_open", "open"]
# R36: only time-outs and server errors; what a caller's own request provoked says nothing about the service.
COUNTED_FAULTS: Final = (Fault.PROVIDER_DOWN, Fault.SLOW, Fault.UNREACHABLE)
# An answer that is not understood says nothing either way; every other refusal is a sign of life.
_NEUTRAL: Final = (Fault.BLOCKED, Fault.REFUSED_DESTINATION, Fault.TOO_LARGE, Fault.UNREADABLE)
_FAILURES_IN_A_ROW: Final = 5
_FIRST_PAUSE_MS: Final = 30_000
_LONGEST_PAUSE_MS: Final = 300_000
# A probe that never reports back does not keep the others out for longer than a call can last.
_PROBE_MS: Final = 15_000


@dataclass(slots=True)
class _Breaker:
    failures: int = 0
    pause_ms: int = _FIRST_PAUSE_MS
    open_until_ms: int | None = None
    """None while it is closed."""
    probe_until_ms: int = 0


class ProviderBreakers:
    """The breakers of all providers, for all sessions of a process together."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._breakers: dict[str, _Breaker] = {}
        self._lock = Lock()  # for hosts with several threads

    def state(self, name: str) -> BreakerState:
        """How it stands, without taking part in it."""
        with self._lock:
            return self._state(self._breakers.get(name), self._clock.now_ms())

    def open_now(self) -> tuple[str, ...]:
        """The providers that are not asked at this moment, by name."""
        with self._lock:
            now_ms = self._clock.now_ms()
            return tuple(sorted(name for name, one in self._breakers.items() if self._state(one, now_ms) == "open"))

    def admit(self, name: str) -> BreakerState:
        """`closed`: ask; `half_open`: ask, as the one probe; `open`: do not ask."""
        with self._lock:
            breaker, now_ms = self._breakers.setdefault(name, _Breaker()), self._clock.now_ms()
            state = self._state(breaker, now_ms)
            if state == "half_open":
                breaker.probe_until_ms = now_ms + _PROBE_MS
            return state

    def open_for_s(self, name: str) -> int:
        """In how many seconds a probe may ask it, rounded up; 0 where it may be asked now."""
        with self._lock:
            breaker = self._breakers.get(name)
            if breaker is None or breaker.open_until_ms is None:
                return 0
            ends_ms = max(breaker.open_until_ms, breaker.probe_until_ms)
            return max(0, -(-(ends_ms - self._clock.now_ms()) // 1000))

    def report(self, name: str, fault: Fault | None) -> None:
        """What became of a request that was admitted; None is an answer."""
        with self._lock:
            breaker, now_ms = self._breakers.setdefault(name, _Breaker()), self._clock.now_ms()
            probed, breaker.probe_until_ms = breaker.probe_until_ms > 0, 0
            if fault in COUNTED_FAULTS:
                breaker.failures += 1
                if probed:
                    breaker.pause_ms = min(2 * breaker.pause_ms, _LONGEST_PAUSE_MS)
                if probed or breaker.failures >= _FAILURES_IN_A_ROW:
                    breaker.open_until_ms = now_ms + breaker.pause_ms
            elif fault not in _NEUTRAL:
                self._breakers[name] = _Breaker()

    def withdraw(self, name: str) -> None:
        """The request was not made, or nobody waited for its end: the next may be the probe."""
        with self._lock:
            if name in self._breakers:
                self._breakers[name].probe_until_ms = 0

    @staticmethod
    def _state(breaker: _Breaker | None, now_ms: int) -> BreakerState:
        if breaker is None or breaker.open_until_ms is None:
            return "closed"
        return "open" if now_ms < max(breaker.open_until_ms, breaker.probe_until_ms) else "half_open"
