"""The task of a session says what `cancel` and `closed` did, as any task does."""

from __future__ import annotations

import asyncio

import pytest

from app.research.time_limits import SessionTask


async def test_cancel_is_true_until_the_session_has_ended():
    cancellation = asyncio.get_running_loop().create_future()

    async def session():
        await cancellation
        return "ended"

    task = SessionTask(session(), cancellation)
    assert task.cancel() is True
    assert task.cancel() is True
    await task.closed()
    assert task.result() == "ended"
    assert task.cancel() is False


async def test_a_cancellation_of_whoever_waits_passes_on_behind_the_end():
    cancellation = asyncio.get_running_loop().create_future()
    held = asyncio.Event()

    async def session():
        await held.wait()
        return "ended"

    task = SessionTask(session(), cancellation)
    waiting = asyncio.ensure_future(task.closed())
    for _ in range(3):
        await asyncio.sleep(0)
        waiting.cancel()
    await asyncio.sleep(0)
    assert not waiting.done()
    held.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert task.result() == "ended"
