"""Session keys: a finished session gives its outcome again, an unfinished one goes on (R19)."""

from __future__ import annotations

import json

import pytest
from tests.fixtures.at_once import at_once
from tests.fixtures.failing import failing
from tests.fixtures.scripted import Bench
from tests.fixtures.virtual_time import run_virtual

from app.kernel.errors import RequestInvalid, StoreBusy, StoreUnusable
from app.kernel.journal_records import Erased, read_line, written_line
from app.kernel.request import read_request
from app.research.record.history import recovered_line
from app.research.record.opening import session_of

PLAN = [
    {
        "calls": [
            {"id": "a", "takes_ms": 30, "items": [{"body": "The first page, which says one thing at some length."}]}
        ]
    },
    {
        "calls": [
            {"id": "b", "takes_ms": 40, "items": [{"body": "The second page, which says something else entirely."}]},
            {"id": "c", "unavailable": "slow"},
        ],
        "wait_ms": 100,
    },
    {"calls": [{"id": "d", "items": [{"body": "The third page has its own story, quite unlike the others."}]}]},
]


def start(case, key="k", question="what is asked?", **fields):
    bench = Bench(case)
    return bench, again(bench, key, question, **fields)


def again(bench, key="k", question="what is asked?", principal=None, **fields):
    request = read_request(question=question, capability="scripted", **fields)
    return bench.router.run(request, principal or bench.principal, session_key=key)


def finished(case):
    bench, run = start(case)
    outcome = run_virtual(bench.loop, run)
    return bench, outcome


def killed_after(whole, case, bench):
    """Another process with the same data, where the first one died after so many lines."""
    lines = bench.journal.lines(session_of(bench.principal, "k"))
    other = Bench(case)
    session = session_of(other.principal, "k")
    at_once(other.journal.begin("acme", session))
    for line in lines[:whole]:
        other.journal.append(session, line)
    other.journal.abandon(session)
    other.store._objects = dict(bench.store._objects)
    return other, lines


@pytest.mark.ruling("R19")
@pytest.mark.parametrize("whole", range(10))
def test_a_session_goes_on_after_a_kill_and_repeats_no_recorded_call(whole):
    first, outcome = finished({"plan": PLAN})
    other, lines = killed_after(whole, {"plan": PLAN}, first)
    assert len(lines) == 9
    known = [json.loads(line)["facts"]["outcome"]["call_id"] for line in lines[:whole] if b'"step":"Called"' in line]
    got = run_virtual(other.loop, again(other))
    session = session_of(other.principal, "k")
    assert [call for call in other.tool.started if call in known] == []
    assert sorted(known + other.tool.started) == (["a", "b", "c", "d"] if whole < 9 else sorted(known))
    assert got.bundle == outcome.bundle
    assert got.verdict == outcome.verdict
    assert got.spent_units == outcome.spent_units
    assert other.journal.is_closed(session) or whole == 9
    if whole < 9:
        assert other.journal.lines(session)[:whole] == lines[:whole]
        assert other.replay(session).result == "identical"


@pytest.mark.ruling("R19")
def test_a_finished_session_gives_the_same_outcome_and_calls_nothing():
    bench, run = start({"plan": PLAN})

    async def twice():
        return await run, len(bench.tool.started), await again(bench), len(bench.tool.started)

    first, called, second, called_then = run_virtual(bench.loop, twice())
    assert (second, called_then) == (first, called)


def test_downtime_does_not_count_against_the_session():
    first, _ = finished({"plan": PLAN})
    other, _ = killed_after(3, {"plan": PLAN}, first)

    async def much_later():
        import asyncio

        await asyncio.sleep(3_600)
        return await again(other)

    got = run_virtual(other.loop, much_later())
    assert got.verdict.stop == "SUCCESS_COMPLETED"
    session = session_of(other.principal, "k")
    resumed = [json.loads(line) for line in other.journal.lines(session) if b'"step":"Resumed"' in line]
    assert [line["facts"]["away_ms"] > 3_000_000 for line in resumed] == [True]


def test_a_session_that_dies_twice_still_goes_on():
    first, outcome = finished({"plan": PLAN})
    second, _ = killed_after(3, {"plan": PLAN}, first)
    run_virtual(second.loop, again(second))
    third, _ = killed_after(6, {"plan": PLAN}, second)
    got = run_virtual(third.loop, again(third))
    assert got.bundle == outcome.bundle
    assert third.replay(session_of(third.principal, "k")).result == "identical"


@pytest.mark.ruling("R19")
def test_a_write_that_may_have_happened_is_never_tried_again():
    case = {"plan": [{"calls": [{"id": "w", "tool": "writer", "items": [{"body": "It was written, says the tool."}]}]}]}
    first, _ = finished(case)
    other, _ = killed_after(2, case, first)
    got = run_virtual(other.loop, again(other))
    assert other.tool.started == []
    assert (got.verdict.stop, got.verdict.signals[0].code) == ("INTERNAL_INCONSISTENCY", "lost")
    assert other.replay(session_of(other.principal, "k")).result == "identical"


@pytest.mark.ruling("R19")
def test_a_record_that_cannot_be_repeated_falls_closed_and_stays_as_it_was():
    first, outcome = finished({"plan": PLAN})
    other, lines = killed_after(3, {"plan": PLAN[::-1]}, first)
    session = session_of(other.principal, "k")

    async def twice():
        return await again(other), other.journal.lines(session), await again(other)

    got, left, same = run_virtual(other.loop, twice())
    assert (got.verdict.stop, got.verdict.signals[0].cause) == ("INTERNAL_INCONSISTENCY", "contract_violation")
    assert (got.verdict, got.bundle.sources, left) == (same.verdict, (), lines[:3])
    with_its_own_plan, _ = killed_after(3, {"plan": PLAN}, other)
    assert run_virtual(with_its_own_plan.loop, again(with_its_own_plan)).bundle == outcome.bundle


def test_a_ledger_that_failed_before_the_kill_has_still_failed():
    bench, run = start({"plan": PLAN})
    bench.ledger.reserve = failing(StoreUnusable("full"))
    run_virtual(bench.loop, run)
    other, lines = killed_after(2, {"plan": PLAN}, bench)
    assert b'"step":"PortFailed"' in lines[1]
    got = run_virtual(other.loop, again(other))
    assert (got.verdict.signals[0].code, other.tool.started) == ("StoreUnusable", [])


def test_a_key_belongs_to_one_request_of_one_user():
    bench, run = start({"plan": PLAN})

    async def others():
        mine = await run
        with pytest.raises(RequestInvalid, match="another request"):
            await again(bench, question="something else?")
        promoted = bench.principal.model_copy(update={"tier": "MAX"})
        with pytest.raises(RequestInvalid, match="another request"):
            await again(bench, principal=promoted)
        theirs = await again(bench, principal=bench.principal.model_copy(update={"user": "u2"}))
        return mine, theirs

    mine, theirs = run_virtual(bench.loop, others())
    assert mine.session_id != theirs.session_id


@pytest.mark.parametrize("key", ["", "k" * 201, "\ud800", "a\nb"])
def test_a_key_has_a_length(key):
    bench, run = start({"plan": PLAN}, key=key)
    with pytest.raises(RequestInvalid, match="1 to 200"):
        run_virtual(bench.loop, run)


def test_a_session_that_runs_cannot_be_run_beside_itself():
    bench, run = start({"plan": PLAN})

    async def beside():
        import asyncio

        task = asyncio.ensure_future(run)
        await asyncio.sleep(0.01)
        with pytest.raises(StoreBusy):
            await again(bench)
        return await task

    assert run_virtual(bench.loop, beside()).verdict.stop == "SUCCESS_COMPLETED"


def test_a_damaged_or_emptied_record_is_refused_and_let_go():
    first, _ = finished({"plan": PLAN})
    other, lines = killed_after(3, {"plan": PLAN}, first)
    session = session_of(other.principal, "k")
    other.journal._sessions[session].lines[1] = b"{}"

    async def refused(match):
        with pytest.raises(StoreUnusable, match=match):
            await again(other)
        assert session not in other.journal._held

    async def both():
        await refused("damaged at step 2")
        other.journal._sessions[session].lines[1] = lines[1]
        other.store._objects.clear()
        await refused("missing")

    run_virtual(other.loop, both())


def test_a_session_that_was_given_up_or_erased_says_so():
    first, _ = finished({"plan": PLAN})
    session = session_of(first.principal, "k")
    lines = first.journal.lines(session)
    for extra, error, match in (
        (recovered_line(read_line(lines[2]).digest, 1, 0), RequestInvalid, "given up"),
        (written_line(read_line(lines[-1]).digest, (), Erased(at_ms=1, objects=1, shared=0)), StoreUnusable, "erased"),
    ):
        other, _ = killed_after(0, {"plan": PLAN}, first)
        assert other.journal.hold(other.journal.find(session))
        for line in (*(lines[:3] if error is RequestInvalid else lines), extra.data):
            other.journal.append(session, line)
        other.journal.close(session)
        with pytest.raises(error, match=match):
            run_virtual(other.loop, again(other))


def test_a_replay_under_another_plan_differs_and_stores_nothing():
    first, _ = finished({"plan": PLAN})
    session = session_of(first.principal, "k")
    other = Bench({"plan": PLAN[::-1]})
    other.store._objects = dict(first.store._objects)
    found = other.replay(session, first.journal.lines(session))
    other.loop.close()
    assert (found.result, found.step) == ("differs", 2)
    assert other.store._objects == first.store._objects


def test_a_session_is_not_carried_on_under_other_rules_and_stays_open():
    first, _ = finished({"plan": PLAN})
    other, _ = killed_after(3, {"plan": PLAN, "environment": "staging"}, first)
    with pytest.raises(RequestInvalid, match="other rules, caps or settings"):
        run_virtual(other.loop, again(other))
    session = session_of(other.principal, "k")
    assert not other.journal.is_closed(session)
    assert session not in other.journal._held
    assert len(other.journal.lines(session)) == 3
