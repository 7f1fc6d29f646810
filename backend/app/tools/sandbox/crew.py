"""A crew of worker processes on one event loop: each does one thing at a time, the others wait in turn."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, Generic, TypeVar

from ...kernel.errors import ToolFailure
from .process import LineProcess

__all__ = ["Crew"]

_REAP_EVERY_S: Final = 0.01
_PATIENCE_ROUNDS: Final = 1_000

_P = TypeVar("_P", bound=LineProcess)


class Crew(Generic[_P]):
    """Processes that are started on demand, used again while they are of use, and buried by nobody's waiting."""

    def __init__(self, start: Callable[[], _P], *, size: int, calls_each: int) -> None:
        self._start = start
        self._size = size
        self._calls_each = calls_each
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._idle: list[_P] = []
        self._busy: list[_P] = []
        self._dying: list[_P] = []
        self._reaping: asyncio.TimerHandle | None = None
        self._closed = False

    @asynccontextmanager
    async def one(self) -> AsyncIterator[_P]:
        """A process for the length of a block; one that is not `reusable` at its end is killed.

        Raises:
            ToolFailure: the crew is closed, or the machine has no room for another process.
        """
        await self._wait_for_turn()
        try:
            worker = self._take()
            try:
                yield worker
            finally:
                self._give_back(worker)
        finally:
            self._pass_turn_on()

    def prepare(self, count: int) -> None:
        """Start processes before they are asked, so that the first calls need not wait for them."""
        while not self._closed and len(self._idle) + len(self._busy) < min(count, self._size):
            self._idle.append(self._start())

    async def aclose(self) -> None:
        """Kill every process and wait until the system has let go of them."""
        self._closed = True
        while self._idle:
            self._bury(self._idle.pop())
        for worker in self._busy:
            worker.kill()  # its caller is told, and buries it
        for _ in range(_PATIENCE_ROUNDS):
            await asyncio.sleep(0)
            self._reap()
            if not self._busy and not self._dying:
                break
            await asyncio.sleep(_REAP_EVERY_S)
        if self._reaping is not None:
            self._reaping.cancel()

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes of the crew, for the operator and for tests."""
        return tuple(sorted(worker.pid for worker in (*self._idle, *self._busy)))

    async def _wait_for_turn(self) -> None:
        if self._running < self._size:
            self._running += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._waiting.remove(turn)
            else:
                self._pass_turn_on()  # it was given in the very moment of the cancellation
            raise

    def _pass_turn_on(self) -> None:
        for turn in self._waiting:
            if not turn.done():
                self._waiting.remove(turn)
                turn.set_result(None)
                return
        self._running -= 1

    def _take(self) -> _P:
        if self._closed:
            raise ToolFailure("tool is closed")
        while self._idle:
            worker = self._idle.pop()
            if worker.fresh():
                break
            self._bury(worker)
        else:
            worker = self._start()
        self._busy.append(worker)
        return worker

    def _give_back(self, worker: _P) -> None:
        self._busy.remove(worker)
        if worker.reusable and worker.calls < self._calls_each and not self._closed:
            self._idle.append(worker)
        else:
            self._bury(worker)

    def _bury(self, worker: _P) -> None:
        worker.bury()
        self._dying.append(worker)
        self._reap()

    def _reap(self) -> None:
        """A killed process takes a moment to end; nobody waits for it, but it is not left as a zombie either."""
        self._dying = [worker for worker in self._dying if not worker.gone()]
        if self._reaping is not None:
            self._reaping.cancel()
            self._reaping = None
        if self._dying:
            self._reaping = asyncio.get_running_loop().call_later(_REAP_EVERY_S, self._reap)
