"""Coming back with a key at a bad moment: what broke on the way is told, and the record stays as it was (R12, R19)."""

from __future__ import annotations

import pytest
from tests.fixtures import scripted
from tests.fixtures.failing import Raising, content_full_once, failing
from tests.fixtures.scripted import Bench
from tests.fixtures.virtual_time import run_virtual
from tests.golden.cases import SESSION
from tests.unit.research.test_session_keys import PLAN, again, finished, killed_after

from app.kernel.errors import StoreBusy, StoreUnusable
from app.kernel.request import read_request
from app.research.record.opening import session_of

pytestmark = [pytest.mark.ruling("R12"), pytest.mark.ruling("R19")]
REQUEST = read_request(question="what is asked?", capability="scripted")
DEAR = [{"calls": [{"id": "a", "tool": "beta", "spent_units": 40, "items": PLAN[0]["calls"][0]["items"]}]}]


def _plan_that_raises(monkeypatch):
    def raises(plan, grant, so_far):
        raise LookupError("lost the thread")

    monkeypatch.setattr(scripted.ScriptedPlan, "next_step", raises)


TROUBLES = {
    "ledger unusable": lambda bench, patch: patch.setattr(bench.ledger, "reserve", failing(StoreUnusable("x"))),
    "ledger busy": lambda bench, patch: patch.setattr(bench.ledger, "reserve", failing(StoreBusy("x"))),
    "plan raises": lambda bench, patch: _plan_that_raises(patch),
    "session_started": None,
    "batch_started": None,
    "call_finished": None,
}


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("whole", [4, 5])
def test_a_bad_moment_costs_nothing_and_the_next_one_ends_the_session_as_if_it_had_not_been(
    trouble, whole, monkeypatch
):
    first, outcome = finished({"plan": PLAN})
    bench, lines = killed_after(whole, {"plan": PLAN}, first)
    session = session_of(bench.principal, "k")

    async def bad_then_good():
        with monkeypatch.context() as patch:
            breaks = TROUBLES[trouble]
            if breaks is not None:
                breaks(bench, patch)
            watching = None if breaks else Raising(trouble)
            bad = await bench.router.run(REQUEST, bench.principal, session_key="k", observer=watching)
        left = bench.journal.lines(session)
        return bad, left, await again(bench), await bench.ledger.standing(bench.principal.subject, session)

    bad, left, good, standing = run_virtual(bench.loop, bad_then_good())
    assert (bad.verdict.stop, bad.bundle.sources) == ("INTERNAL_INCONSISTENCY", ())
    assert left == lines[:whole]
    assert (good.bundle, good.verdict, good.spent_units) == (outcome.bundle, outcome.verdict, outcome.spent_units)
    assert (standing.spent_units, standing.open_reservations) == (outcome.spent_units, 0)
    assert bench.replay(session).result == "identical"


def test_a_settlement_that_fails_on_the_way_is_made_up_for():
    first, outcome = finished({"plan": PLAN})
    bench, lines = killed_after(5, {"plan": PLAN}, first)
    session, settle = session_of(bench.principal, "k"), bench.ledger.settle

    async def bad_then_good():
        bench.ledger.settle = failing(StoreBusy("x"))
        bad = await again(bench)
        bench.ledger.settle = settle
        left = bench.journal.lines(session)
        return bad, left, await again(bench), await bench.ledger.standing(bench.principal.subject, session)

    bad, left, good, standing = run_virtual(bench.loop, bad_then_good())
    assert (bad.verdict.stop, left) == ("INTERNAL_INCONSISTENCY", lines[:5])
    assert good.verdict == outcome.verdict
    assert (standing.spent_units, standing.open_reservations) == (outcome.spent_units, 0)


@pytest.mark.ruling("R11")
@pytest.mark.parametrize(("whole", "method", "spent"), [(3, "batch_started", 40), (2, "batch_started", 100)])
def test_whoever_watches_cannot_make_a_call_free(whole, method, spent):
    """A call on record costs what it said; one that an earlier life may have made, its price."""
    first, _ = finished({"plan": DEAR})
    bench, _ = killed_after(whole, {"plan": DEAR}, first)
    session = session_of(bench.principal, "k")

    async def twice():
        await bench.router.run(REQUEST, bench.principal, session_key="k", observer=Raising(method))
        got = await again(bench)
        return got, await bench.ledger.standing(bench.principal.subject, session)

    got, standing = run_virtual(bench.loop, twice())
    assert (got.spent_units, standing.spent_units, standing.open_reservations) == (spent, spent, 0)
    assert bench.replay(session).result == "identical"


@pytest.mark.ruling("R11")
@pytest.mark.parametrize(("method", "spent"), [("batch_started", 0), ("call_finished", 40)])
def test_in_a_first_life_nothing_is_charged_before_the_first_call_and_then_what_is_on_record(method, spent):
    bench = Bench({"plan": DEAR})
    got = run_virtual(bench.loop, bench.router.run(REQUEST, bench.principal, observer=Raising(method)))
    standing = bench.loop_free_standing(SESSION)
    assert (got.spent_units, standing.spent_units, standing.open_reservations) == (spent, spent, 0)
    assert bench.replay(SESSION).result == "identical"


def test_a_replay_whose_plan_raises_differs_and_says_where(monkeypatch):
    bench = Bench({"plan": PLAN})
    bench.run()
    _plan_that_raises(monkeypatch)
    found = bench.replay(SESSION)
    assert (found.result, found.step) == ("differs", 2)


@pytest.mark.parametrize("step", ["Opened", "Called", "Closed"])
@pytest.mark.parametrize("error", [OSError("odd"), RuntimeError("odd")])
def test_a_journal_that_fails_in_its_own_way_does_not_get_out(step, error):
    bench = Bench({"plan": PLAN})
    session = session_of(bench.principal, "k")
    append = bench.journal.append

    def fails(session_id, line):
        if f'"step":"{step}"'.encode() in line:
            raise error
        append(session_id, line)

    bench.journal.append = fails
    got = run_virtual(bench.loop, again(bench))
    assert (got.verdict.stop, got.bundle.sources) == ("INTERNAL_INCONSISTENCY", ())
    assert session not in bench.journal._held


def test_an_end_that_is_written_and_not_yet_filed_is_an_end():
    first, outcome = finished({"plan": PLAN})
    bench, lines = killed_after(9, {"plan": PLAN}, first)
    session = session_of(bench.principal, "k")
    assert not bench.journal.is_closed(session)
    assert run_virtual(bench.loop, again(bench)) == outcome
    assert bench.journal.is_closed(session)
    assert (bench.journal.lines(session), bench.tool.started) == (lines, [])


def test_a_session_that_was_never_opened_leaves_its_key_free():
    bench = Bench({"plan": PLAN})
    flush = bench.store.flush
    session = session_of(bench.principal, "k")

    async def in_turn():
        bench.store.flush = failing(StoreUnusable("no space left"))
        await again(bench)
        bench.store.flush = flush
        return bench.journal.lines(session), await again(bench, question="and what is asked now?")

    lines, got = run_virtual(bench.loop, in_turn())
    assert [b'"step":"PortFailed"' in line for line in lines] == [True]
    assert got.verdict.stop == "SUCCESS_COMPLETED"
    assert bench.replay(session).result == "identical"


def test_an_end_after_a_fall_that_is_not_yet_filed_is_an_end_too():
    case = {"plan": [{"calls": [{"id": "a", "tool": "unheard_of"}]}]}
    first, outcome = finished(case)
    bench, lines = killed_after(9, case, first)
    assert run_virtual(bench.loop, again(bench)) == outcome
    assert bench.journal.is_closed(session_of(bench.principal, "k"))
    assert bench.journal.lines(session_of(bench.principal, "k")) == lines


def test_a_session_that_could_not_be_opened_and_said_so_has_ended():
    bench = Bench({"plan": PLAN})
    content_full_once(bench, 1)

    async def twice():
        return await again(bench), await again(bench)

    first, second = run_virtual(bench.loop, twice())
    assert first == second
    assert (first.verdict.stop, bench.tool.started) == ("INTERNAL_INCONSISTENCY", [])
