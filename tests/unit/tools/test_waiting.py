"""Callers that wait on different loops are served in turn, and the turn of one who is gone goes on."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from app.system.clock import SystemClock
from app.tools.fetch.host_limits import HostLimits, Hosts
from app.tools.waiting import WaitingLine

NOT_HUNG_S = 30


async def test_the_first_who_came_is_the_first_who_is_served():
    line = WaitingLine()
    waiters = [line.join() for _ in range(3)]
    assert [line.hand(value) for value in "abcd"] == [True, True, True, False]
    assert [await waiter.wait() for waiter in waiters] == ["a", "b", "c"]


async def test_an_error_is_handed_over_like_a_value():
    line = WaitingLine()
    waiter = line.join()
    assert line.hand(LookupError("no such thing"))
    with pytest.raises(LookupError):
        await waiter.wait()
    assert line.leave(waiter) is None


async def test_who_leaves_gives_back_what_came_in_that_moment():
    line = WaitingLine()
    early, late = line.join(), line.join()
    assert line.leave(early) is None
    assert line.hand("turn")
    assert line.leave(late) == "turn"
    assert not line.hand("another")


def test_who_waited_on_a_loop_that_is_closed_is_passed_over():
    line = WaitingLine()

    async def joined():
        return line.join()

    gone = asyncio.run(joined())

    async def served():
        waiter = line.join()
        assert line.hand("turn")
        return await waiter.wait()

    assert asyncio.run(served()) == "turn"
    assert line.leave(gone) is None


def test_a_host_is_asked_from_two_loops_in_turn():
    hosts = Hosts(SystemClock(), HostLimits(at_once=1, pause_ms=0))
    held, waits = Event(), Event()

    async def first():
        async with hosts.turn("a.example", 60_000):
            held.set()
            await asyncio.to_thread(waits.wait, NOT_HUNG_S)
            await asyncio.sleep(0.2)  # the other loop sleeps by now, and nobody else wakes it

    async def second():
        await asyncio.to_thread(held.wait, NOT_HUNG_S)
        asyncio.get_running_loop().call_soon(waits.set)
        async with asyncio.timeout(NOT_HUNG_S), hosts.turn("a.example", 60_000):
            return "asked"

    with ThreadPoolExecutor(2) as threads:
        one, other = threads.submit(asyncio.run, first()), threads.submit(asyncio.run, second())
        assert other.result(2 * NOT_HUNG_S) == "asked"
        one.result(NOT_HUNG_S)
