"""Connections: work ends when the client that asked for it leaves, and streams stay open while it goes on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Final

from fastapi.responses import Response

from .asgi import Receive, Scope, Send
from .refusals import BROKEN, refusal_bytes

__all__ = ["EventStream", "leaving_ends"]

_LOG: Final = logging.getLogger("portcullis.chat")


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
    """A stream of events. `gone` is called if the client leaves; what makes the events then has to come to its end."""

    media_type = "text/event-stream"

    def __init__(
        self,
        events: AsyncGenerator[bytes, None],
        gone: Callable[[], object],
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
        try:
            async with leaving_ends(receive, self._gone), aclosing(self._events):
                async for event in self._events:
                    await send({"type": "http.response.body", "body": event, "more_body": True})
        except asyncio.CancelledError:
            self._gone()
            raise
        except Exception as exc:  # noqa: BLE001  a process border: the text of an error stays inside, its type is logged
            _LOG.error("stream: unexpected %s", type(exc).__name__)
            for event in self._failed(refusal_bytes(BROKEN)):
                await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
