"""Time limits: tool calls run side by side and are cancelled at their limit; a session is asked to end (R12)."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..kernel.errors import ToolFailure
from ..kernel.outcome import ResearchOutcome
from ..kernel.ports import Clock

__all__ = ["Cutter", "Ran", "SessionTask"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ran(Generic[T]):
    """How one piece of work ended: with a value, with an error, or cut while running or too late to count."""

    elapsed_ms: int
    value: T | None = None
    error: BaseException | None = None
    cut: bool = False


class SessionTask(asyncio.Task[ResearchOutcome]):
    """The task of one session: cancelling it moves the session's deadline to now, and nothing is thrown into it.

    A host that shuts down cancels every task of its loop. A session that were cut half-way, or before its first step,
    would leave its journal open and its key locked; told to end, it closes itself, and whoever cancelled can wait.
    """

    def __init__(self, session: Coroutine[Any, Any, ResearchOutcome], cancellation: asyncio.Future[None]) -> None:
        super().__init__(session, loop=cancellation.get_loop())
        self._cancellation = cancellation

    def cancel(self, msg: Any | None = None) -> bool:
        """Ask the session to end; as with any task, True unless it has ended already."""
        if self.done():
            return False
        if not self._cancellation.done():
            self._cancellation.set_result(None)
        return True

    async def closed(self) -> None:
        """Wait until the session has ended, however often whoever waits is cancelled; that passes on in the end."""
        cancelled: asyncio.CancelledError | None = None
        while not self.done():
            try:
                await asyncio.shield(self)
            except asyncio.CancelledError as exc:
                cancelled = exc
        if cancelled is not None:
            raise cancelled


class Cutter:
    """Runs work until it ends, its limit passes, or the session is cancelled."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # A cut task may take a while to notice, or never; it is held here so that it is not collected half-way.
        self._cut: set[asyncio.Task[Any]] = set()

    async def run(
        self, work: Sequence[Coroutine[Any, Any, T]], limit_ms: int, cancelled: asyncio.Future[None]
    ) -> tuple[Ran[T], ...]:
        """Run everything concurrently; the answer is in the order of `work`, never of completion."""
        if cancelled.done():
            # Nothing new starts: the loop of a host that shuts down would not wait for it.
            for piece in work:
                piece.close()
            return tuple(Ran(0, cut=True) for _ in work)
        loop = asyncio.get_running_loop()
        started_ms = self._clock.now_ms()
        woken: asyncio.Future[None] = loop.create_future()
        ended_at: dict[asyncio.Task[T], tuple[int, bool]] = {}
        tasks = {loop.create_task(_contained(piece)): piece for piece in work}

        def wake(_: object = None) -> None:
            if not woken.done():
                woken.set_result(None)

        def ended(task: asyncio.Task[T]) -> None:
            ended_at[task] = self._clock.now_ms(), cancelled.done()
            tasks[task].close()  # of a task that was cancelled before its first step, nobody has awaited it
            if len(ended_at) == len(tasks):
                wake()

        for task in tasks:
            task.add_done_callback(ended)
        cancelled.add_done_callback(wake)
        # R5: elapsed = limit is in time, so the knife falls one millisecond later.
        timer = loop.call_later((limit_ms + 1) / 1000, wake)
        try:
            await woken
        finally:
            timer.cancel()
            cancelled.remove_done_callback(wake)
            now = self._clock.now_ms(), cancelled.done()
            for task in tasks:
                if not task.done():
                    self._abandon(task)
        ends = ((task, *ended_at.get(task, now)) for task in tasks)
        return tuple(_ran(task, at_ms - started_ms, limit_ms, gone) for task, at_ms, gone in ends)

    def _abandon(self, task: asyncio.Task[Any]) -> None:
        # Never awaited: a task that swallows its cancellation must not hold the session.
        self._cut.add(task)
        task.add_done_callback(self._forget)
        task.cancel()

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._cut.discard(task)
        _read(task)


async def _contained(piece: Coroutine[Any, Any, T]) -> T:
    try:
        return await piece
    except (SystemExit, KeyboardInterrupt) as exc:
        # asyncio would end the host's whole loop over these two.
        raise ToolFailure(f"tried to end the process with {type(exc).__name__}") from exc


def _read(task: asyncio.Task[Any]) -> None:
    """Look at the error of a call that counts as cut: the loop would report one unread, with the tool's own words."""
    if not task.cancelled():
        task.exception()


def _ran(task: asyncio.Task[T], elapsed_ms: int, limit_ms: int, gone: bool) -> Ran[T]:
    """How a call ended; `gone` says whether the session had been cancelled by then."""
    if not task.done():
        return Ran(elapsed_ms, cut=True)
    if elapsed_ms > limit_ms:
        _read(task)
        return Ran(elapsed_ms, cut=True)
    if task.cancelled():
        # Whoever cancels every task of the loop cancels the calls with their session: those did not cancel themselves.
        return Ran(elapsed_ms, cut=True) if gone else Ran(elapsed_ms, error=asyncio.CancelledError())
    error = task.exception()
    return Ran(elapsed_ms, error=error) if error else Ran(elapsed_ms, value=task.result())
