"""How a reply leaves: as one object, or as a stream that says nothing of substance before the verdict."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from fastapi import Request
from fastapi.responses import Response

from ..kernel.canonical import JsonValue
from .asking import BEAT_S, PlacedQuestion
from .connections import Departure, EventStream, leaving_ends
from .dialects.server_sent import comment_line, json_bytes
from .refusals import RequestRefused, refusal_bytes
from .reply import Reply

__all__ = ["StreamShape", "plain_reply", "streamed_reply"]

_WAITING: Final = comment_line("waiting")
_SEARCHING: Final = comment_line("searching")


@dataclass(frozen=True, slots=True)
class StreamShape:
    """What a dialect puts where."""

    events: Callable[[Reply], Iterable[bytes]]
    """The reply, after the verdict."""
    begin: Callable[[], Iterable[bytes]] = tuple
    step: Callable[[int, int], bytes] = lambda step, round_: _SEARCHING
    """Before the verdict; by default a comment, because some clients take their first chunk for the whole head."""
    failed: Callable[[bytes], Iterable[bytes]] = lambda body: (b"data: " + body + b"\n\n", b"data: [DONE]\n\n")


async def plain_reply(
    request: Request, asked: PlacedQuestion, shape: Callable[[Reply], Mapping[str, JsonValue]], route: str, sent: bytes
) -> Response:
    """Wait for the reply and send it whole; a client that leaves cancels its research."""
    client, error = Departure(asked.left), "cancelled"
    try:
        async with leaving_ends(request.receive, client.leave):
            reply = await asked.reply()
        error = client.error("")
    except RequestRefused as refusal:
        error = refusal.code
        raise
    finally:
        asked.note(route, sent, error)
    return Response(json_bytes(shape(reply)), media_type="application/json")


async def streamed_reply(
    request: Request, asked: PlacedQuestion, shape: StreamShape, route: str, sent: bytes
) -> Response:
    """Begin the stream; raises where it is known soon that there will be no reply. Later the stream says so: nobody
    waits in silence for a place."""
    client = Departure(asked.left)
    async with leaving_ends(request.receive, client.leave):
        with suppress(TimeoutError):
            async with asyncio.timeout(BEAT_S):
                await asked.begun()

    async def events() -> AsyncGenerator[bytes, None]:
        error = "cancelled"
        replying: asyncio.Task[Reply] | None = None
        try:
            for event in shape.begin():
                yield event
            step = 0
            yield _WAITING
            async for round_ in asked.progress():
                step += round_ is not None
                yield _WAITING if round_ is None else shape.step(step, round_)
            replying = asyncio.create_task(asked.reply())
            async for _ in _beats(replying):  # a model may be writing
                yield _WAITING
            reply = await replying
            for event in shape.events(reply):
                yield event
            error = client.error("")
        except RequestRefused as refusal:
            error = refusal.code
            for event in shape.failed(refusal_bytes(refusal)):
                yield event
        finally:
            if replying is not None:
                replying.cancel()
            asked.note(route, sent, error)

    return EventStream(events(), client.leave, shape.failed)


async def _beats(task: asyncio.Task[Reply]) -> AsyncIterator[None]:
    """None whenever a task has gone on for a while; ends with it, however it ends."""
    while not task.done():
        with suppress(TimeoutError):
            async with asyncio.timeout(BEAT_S):
                await asyncio.shield(task)
        if not task.done():
            yield None
