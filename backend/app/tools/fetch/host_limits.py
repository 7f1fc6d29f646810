"""Manners towards each host: few requests at once, a pause between them, and none for a while after many failures."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Annotated, Final, Literal

from pydantic import Field

from ...kernel.models import FrozenModel
from ...kernel.ports import Clock
from ..waiting import WaitingLine

__all__ = ["HostLimits", "Hosts", "TurnTooLate"]

_REMEMBERED: Final = 2_048

Positive = Annotated[int, Field(gt=0)]


class HostLimits(FrozenModel):
    """What one host is asked to bear, from all sessions of this process together."""

    at_once: Positive = 4
    pause_ms: Annotated[int, Field(ge=0)] = 200
    failures_in_a_row: Positive = 5
    closed_for_ms: Positive = 30_000


class TurnTooLate(Exception):
    """The next turn comes later than the caller can wait."""


@dataclass(slots=True)
class _Host:
    free: int
    waiting: WaitingLine[Literal[True]] = field(default_factory=WaitingLine)
    users: int = 0
    next_at_ms: int = 0
    pause_ms: int = 0
    failures: int = 0
    closed_until_ms: int = 0


class Hosts:
    """Every host that was asked lately, from any thread and event loop; the oldest are forgotten."""

    def __init__(self, clock: Clock, limits: HostLimits) -> None:
        self._clock = clock
        self._limits = limits
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._lock = Lock()

    def admits(self, host: str) -> bool:
        """Whether the host may be asked; after its pause one caller may, and the others wait for what it finds."""
        with self._lock:
            known = self._hosts.get(host)
            if known is None or known.failures < self._limits.failures_in_a_row:
                return True
            now_ms = self._clock.now_ms()
            if now_ms < known.closed_until_ms:
                return False
            known.closed_until_ms = now_ms + self._limits.closed_for_ms
            return True

    def succeeded(self, host: str) -> None:
        """It answered: whatever was held against it is forgotten."""
        with self._lock:
            self._host(host).failures = 0

    def failed(self, host: str) -> None:
        """It did not answer, or broke down."""
        with self._lock:
            known = self._host(host)
            known.failures += 1
            if known.failures >= self._limits.failures_in_a_row:
                known.closed_until_ms = self._clock.now_ms() + self._limits.closed_for_ms

    def ask_for_pause(self, host: str, pause_ms: int) -> None:
        """The site's own wish, from its robots.txt; it can only make us slower."""
        with self._lock:
            known = self._host(host)
            if pause_ms > known.pause_ms:  # told only now: it counts from this request on
                known.next_at_ms = max(known.next_at_ms, self._clock.now_ms() + pause_ms)
            known.pause_ms = pause_ms

    @asynccontextmanager
    async def turn(self, host: str, patience_ms: int, *, paced: bool = True) -> AsyncIterator[int]:
        """Wait for a turn; the value is how long that took. Who is not paced keeps only the pause that the site asks.

        Raises:
            TurnTooLate: the host's pause alone is longer than the patience.
        """
        with self._lock:
            known = self._host(host)
            known.users += 1
        asked_ms = self._clock.now_ms()
        try:
            await self._enter(known)
            try:
                with self._lock:
                    now_ms = self._clock.now_ms()
                    at_ms = max(now_ms, known.next_at_ms)
                    if at_ms - asked_ms > patience_ms:
                        raise TurnTooLate(host)
                    known.next_at_ms = at_ms + max(self._limits.pause_ms if paced else 0, known.pause_ms)
                if at_ms > now_ms:
                    await asyncio.sleep((at_ms - now_ms) / 1000)
                yield self._clock.now_ms() - asked_ms
            finally:
                self._leave(known)
        finally:
            with self._lock:
                known.users -= 1

    async def _enter(self, host: _Host) -> None:
        with self._lock:
            if host.free:
                host.free -= 1
                return
            waiter = host.waiting.join()
        try:
            await waiter.wait()
        except BaseException:
            with self._lock:
                given = host.waiting.leave(waiter)
            if given:
                self._leave(host)  # it was given in the very moment of the cancellation
            raise

    def _leave(self, host: _Host) -> None:
        with self._lock:
            if not host.waiting.hand(True):
                host.free += 1

    def _host(self, name: str) -> _Host:
        known = self._hosts.get(name)
        if known is None:
            known = self._hosts[name] = _Host(free=self._limits.at_once)
            if len(self._hosts) > _REMEMBERED:
                idle = (key for key, host in self._hosts.items() if not host.users and key != name)
                del self._hosts[next(idle, name)]
        self._hosts.move_to_end(name)
        return known
