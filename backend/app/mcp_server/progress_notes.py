"""Progress of a session as MCP notifications, sent while it runs: which call ended; no cap of it (R14)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from ..kernel.request import Grant
from ..kernel.results import CallOutcome

__all__ = ["ProgressNotes"]

Report = Callable[[float, float | None, str | None], Awaitable[None]]


class ProgressNotes:
    """An observer whose notes are sent in order by one task; a client that does not listen delays nobody."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._done = 0
        self._task = asyncio.get_running_loop().create_task(self._send())

    def session_started(self, grant: Grant) -> None:
        """The session begins."""
        self._note("started")

    def batch_started(self, calls_left: int, units_left: int, remaining_ms: int) -> None:
        """A batch of calls begins."""
        self._note("calling tools")

    def call_finished(self, outcome: CallOutcome) -> None:
        """A call has ended."""
        self._done += 1
        self._note(f"call {self._done} ended")

    async def end(self) -> None:
        """Send what is left."""
        self._waiting.put_nowait(None)
        await self._task

    def abandon(self) -> None:
        """Send nothing more."""
        self._task.cancel()

    def _note(self, text: str) -> None:
        self._waiting.put_nowait(text)

    async def _send(self) -> None:
        step = 0.0
        while (text := await self._waiting.get()) is not None:
            step += 1  # the protocol wants a number that grows with every note; how many come is not known
            await self._report(step, None, text)
