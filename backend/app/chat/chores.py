"""What a server does beside its requests: deletes what is old, writes its meters, follows wishes of other processes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from starlette.concurrency import run_in_threadpool

from ..kernel.errors import StoreUnusable
from .door import ChatDoor

__all__ = ["chores_done"]

_LOG: Final = logging.getLogger("portcullis.chat")
_DAY_MS: Final = 86_400_000
_CHORES_EVERY_S: Final = 600.0
_PRUNED_EVERY_MS: Final = 6 * 3_600_000


@asynccontextmanager
async def chores_done(door: ChatDoor) -> AsyncIterator[None]:
    """What a server does beside its requests."""
    chores = [asyncio.create_task(work) for work in (door.running.follow_wishes(), _kept_short(door), _written(door))]
    try:
        yield
    finally:
        for chore in chores:
            chore.cancel()
        for chore in chores:
            with suppress(asyncio.CancelledError):
                await chore


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
        try:
            now_ms = door.clock.now_ms()
            if door.requests.claim("retention", now_ms, _PRUNED_EVERY_MS):
                await run_in_threadpool(_pruned, door, days * _DAY_MS, now_ms)
        except StoreUnusable as exc:
            _LOG.error("%s", exc)
        await asyncio.sleep(_CHORES_EVERY_S)
