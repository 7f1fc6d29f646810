"""Connections: work ends when the client that asked for it leaves, and streams stay open while it goes on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Final, TypeVar

from fastapi.responses import Response

from .asgi import Receive, Scope, Send
from .refusals import BROKEN, refusal_bytes

__all__ = ["Departure", "EventStream", "leaving_ends", "unless_ended"]

_LOG: Final = logging.getLogger("portcullis.chat")
_T = TypeVar("_T")


class Departure:
    """What happens when a client leaves, and whether it has left."""

    def __init__(self, ends: Callable[[], object]) -> None:
        self._ends = ends
        self.gone = False

    def leave(self) -> None:
        """The client has left."""
        if not self.gone:
            self.gone = True
            self._ends()

    def error(self, otherwise: str) -> str:
        """The kind of error that the audit log tells: a client that left has no reply."""
        return "cancelled" if self.gone else otherwise


async def unless_ended(work: asyncio.Task[_T]) -> _T | None:
    """What the work gives; None where it was ended meanwhile, as a client does that leaves."""
    try:
        return await work
    except asyncio.CancelledError:
        waiting = asyncio.current_task()
        if not work.cancelled() or waiting is None or waiting.cancelling():
            raise
        return None


@asynccontextmanager
async def leaving_ends(receive: Receive, gone: Callable[[], object]) -> AsyncIterator[None]:
    """Calls `gone` if the client leaves before the block ends; the body must have been read."""

    async def watched() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        gone()

    watching = asyncio.create_task(watched())
    try:
        yield
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


class EventStream(Response):
    """A stream of events. If the client leaves, `gone` is called, and what makes the events then has to come to its
    end; without it the events just stop: nothing but this stream was under way."""

    media_type = "text/event-stream"

    def __init__(
        self,
        events: AsyncGenerator[bytes, None],
        gone: Callable[[], object] | None,
        failed: Callable[[bytes], Iterable[bytes]],
    ) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._events = events
        self._gone = gone
        self._failed = failed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send every event as it is made."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        sending = asyncio.create_task(self._sent(send))
        try:
            async with leaving_ends(receive, self._gone or sending.cancel):
                await unless_ended(sending)
        except asyncio.CancelledError:
            if self._gone is not None:
                self._gone()
            raise
        await send({"type": "http.response.body", "body": b""})

    async def _sent(self, send: Send) -> None:
        try:
            async with aclosing(self._events):
                async for event in self._events:
                    await send({"type": "http.response.body", "body": event, "more_body": True})
        except Exception as exc:  # noqa: BLE001  a process border: the text of an error stays inside, its type is logged
            _LOG.error("stream: unexpected %s", type(exc).__name__)
            for event in self._failed(refusal_bytes(BROKEN)):
                await send({"type": "http.response.body", "body": event, "more_body": True})
