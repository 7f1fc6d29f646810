"""The cutter by itself: what is cut is told so, held until it ends, and never waited for."""

from __future__ import annotations

import asyncio
import gc

import pytest
from tests.fixtures.virtual_time import VirtualClock, VirtualLoop, run_virtual

from app.research.time_limits import Cutter


def _run(scenario):
    loop = VirtualLoop()
    return run_virtual(loop, scenario(Cutter(VirtualClock(loop)), loop))


@pytest.mark.ruling("R12")
def test_what_is_cut_learns_of_it_and_is_held_until_it_has_ended():
    """Reaches inside: that a task is not collected half-way shows nowhere else."""

    async def scenario(cutter, loop):
        told = []

        async def slow():
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                told.append("cut")
                await asyncio.sleep(1)
                told.append("ended")
                raise

        ran = await cutter.run([slow()], 100, loop.create_future())
        held = [len(cutter._cut)]
        await asyncio.sleep(0.5)
        held.append(len(cutter._cut))
        before = list(told)
        await asyncio.sleep(5)
        held.append(len(cutter._cut))
        return ran, before, told, held

    ran, before, told, held = _run(scenario)
    assert [(one.cut, one.value, one.error) for one in ran] == [(True, None, None)]
    assert (before, told, held) == (["cut"], ["cut", "ended"], [1, 1, 0])


@pytest.mark.ruling("R5")
@pytest.mark.parametrize(("takes_ms", "cut"), [(99, False), (100, False), (101, True)])
def test_the_limit_itself_is_in_time(takes_ms, cut):
    async def scenario(cutter, loop):
        async def work():
            await asyncio.sleep(takes_ms / 1000)
            return "done"

        return await cutter.run([work()], 100, loop.create_future())

    (ran,) = _run(scenario)
    assert (ran.cut, ran.value, ran.elapsed_ms) == (cut, None if cut else "done", takes_ms)


def test_the_answers_are_in_the_order_of_the_work_and_errors_are_values():
    async def scenario(cutter, loop):
        async def work(takes_ms, fails=False):
            await asyncio.sleep(takes_ms / 1000)
            if fails:
                raise ValueError("as planned")
            return takes_ms

        return await cutter.run([work(30), work(10, fails=True), work(20)], 1_000, loop.create_future())

    first, second, third = _run(scenario)
    assert (first.value, third.value, second.value) == (30, 20, None)
    assert isinstance(second.error, ValueError)
    assert [one.elapsed_ms for one in (first, second, third)] == [30, 10, 20]


@pytest.mark.ruling("R12")
def test_a_session_that_is_cancelled_cuts_at_once_and_leaves_no_callback():
    async def scenario(cutter, loop):
        cancelled = loop.create_future()
        loop.call_later(0.05, cancelled.set_result, None)
        ran = await cutter.run([asyncio.sleep(60)], 1_000, cancelled)
        quiet = loop.create_future()
        await cutter.run([asyncio.sleep(0.01)], 1_000, quiet)
        return ran, len(quiet._callbacks or ())

    ran, callbacks = _run(scenario)
    assert [(one.cut, one.elapsed_ms) for one in ran] == [(True, 50)]
    assert callbacks == 0


@pytest.mark.ruling("R12")
def test_nothing_starts_in_a_session_that_was_cancelled_before():
    async def scenario(cutter, loop):
        cancelled = loop.create_future()
        cancelled.set_result(None)
        begun = []

        async def work():
            begun.append("begun")

        return await cutter.run([work(), work()], 1_000, cancelled), begun

    ran, begun = _run(scenario)
    assert [(one.elapsed_ms, one.cut, one.value, one.error) for one in ran] == [(0, True, None, None)] * 2
    assert begun == []


@pytest.mark.ruling("R12")
@pytest.mark.parametrize(("gone_at_ms", "cut"), [(999, False), (8, True), (7, True)])
def test_a_call_that_cancelled_itself_before_its_session_was_cancelled_has_failed(gone_at_ms, cut):
    """Whoever cancels all tasks of a loop cancels the calls with their session; only those count as cut."""

    async def scenario(cutter, loop):
        cancelled = loop.create_future()
        loop.call_later(gone_at_ms / 1000, cancelled.set_result, None)

        async def cancels_itself():
            await asyncio.sleep(0.008)
            raise asyncio.CancelledError

        return await cutter.run([cancels_itself(), asyncio.sleep(1)], 4_000, cancelled)

    first, second = _run(scenario)
    assert (first.cut, first.elapsed_ms) == (cut, min(8, gone_at_ms))
    assert isinstance(first.error, asyncio.CancelledError) is not cut
    assert (second.cut, second.elapsed_ms) == (True, gone_at_ms)


@pytest.mark.ruling("R12")
def test_no_way_to_end_a_call_leaves_the_loop_anything_to_report():
    """What the loop reports goes to the host's log, with a tool's own words in it."""

    async def scenario(cutter, loop):
        reported = []
        loop.set_exception_handler(lambda _, context: reported.append(context["message"]))

        async def swallows_and_fails():
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                raise ValueError("words of the inside") from None

        ends_together = loop.create_future()
        loop.call_later(0.101, ends_together.set_result, None)
        await cutter.run([asyncio.sleep(0.101), asyncio.sleep(60)], 100, ends_together)
        await cutter.run([swallows_and_fails()], 100, loop.create_future())
        await cutter.run([asyncio.sleep(60)], 100, loop.create_future())
        await asyncio.sleep(5)
        gc.collect()
        return reported, len(cutter._cut)

    assert _run(scenario) == ([], 0)
