"""Research by its id: look at it, watch it, finish it, cancel it, and read its sources; each for its owner alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from ..capabilities.answers.research_models import ResearchResult
from ..kernel.models import FrozenModel
from ..kernel.stops import Action
from ..system.stores.conversations.requests import RequestWish
from .access import Caller, caller_of
from .connections import EventStream
from .dialects.plain_chat import progress_event
from .dialects.server_sent import comment_line, named_event
from .door import ChatDoor
from .openapi import SENT_EVENT, Described, refusals
from .recorded import ended_elsewhere, kept_view, recorded_view, wish_elsewhere, worded_result
from .refusals import RequestRefused
from .reply import sources_of
from .running import RunState, RunView, UnknownResearch
from .source_page import PAGE_HEADERS, source_page, wants_page

__all__ = ["ResearchSource", "ResearchStatus", "research_router"]

_BEAT_S = 5.0
_LOOK_EVERY_S = 0.5
_STREAM: dict[int | str, Described] = {
    200: {"description": "progress, then the end", "content": {"text/event-stream": {"schema": SENT_EVENT}}}
}
_PAGE: dict[int | str, Described] = {200: {"content": {"text/html": {"schema": {"type": "string"}}}}}


class ResearchStatus(FrozenModel):
    """A request for research as a program may see it."""

    id: str
    state: RunState
    conversation_id: str | None
    started_at_ms: int
    ended_at_ms: int | None
    action: Action | None
    result: ResearchResult | None


class ResearchSource(FrozenModel):
    """One source of a result, with its excerpt word for word and the hashes that prove it."""

    number: int
    title: str
    url: str
    excerpt: str
    content_hash: str | None
    text_hash: str | None
    start: int | None
    end: int | None


def research_router(door: ChatDoor) -> APIRouter:
    """The routes below `/v1/research`."""
    router = APIRouter(prefix="/v1/research/{request_id}", tags=["research"])

    # Those that may have to run a session again are no coroutines: they get a thread of their own.
    @router.get("", summary="A request for research, and its result", responses=refusals(404))
    def look(request: Request, request_id: str) -> ResearchStatus:
        return _status(door, _seen(door, caller_of(request), request_id))

    @router.get("/events", summary="Watch it", response_class=Response, responses={**_STREAM, **refusals(404)})
    async def events(request: Request, request_id: str) -> Response:
        caller = caller_of(request)
        watched = await _watched(door, caller, request_id)
        return EventStream(watched, None, lambda body: (b"event: error\ndata: " + body + b"\n\n",))

    @router.get(
        "/sources/{number}",
        summary="One of its sources; for a browser as a page",
        response_model=ResearchSource,
        responses={**_PAGE, **refusals(404)},
    )
    def source(request: Request, request_id: str, number: int) -> ResearchSource | Response:
        result = _seen(door, caller_of(request), request_id).result
        for one in () if result is None else sources_of(result):
            if one.number == number:
                if wants_page(request.headers.get("accept", "")):
                    return Response(source_page(one), headers=PAGE_HEADERS)
                place = one.evidence
                return ResearchSource(
                    number=number,
                    title=one.title,
                    url=one.url,
                    excerpt=one.excerpt,
                    content_hash=None if place is None else place.content_hash,
                    text_hash=None if place is None else place.text_hash,
                    start=None if place is None else place.start,
                    end=None if place is None else place.end,
                )
        raise _UNKNOWN

    @router.post("/finish", summary="End it with what was found so far", responses=refusals(404))
    async def finish(request: Request, request_id: str) -> ResearchStatus:
        return _status(door, _ended(door, caller_of(request), request_id, "finish"))

    @router.post("/cancel", summary="End it without an answer", responses=refusals(404))
    async def cancel(request: Request, request_id: str) -> ResearchStatus:
        return _status(door, _ended(door, caller_of(request), request_id, "cancel"))

    return router


_UNKNOWN = RequestRefused(404, "not_found", "there is no such research")


def _seen(door: ChatDoor, caller: Caller, request_id: str) -> RunView:
    try:
        view = door.running.look(request_id, caller.principal)
    except UnknownResearch:
        with _unknown_told():
            return recorded_view(door, request_id, caller.principal)
    with _unknown_told():
        return kept_view(door, view)


def _ended(door: ChatDoor, caller: Caller, request_id: str, wish: RequestWish) -> RunView:
    try:
        end = door.running.finish if wish == "finish" else door.running.cancel
        return end(request_id, caller.principal)
    except UnknownResearch:
        with _unknown_told():
            return wish_elsewhere(door, request_id, caller.principal, wish)


@contextmanager
def _unknown_told() -> Iterator[None]:
    """What is not there and what belongs to somebody else look alike."""
    try:
        yield
    except UnknownResearch as exc:
        raise _UNKNOWN from exc


def _status(door: ChatDoor, view: RunView) -> ResearchStatus:
    return ResearchStatus(
        id=view.request_id,
        state=view.state,
        conversation_id=view.conversation,
        started_at_ms=view.started_at_ms,
        ended_at_ms=view.ended_at_ms,
        action=view.action,
        result=worded_result(door, view),
    )


async def _watched(door: ChatDoor, caller: Caller, request_id: str) -> AsyncGenerator[bytes, None]:
    """The events of a request that is there."""
    try:
        door.running.look(request_id, caller.principal)
    except UnknownResearch:
        with _unknown_told():
            ended_elsewhere(door, request_id, caller.principal)
        return _watched_elsewhere(door, caller, request_id)
    return _watched_here(door, caller, request_id)


async def _watched_here(door: ChatDoor, caller: Caller, request_id: str) -> AsyncGenerator[bytes, None]:
    step = 0
    async for event in door.running.watch(request_id, caller.principal, _BEAT_S):
        if event is None:
            yield comment_line("waiting")
        elif event.kind != "result":
            step += 1
            yield progress_event(step, event.iteration)
    yield await run_in_threadpool(_end_event, door, await run_in_threadpool(_seen, door, caller, request_id))


async def _watched_elsewhere(door: ChatDoor, caller: Caller, request_id: str) -> AsyncGenerator[bytes, None]:
    """Another process runs it and knows its steps; here only its end is seen."""
    yield comment_line("waiting")
    waited_s = 0.0
    while not ended_elsewhere(door, request_id, caller.principal):
        await asyncio.sleep(_LOOK_EVERY_S)
        waited_s += _LOOK_EVERY_S
        if waited_s >= _BEAT_S:
            waited_s = 0.0
            yield comment_line("waiting")
    view = await run_in_threadpool(recorded_view, door, request_id, caller.principal)
    yield await run_in_threadpool(_end_event, door, view)


def _end_event(door: ChatDoor, view: RunView) -> bytes:
    return named_event("end", _status(door, view).model_dump(mode="json"))
