"""The host's side of the sandbox: a tool whose calls run in a pool of processes and can be cut at any moment."""

from __future__ import annotations

import sys
from typing import Final

from ....kernel.calls import CallContext, ToolCall
from ....kernel.results import RawResult
from ..spec import WorkerSpec
from .worker_pool import WorkerPool
from .workers import Nursery, WorkerProcess

__all__ = ["ProcessTool", "WorkerSpec"]

_CALLS_PER_WORKER: Final = 1_000


class ProcessTool:
    """The kernel's `Tool` in processes of its own.

    Each worker has one call at a time, so a blocked one delays nobody; calls that find no free worker wait in the order
    in which they came. Cancelling a call kills its worker; the next call gets another. A pool may be asked from any
    thread and any event loop of the process that started it.
    """

    def __init__(
        self, spec: WorkerSpec, *, calls_per_worker: int = _CALLS_PER_WORKER, show_errors: bool = False
    ) -> None:
        nursery = Nursery(spec, show_errors=show_errors)
        self._pool = WorkerPool(
            lambda: WorkerProcess(nursery),
            size=spec.max_workers,
            calls_each=calls_per_worker,
            at_once=spec.at_once,
            cut_start=nursery.close,
            end=nursery.end,
        )

    async def call(self, call: ToolCall, context: CallContext) -> RawResult:
        """Run the call in a worker.

        Raises:
            ToolFailure: see `WorkerProcess.ask`; also when the pool is closed.
        """
        # A worker that is up already is asked without any event of the interpreter's own.
        sys.audit("portcullis.tool", call.tool)
        async with self._pool.one() as worker:
            return await worker.ask(call, context)

    def prepare(self, count: int = 1) -> None:
        """Have workers started before they are asked, so that the first calls need not wait for them."""
        self._pool.prepare(count)

    async def aclose(self) -> None:
        """Kill every worker and wait until the system has let go of them."""
        await self._pool.aclose()

    @property
    def worker_pids(self) -> tuple[int, ...]:
        """The processes of the pool, for the operator and for tests."""
        return self._pool.pids
