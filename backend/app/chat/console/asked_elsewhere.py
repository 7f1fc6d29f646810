"""Questions of the console that this process does not run: another process of the server does, or they have ended."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final

from starlette.concurrency import run_in_threadpool

from ...kernel.request import Principal
from ...system.stores.conversations.requests import RequestWish
from ..door import ChatDoor
from ..recorded import ended_elsewhere, kept_view, recorded_view, wish_elsewhere
from ..running import RunView, UnknownResearch
from .tenant_records import TenantRecords
from .views.ask_page import step_text

__all__ = ["end_question", "question_steps", "recent_questions", "see_question"]

_RECENT: Final = 5
_BEAT_S: Final = 10.0
_LOOK_EVERY_S: Final = 0.5
_END: Final = "event: end\ndata: {}\n\n"


def see_question(door: ChatDoor, records: TenantRecords, request_id: str, who: Principal) -> tuple[RunView, str]:
    """A request as it is now, and what it asks; for a thread without an event loop.

    Raises:
        UnknownResearch: there is no such question for this principal.
    """
    try:
        run = door.running.look(request_id, who)
    except UnknownResearch:
        run = recorded_view(door, request_id, who)
    else:
        run = kept_view(door, run)
    return run, run.question or records.question_of(run.session_id, who.tenant)


def recent_questions(door: ChatDoor, who: Principal) -> list[RunView]:
    """What was asked here last and was not erased since; for a thread without an event loop."""
    found = []
    for run in door.running.listed(who)[:_RECENT]:
        with suppress(UnknownResearch):
            kept = kept_view(door, run)
            found += [kept] if kept.question else []
    return found


def end_question(door: ChatDoor, request_id: str, who: Principal, wish: RequestWish) -> None:
    """Finish or cancel a question, wherever it runs; raises as `see_question` does."""
    try:
        end = door.running.finish if wish == "finish" else door.running.cancel
        end(request_id, who)
    except UnknownResearch:
        wish_elsewhere(door, request_id, who, wish)


async def question_steps(door: ChatDoor, request_id: str, who: Principal) -> AsyncIterator[str]:
    """Steps as server-sent events, and a comment now and then, so that a proxy keeps the connection.

    Of a question that another process runs, only the end is known here.
    """
    try:
        door.running.look(request_id, who)
    except UnknownResearch:
        waited_s = 0.0
        note = "Another process of this server runs it, so its steps are not shown here"
        yield _step("batch", note)
        while not await run_in_threadpool(ended_elsewhere, door, request_id, who):
            await asyncio.sleep(_LOOK_EVERY_S)
            waited_s += _LOOK_EVERY_S
            if waited_s % _BEAT_S == 0:
                yield ": still running\n\n"
        yield _END
        return
    async for event in door.running.watch(request_id, who, _BEAT_S):
        yield ": still running\n\n" if event is None else _step(event.kind, step_text(event))
    yield _END


def _step(kind: str, text: str) -> str:
    return f"data: {json.dumps({'kind': kind, 'text': text})}\n\n"
