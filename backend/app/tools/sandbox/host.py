"""The host's side of the sandbox: a tool whose calls run in a pool of processes and can be cut at any moment."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from typing import Final

from ...kernel.calls import CallContext, ToolCall
from ...kernel.errors import ToolFailure
from ...kernel.results import RawResult
from .process import WorkerProcess
from .spec import WorkerSpec

__all__ = ["ProcessTool", "WorkerSpec"]

_CALLS_PER_WORKER: Final = 1_000
_REAP_EVERY_S: Final = 0.01
_PATIENCE_ROUNDS: Final = 1_000


class ProcessTool:
    """The kernel's `Tool` in processes of its own.

    Each worker has one call at a time, so a blocked one delays nobody; up to `max_workers` calls run together and
    the others wait in the order in which they came. Cancelling a call kills its worker; the next call gets another.
    A pool belongs to one event loop at a time, and its workers end with the thread that the loop runs on.
    """

    def __init__(
        self, spec: WorkerSpec, *, calls_per_worker: int = _CALLS_PER_WORKER, show_errors: bool = False
    ) -> None:
        self._spec = spec
        self._calls_per_worker = calls_per_worker
        self._show_errors = show_errors
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._idle: list[WorkerProcess] = []
        self._busy: list[WorkerProcess] = []
        self._dying: list[WorkerProcess] = []
        self._reaping: asyncio.TimerHandle | None = None
        self._closed = False

    async def call(self, call: ToolCall, context: CallContext) -> RawResult:
        """Run the call in a worker.

        Raises:
            ToolFailure: see `WorkerProcess.ask`; also when the pool is closed.
        """
        # A worker that is up already is asked without any event of the interpreter's own.
        sys.audit("portcullis.tool", call.tool)
        await self._wait_for_turn()
        try:
            worker = self._take()
            try:
                return await worker.ask(call, context)
            finally:
                self._give_back(worker)
        finally:
            self._pass_turn_on()

    def prepare(self, count: int = 1) -> None:
        """Start workers before they are asked, so that the first calls need not wait for them."""
        while not self._closed and len(self._idle) + len(self._busy) < min(count, self._spec.max_workers):
            self._idle.append(WorkerProcess(self._spec, show_errors=self._show_errors))

    async def aclose(self) -> None:
        """Kill every worker and wait until the system has let go of them."""
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
    def worker_pids(self) -> tuple[int, ...]:
        """The processes of the pool, for the operator and for tests."""
        return tuple(sorted(worker.pid for worker in (*self._idle, *self._busy)))

    async def _wait_for_turn(self) -> None:
        if self._running < self._spec.max_workers:
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

    def _take(self) -> WorkerProcess:
        if self._closed:
            raise ToolFailure("tool is closed")
        while self._idle:
            worker = self._idle.pop()
            if worker.fresh():
                break
            self._bury(worker)
        else:
            worker = WorkerProcess(self._spec, show_errors=self._show_errors)
        self._busy.append(worker)
        return worker

    def _give_back(self, worker: WorkerProcess) -> None:
        self._busy.remove(worker)
        if worker.reusable and worker.calls < self._calls_per_worker and not self._closed:
            self._idle.append(worker)
        else:
            self._bury(worker)

    def _bury(self, worker: WorkerProcess) -> None:
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
