"""A pool of worker processes, for every thread and event loop of the process that started it."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, Generic, TypeVar

from ....kernel.errors import ToolFailure
from ...waiting import WaitingLine
from .process import LineProcess

__all__ = ["WorkerPool"]

_REAP_EVERY_S: Final = 0.01
_PATIENCE_ROUNDS: Final = 1_000
_LONG_CALL_S: Final = 0.25

_P = TypeVar("_P", bound=LineProcess)


class WorkerPool(Generic[_P]):
    """Processes that are started on demand or ahead, and used again while they are of use.

    A caller waits for a process, not for its start: a start that nobody waits for any more goes on, and the next caller
    has the process. Up to `at_once` calls run together. A call that takes long no longer counts, so that a blocked one
    delays nobody; there are never more than `size` processes. One thread, the keeper, starts and reaps them all: the
    kernel ends a process with the thread that started it, and this one lives as long as the pool.
    """

    def __init__(
        self,
        start: Callable[[], _P],
        *,
        size: int,
        calls_each: int,
        at_once: int | None = None,
        cut_start: Callable[[], None] = lambda: None,
        end: Callable[[], None] = lambda: None,
    ) -> None:
        """Take the way to start a process; nothing is started yet.

        `cut_start` interrupts a start that is under way, `end` puts away what the starts have in common.
        """
        self._start = start
        self._size = size
        self._at_once = min(size, at_once or size)
        self._calls_each = calls_each
        self._cut_start = cut_start
        self._end = end
        self._changed = threading.Condition()
        self._waiting: WaitingLine[_P] = WaitingLine()
        self._idle: list[_P] = []
        self._busy: dict[_P, float] = {}
        self._dying: list[_P] = []
        self._starting: _P | None = None
        self._ahead = 0
        self._asked = False  # a start that is asked for is made, whatever becomes of the caller meanwhile
        self._keeper: threading.Thread | None = None
        self._owner = 0
        self._closed = False

    @asynccontextmanager
    async def one(self) -> AsyncIterator[_P]:
        """A process for the length of a block; one that is not `reusable` at its end is killed.

        Raises:
            ToolFailure: the pool is closed or another process's, or the machine has no room for another worker.
        """
        worker = await self._taken()
        try:
            yield worker
        finally:
            self._give_back(worker)

    def prepare(self, count: int) -> None:
        """Have this many processes started before they are asked for; returns at once."""
        with self._changed:
            if self._closed or self._foreign():
                return
            self._ahead = max(self._ahead, min(count, self._size))
            self._wake_keeper()

    async def aclose(self) -> None:
        """Kill every process and wait until the system has let go of them; in a fork they are left to their owner."""
        if self._foreign():
            return
        with self._changed:
            self._closed = True
            while self._waiting.hand(ToolFailure("tool is closed")):
                pass
            while self._idle:
                self._bury(self._idle.pop())
            for worker in self._busy:
                worker.kill()  # its caller is told, and buries it
            if self._starting is not None:
                self._starting.kill()
            self._changed.notify_all()
        self._cut_start()
        for _ in range(_PATIENCE_ROUNDS):
            await asyncio.sleep(0)
            with self._changed:
                self._reap()
                ended = self._keeper is None or not self._keeper.is_alive()
                if ended and not self._busy and not self._dying:
                    break
            await asyncio.sleep(_REAP_EVERY_S)

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes of the pool, for the operator and for tests."""
        with self._changed:
            return tuple(sorted(worker.pid for worker in (*self._idle, *self._busy)))

    async def _taken(self) -> _P:
        while True:
            if self._foreign():  # before the lock, which a thread of the parent may have held
                raise ToolFailure("workers belong to the process that started them, and this is a fork of it")
            with self._changed:
                if self._closed:
                    raise ToolFailure("tool is closed")
                if self._idle:
                    worker = self._idle.pop()
                    self._busy[worker] = time.monotonic()
                    waiter = None
                else:
                    waiter = self._waiting.join()
                    self._asked = True
                    self._wake_keeper()
            if waiter is not None:
                try:
                    worker = await waiter.wait()
                except BaseException:
                    with self._changed:
                        unused = self._waiting.leave(waiter)
                    if unused is not None:
                        self._give_back(unused)
                    raise
            if worker.fresh():
                return worker
            worker.reusable = False
            self._give_back(worker)

    def _give_back(self, worker: _P) -> None:
        with self._changed:
            del self._busy[worker]
            if worker.reusable and worker.calls < self._calls_each and not self._closed:
                self._place(worker)
            else:
                self._bury(worker)

    def _place(self, worker: _P) -> None:
        """To the first who waits, else to the idle ones, of which not more are kept than run together."""
        self._asked = False
        self._busy[worker] = time.monotonic()
        if self._waiting.hand(worker):
            return
        del self._busy[worker]
        if len(self._idle) < max(self._at_once, self._ahead):
            self._idle.append(worker)
        else:
            self._bury(worker)

    def _bury(self, worker: _P) -> None:
        worker.bury()
        self._dying.append(worker)
        self._changed.notify_all()  # the keeper sleeps through all else: waking it would cost every call

    def _reap(self) -> None:
        """A killed process takes a moment to end; nobody waits for it, but it is not left as a zombie either."""
        self._dying = [worker for worker in self._dying if not worker.gone()]

    def _foreign(self) -> bool:
        return self._owner not in (0, os.getpid())

    def _wake_keeper(self) -> None:
        if self._keeper is None:
            self._owner = os.getpid()
            self._keeper = threading.Thread(target=self._keep, name="portcullis-workers", daemon=True)
            self._keeper.start()
        self._changed.notify_all()

    def _keep(self) -> None:
        """The keeper's work: start what is wanted, reap what is dying, until the pool is closed."""
        while True:
            with self._changed:
                self._reap()
                while not self._closed and not self._wants_more():
                    self._changed.wait(self._pause_s())
                    self._reap()
                if self._closed:
                    break
                self._asked = False
            self._start_one()
        # Whoever closed the pool may be gone before the last process is; the keeper sees it off.
        with self._changed:
            for _ in range(_PATIENCE_ROUNDS):
                self._reap()
                if not self._busy and not self._dying:
                    break
                self._changed.wait(_REAP_EVERY_S)
        self._end()

    def _wants_more(self) -> bool:
        running = len(self._idle) + len(self._busy)
        if running >= self._size:
            return False
        long_ago = time.monotonic() - _LONG_CALL_S
        counted = sum(since > long_ago for since in self._busy.values())
        return running < max(self._ahead, self._asked) or (len(self._waiting) > 0 and counted < self._at_once)

    def _pause_s(self) -> float | None:
        if self._dying:
            return _REAP_EVERY_S
        if self._waiting and len(self._busy) < self._size:
            return _LONG_CALL_S / 4  # one of those that run may have become a long one
        return None

    def _start_one(self) -> None:
        worker: _P | None = None
        failure: ToolFailure | None = None
        try:
            worker = self._start()
            with self._changed:
                self._starting = worker
                if self._closed:
                    worker.kill()
            worker.get_ready()
        except ToolFailure as exc:
            failure = exc
        except (OSError, RuntimeError, ValueError) as exc:  # whoever waits is told; the keeper goes on
            failure = ToolFailure(f"worker could not be started: {type(exc).__name__}")
        with self._changed:
            self._starting = None
            if worker is not None and (failure is not None or self._closed):
                self._bury(worker)
            elif worker is not None:
                self._place(worker)
            if failure is not None and not self._closed and not self._waiting.hand(failure):
                self._ahead = 0  # nobody is there to be told, and the next caller tries again
                logging.getLogger("portcullis").warning("a worker cannot be started ahead: %s", failure)
