"""What a server does beside its requests: deletes what is old, writes its meters, follows wishes of other processes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Final

from starlette.concurrency import run_in_threadpool

from ..kernel.errors import StoreUnusable
from ..system.parent_process import ParentProcess
from .door import ChatDoor
from .stop_signals import end_this_process

__all__ = ["chores_done"]

_LOG: Final = logging.getLogger("portcullis.chat")
_DAY_MS: Final = 86_400_000
_CHORES_EVERY_S: Final = 600.0
_WISHES_EVERY_S: Final = 0.25
_GONE_EVERY_S: Final = 1.0
_PRUNED_EVERY_MS: Final = 6 * 3_600_000


@asynccontextmanager
async def chores_done(door: ChatDoor, parent: ParentProcess | None) -> AsyncIterator[None]:
    """What a server does beside its requests; `parent` is who started it as one of several processes."""
    work = (_wishes_followed(door), _gone_given_up(door), _kept_short(door), _written(door), _parent_followed(parent))
    chores = [asyncio.create_task(one) for one in work]
    try:
        yield
    finally:
        for chore in chores:
            chore.cancel()
        for chore in chores:
            with suppress(asyncio.CancelledError):
                await chore


async def _wishes_followed(door: ChatDoor) -> None:
    """What other processes were asked to end here."""
    while True:
        await asyncio.sleep(_WISHES_EVERY_S)
        if door.running.under_way != (0, 0):
            with _told():
                door.running.follow(door.requests.wishes())


async def _gone_given_up(door: ChatDoor) -> None:
    """What a process has left that was killed: whoever looks at it must not wait for its end."""
    while True:
        with _told():
            await run_in_threadpool(door.requests.give_up_gone, door.clock.now_ms())
        await asyncio.sleep(_GONE_EVERY_S)


async def _parent_followed(parent: ParentProcess | None) -> None:
    """One of several processes ends in order when the one that started it is gone, and with it the port is free."""
    while parent is not None:
        await asyncio.sleep(_GONE_EVERY_S)
        if parent.gone:
            end_this_process()
            return


@contextmanager
def _told() -> Iterator[None]:
    """A store that cannot be used ends no chore; the log says so."""
    try:
        yield
    except (OSError, StoreUnusable) as exc:
        _LOG.error("%s", exc)


async def _written(door: ChatDoor) -> None:
    if door.settings.serve.workers > 1:
        await door.shared_meters.keep_written()


def _pruned(door: ChatDoor, older_than_ms: int, now_ms: int) -> None:
    """Walks the whole record, so it has a thread and a loop of its own; requests go on meanwhile."""
    report = asyncio.run(door.archive.prune(older_than_ms))
    turns = door.conversations.prune(now_ms - older_than_ms)
    door.requests.prune(now_ms - older_than_ms)
    _LOG.info("retention: %d sessions, %d objects, %d turns", report.sessions, report.objects, turns)


async def _kept_short(door: ChatDoor) -> None:
    """Retention: one process of the server deletes what is older than the operator keeps."""
    days = door.settings.serve.retention_days
    while days:
        with _told():
            now_ms = door.clock.now_ms()
            if door.requests.claim("retention", now_ms, _PRUNED_EVERY_MS):
                await run_in_threadpool(_pruned, door, days * _DAY_MS, now_ms)
        await asyncio.sleep(_CHORES_EVERY_S)
