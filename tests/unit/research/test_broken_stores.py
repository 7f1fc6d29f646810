"""Records that end badly: deaths in a row, full stores, late errors; the session goes on, is settled and replays."""

from __future__ import annotations

import asyncio
import gc
import json

import pytest
from tests.fixtures.failing import content_full_once, journal_full
from tests.fixtures.scripted import Bench
from tests.fixtures.virtual_time import run_virtual
from tests.golden.cases import SESSION
from tests.unit.research.test_session_keys import PLAN, again, finished, killed_after

from app.kernel.journal_records import read_line
from app.research.record.history import recovered_line
from app.research.record.opening import session_of
from app.research.time_limits import Cutter


@pytest.mark.ruling("R19")
def test_who_dies_at_once_after_coming_back_leaves_a_record_that_still_goes_on_and_replays():
    first, outcome = finished({"plan": PLAN})
    second, _ = killed_after(3, {"plan": PLAN}, first)
    run_virtual(second.loop, again(second))
    third, _ = killed_after(4, {"plan": PLAN}, second)  # the fourth line says that the session went on, and no more
    run_virtual(third.loop, again(third))
    session = session_of(third.principal, "k")
    steps = [json.loads(line)["step"] for line in third.journal.lines(session)]
    assert steps[3:5] == ["Resumed", "Resumed"]
    assert third.replay(session).result == "identical"
    fourth, _ = killed_after(6, {"plan": PLAN}, third)
    got = run_virtual(fourth.loop, again(fourth))
    assert (got.bundle, got.verdict) == (outcome.bundle, outcome.verdict)
    assert fourth.replay(session).result == "identical"


@pytest.mark.ruling("R11")
@pytest.mark.ruling("R19")
@pytest.mark.parametrize("step", ["ReserveDecided", "Called"])
def test_a_session_whose_journal_was_full_goes_on_and_is_charged_once(step):
    case = {
        "plan": [{"calls": [{"id": "a", "tool": "beta", "spent_units": 40, "items": PLAN[0]["calls"][0]["items"]}]}]
    }
    bench = Bench(case)
    session = session_of(bench.principal, "k")
    free = journal_full(bench, step)

    async def twice():
        fallen = await again(bench)
        free()
        return fallen, await again(bench), await bench.ledger.standing(bench.principal.subject, session)

    fallen, got, standing = run_virtual(bench.loop, twice())
    assert fallen.verdict.stop == "INTERNAL_INCONSISTENCY"
    assert got.verdict.stop == "SUCCESS_COMPLETED"
    assert (standing.session_calls, standing.spent_units, standing.open_reservations) == (1, 40, 0)
    assert got.spent_units == 40
    assert bench.replay(session).result == "identical"


@pytest.mark.clause("4.2")
@pytest.mark.parametrize("place", [2, 3, 4, 5, 6])
def test_a_content_store_that_was_full_is_on_record_and_replays(place):
    """The second call's answer, those of the next batch, or the outcome that a key may ask for."""
    bench = Bench({"plan": PLAN})
    session = session_of(bench.principal, "k")
    content_full_once(bench, place + 1)
    got = run_virtual(bench.loop, again(bench))
    assert (got.verdict.stop, got.bundle.sources) == ("INTERNAL_INCONSISTENCY", ())
    record = [json.loads(line) for line in bench.journal.lines(session)]
    failed = [line["facts"] for line in record if line["step"] == "PortFailed"]
    assert failed == [{"error": "StoreUnusable", "port": "content.put", "violation": True}]
    assert bench.replay(session).result == "identical"


@pytest.mark.ruling("R19")
def test_a_session_that_fell_while_the_content_store_was_full_is_closed_later():
    bench = Bench({"plan": [{"calls": [{"id": "a", "tool": "unheard_of"}]}]})
    session = session_of(bench.principal, "k")
    content_full_once(bench, 3)  # the outcome

    async def twice():
        first = await again(bench)
        return first, bench.journal.is_closed(session), await again(bench)

    first, closed, second = run_virtual(bench.loop, twice())
    assert not closed
    assert bench.journal.is_closed(session)
    assert first.verdict == second.verdict
    assert first.verdict.stop == "INTERNAL_INCONSISTENCY"
    assert bench.replay(session).result == "identical"


@pytest.mark.ruling("R12")
@pytest.mark.ruling("R19")
def test_a_session_that_comes_back_to_a_full_journal_and_falls_at_once_still_ends_in_an_outcome():
    """Its time is looked up for the last word alone; that nothing can be written must not get out of the gate."""
    case = {"plan": [{"calls": [{"id": "a", "tool": "unheard_of"}]}]}
    first, outcome = finished(case)
    bench, _ = killed_after(1, case, first)
    session = session_of(bench.principal, "k")
    free = journal_full(bench)

    async def twice():
        fallen = await again(bench)
        left_open = not bench.journal.is_closed(session)
        free()
        return fallen, left_open, await again(bench)

    fallen, left_open, got = run_virtual(bench.loop, twice())
    assert fallen.verdict == got.verdict == outcome.verdict
    assert left_open
    assert bench.journal.is_closed(session)
    assert bench.replay(session).result == "identical"


@pytest.mark.clause("4.2")
@pytest.mark.ruling("R12")
def test_a_session_that_fell_and_was_killed_before_its_last_line_replays_as_far_as_it_came():
    bench = Bench({"plan": [*PLAN, {"calls": [{"id": "e", "tool": "unheard_of"}]}]})
    bench.run()
    lines = bench.journal.lines(SESSION)[:-1]
    head = read_line(lines[-1]).digest
    found = bench.replay(SESSION, (*lines, recovered_line(head, 0, 0).data))
    assert (found.result, found.stop) == ("identical", "INTERNAL_INCONSISTENCY")


def test_an_error_that_comes_too_late_is_not_reported_by_the_loop():
    """It would be, with the tool's own words, when the call is forgotten unread."""
    reported = []

    class Jumping:
        def __init__(self):
            self.at_ms = 0

        def now_ms(self):
            self.at_ms += 1_000
            return self.at_ms

    async def fails():
        raise ValueError("words of the inside")

    async def cut():
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: reported.append(context))
        ran = await Cutter(Jumping()).run([fails()], 100, loop.create_future())
        gc.collect()
        return ran

    (ran,) = asyncio.run(cut())
    assert ran.cut
    assert reported == []
