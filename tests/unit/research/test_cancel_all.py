"""Cancelling every task of the loop, as a host's shutdown does: the session's own task is among them (R12)."""

from __future__ import annotations

import asyncio
import gc
from contextlib import suppress

import pytest
from tests.fixtures.scripted import Bench
from tests.fixtures.virtual_time import run_virtual

from app.kernel.request import read_request
from app.research.record.opening import session_of

KEY = "shutdown"
BODY = "A long rest in the cold gives the crust its colour."
PLAN = [
    {"calls": [{"id": "a", "items": [{"body": BODY}]}, {"id": "b"}]},
    {"calls": [{"id": "c", "items": [{"body": "The oven stone is heated for an hour."}]}]},
]
REQUEST = read_request(question="?", capability="scripted")


def _stepping(bench):
    """A ledger that needs some turns of the loop for every answer, as one across a network does."""
    reserve, settle = bench.ledger.reserve, bench.ledger.settle

    async def slow_reserve(wish, give_up=None):
        for _ in range(3):
            await asyncio.sleep(0)
        return await reserve(wish, give_up)

    async def slow_settle(reservation_id, spent_units):
        for _ in range(3):
            await asyncio.sleep(0)
        await settle(reservation_id, spent_units)

    bench.ledger.reserve, bench.ledger.settle = slow_reserve, slow_settle


def _cancel_all():
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


def _shut_down(bench, steps, times=1, apart=0):
    """Cancel everything after some turns of the loop, some times; then wait for all that is left."""

    async def scenario():
        reported = []
        bench.loop.set_exception_handler(lambda _, context: reported.append(context["message"]))
        running = asyncio.ensure_future(bench.router.run(REQUEST, bench.principal, session_key=KEY))
        for _ in range(steps):
            await asyncio.sleep(0)
        finished, closed = running.done(), bench.journal.is_closed(session_of(bench.principal, KEY))
        for _ in range(times):
            _cancel_all()
            for _ in range(apart):
                await asyncio.sleep(0)
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        # The key is free again: it gives what was recorded, or, where nothing was begun, an answer of its own.
        outcome = await bench.router.run(REQUEST, bench.principal, session_key=KEY)
        gc.collect()
        return finished, closed, running.cancelled(), len(left), outcome, reported

    return run_virtual(bench.loop, scenario())


def _check(bench, steps, seen):
    finished, closed, cancelled, left, outcome, reported = seen
    session = session_of(bench.principal, KEY)
    assert (left, reported) == (0, []), steps
    assert bench.journal.is_closed(session), steps
    assert cancelled is not finished, steps
    assert bench.loop_free_standing(session).open_reservations == 0, steps
    replayed = bench.replay(session)
    assert replayed.identical, (steps, replayed)
    if closed or not steps:  # with no turn of the loop, not even the caller had begun
        assert outcome.verdict.stop == "SUCCESS_COMPLETED", steps
    else:
        causes = {signal.cause.value for signal in outcome.verdict.signals}
        assert (outcome.verdict.stop, causes) == ("TIMEOUT", {"cancelled"}), steps
    return finished


@pytest.mark.ruling("R12")
@pytest.mark.ruling("R19")
@pytest.mark.parametrize(("times", "apart"), [(1, 0), (3, 1), (12, 1)])
def test_at_whatever_step_every_task_is_cancelled_the_session_is_closed_and_its_key_free(times, apart):
    finished = False
    steps = 0
    while not finished:
        bench = Bench({"plan": PLAN})
        _stepping(bench)
        finished = _check(bench, steps, _shut_down(bench, steps, times, apart))
        steps += 1
    assert steps > 15, "the session is over before there is anything to cancel"


@pytest.mark.ruling("R12")
@pytest.mark.parametrize("case", [{"takes_ms": 60_000}, {"takes_ms": 60_000, "wait_ms": 500}])
def test_a_call_or_a_pause_that_every_task_is_cancelled_in_ends_with_it(case):
    plan = [{"calls": [{"id": "a", "takes_ms": case["takes_ms"]}], "wait_ms": case.get("wait_ms", 0)}]
    bench = Bench({"plan": plan})
    seen = _shut_down(bench, 9)
    assert not _check(bench, 9, seen)
    assert bench.tool.started == bench.tool.finished


@pytest.mark.ruling("R12")
def test_what_was_cancelled_before_its_first_call_starts_none():
    bench = Bench({"plan": PLAN})
    _stepping(bench)
    _check(bench, 3, _shut_down(bench, 3))
    assert bench.tool.started == []


@pytest.mark.ruling("R12")
def test_leaving_the_gate_ends_what_is_under_way_and_waits_for_it():
    bench = Bench({"plan": [{"calls": [{"id": "a", "takes_ms": 60_000}]}]})
    _stepping(bench)

    async def scenario():
        running = asyncio.ensure_future(bench.router.run(REQUEST, bench.principal))
        await asyncio.sleep(0.1)
        leaving = asyncio.ensure_future(bench.router.end_sessions())
        for _ in range(3):
            await asyncio.sleep(0)
            leaving.cancel()
        with suppress(asyncio.CancelledError):
            await leaving
        return leaving.cancelled(), running.done() or await running

    left_by_cancellation, _ = seen = run_virtual(bench.loop, scenario())
    assert left_by_cancellation, seen
    assert bench.journal.is_closed("00000000-0000-4000-8000-000000000001")


@pytest.mark.ruling("R12")
def test_a_gate_without_sessions_is_left_at_once():
    bench = Bench({"plan": PLAN})

    async def scenario():
        first = await bench.router.run(REQUEST, bench.principal)
        await bench.router.end_sessions()
        return first.verdict.stop

    assert run_virtual(bench.loop, scenario()) == "SUCCESS_COMPLETED"


@pytest.mark.ruling("R12")
@pytest.mark.ruling("R19")
def test_a_session_that_the_end_of_the_process_breaks_into_lets_go_of_its_key():
    """What is no `Exception` ends the loop itself; whoever comes with the key goes on behind what is on record."""
    bench = Bench({"plan": PLAN})

    class Interrupted:
        def session_started(self, grant):
            raise KeyboardInterrupt

    asked = bench.loop.create_task(bench.router.run(REQUEST, bench.principal, session_key=KEY, observer=Interrupted()))
    for _ in ("the session's task", "its caller's task"):
        with pytest.raises(KeyboardInterrupt):
            bench.loop.run_until_complete(asked)
    session = session_of(bench.principal, KEY)
    assert not bench.journal.is_closed(session)
    outcome = run_virtual(bench.loop, bench.router.run(REQUEST, bench.principal, session_key=KEY))
    assert outcome.verdict.stop == "SUCCESS_COMPLETED"
    assert bench.replay(session).identical
