"""What the adapter hands on and counts: contexts, keys of reservations, what a plan sees, time that ran out last."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.fixtures.at_once import at_once
from tests.fixtures.scripted import SCREEN, TOOLS, Bench
from tests.fixtures.virtual_time import run_virtual
from tests.unit.research.test_session_keys import again, finished, killed_after

from app.kernel.calls import Batch, Done, ToolCall
from app.kernel.catalog import ToolTable
from app.kernel.errors import StoreUnusable
from app.kernel.request import read_request
from app.kernel.results import RawResult
from app.research.record.opening import session_of

TEXT = "Rye ferments faster than wheat, which is why its dough is watched and not timed."
SESSION = "00000000-0000-4000-8000-000000000001"
ONE = [{"calls": [{"id": "a", "items": [{"body": TEXT}]}]}]


def _steps(bench, step, session=SESSION):
    lines = [json.loads(line) for line in bench.journal.lines(session)]
    return [line["facts"] for line in lines if line["step"] == step]


@pytest.mark.clause("3.1")
@pytest.mark.parametrize("room", ["policy", "catalogue", "capability"])
def test_a_tool_must_be_granted_listed_and_named_by_its_capability(room):
    """Reaches inside: each of the three must hold where the others were wrong."""
    bench = Bench({"plan": ONE})
    router = bench.router
    if room == "policy":
        granted = router._policy.grant
        vars(router)["_policy"] = SimpleNamespace(
            **dict(router._policy), grant=lambda *given: granted(*given[:-1], ("beta",))
        )
    elif room == "catalogue":
        other = ToolTable(catalog_version=TOOLS.catalog_version, tools=TOOLS.tools[1:])
        router._basis = replace(router._basis, tools=other)
    else:
        router._capabilities = {"scripted": replace(router._capabilities["scripted"], tools=("beta",))}
    outcome = bench.run()
    assert outcome.verdict.signals[0].code == "ContractViolation"
    assert bench.tool.started == []


def test_the_tools_of_a_host_are_told_in_one_order():
    bench = Bench({"plan": ONE})
    bench.loop.close()
    turned = dict.fromkeys(("writer", "beta", "alpha"), bench.tool)
    assert bench.router_with(turned, bench.ledger)._adapter.tools == ("alpha", "beta", "writer")


class _Remembering:
    """A tool that keeps what it was told."""

    def __init__(self, answer):
        self.contexts, self._answer = [], answer

    async def call(self, call, context):
        self.contexts.append(context)
        return self._answer


@pytest.mark.ruling("R2")
@pytest.mark.parametrize(("limit_ms", "told_ms"), [(3_000, 3_000), (5_000, 4_000)])
def test_a_tool_is_told_the_smaller_of_its_own_deadline_and_the_limit(limit_ms, told_ms):
    bench = Bench({"plan": ONE, "request": {"narrow": {"per_call_timeout_ms": limit_ms}}})
    tool = _Remembering(RawResult(status="empty", spent_units=1))
    bench.router._adapter._toolbox["alpha"] = tool
    bench.run()
    assert [context.own_deadline_ms for context in tool.contexts] == [told_ms]


def test_a_cut_result_is_told_as_cut():
    bench = Bench({"plan": ONE})
    for cut in (True, False):
        answer = RawResult(status="empty", spent_units=1, truncated=cut)
        again = Bench({"plan": ONE})
        again.router._adapter._toolbox["alpha"] = _Remembering(answer)
        assert [outcome.truncated for outcome in again.run().outcomes] == [cut]
    assert [outcome.truncated for outcome in bench.run().outcomes] == [False]


@pytest.mark.parametrize(("age_ms", "max_age_ms"), [(7, 9), (None, None), (0, None), (None, 3)])
def test_the_age_of_a_stored_answer_is_told(age_ms, max_age_ms):
    bench = Bench({"plan": ONE})
    answer = RawResult(status="empty", spent_units=1, age_ms=age_ms, max_age_ms=max_age_ms)
    bench.router._adapter._toolbox["alpha"] = _Remembering(answer)
    assert [(outcome.age_ms, outcome.max_age_ms) for outcome in bench.run().outcomes] == [(age_ms, max_age_ms)]


def test_reservations_are_numbered_from_one_and_leased_beyond_the_session():
    bench = Bench({"plan": [*ONE, {"calls": [{"id": "b"}]}]})
    bench.run()
    wishes = [facts["wish"] for facts in _steps(bench, "ReserveDecided")]
    assert [wish["key"] for wish in wishes] == ["batch-1", "batch-2"]
    # The session's own limit, and ten seconds for a process that is slow to settle.
    assert [wish["lease_ms"] for wish in wishes] == [25_000, 25_000]


@pytest.mark.ruling("R4")
def test_a_plan_sees_the_sources_so_far():
    seen = []

    class Looking:
        counts = ()

        def next_step(self, grant, so_far):
            seen.append([source.text for source in so_far.sources])
            return Done(why="complete") if so_far.outcomes else Batch(calls=(ToolCall(call_id="a", tool="alpha"),))

    bench = Bench({"plan": ONE})
    bench._plan = Looking
    bench.run()
    assert seen == [[], [TEXT]]


@pytest.mark.ruling("R11")
def test_a_batch_that_never_began_costs_nothing():
    bench = Bench({"plan": ONE})
    append = bench.journal.append

    def full(session_id, record):
        if json.loads(record)["step"] == "ReserveDecided":
            raise StoreUnusable("no space left")
        append(session_id, record)

    bench.journal.append = full
    assert bench.run().spent_units == 0
    assert bench.loop_free_standing(SESSION).spent_units == 0


@pytest.mark.ruling("R5")
@pytest.mark.parametrize(("seconds", "stop"), [(15.0, "SUCCESS_COMPLETED"), (15.001, "TIMEOUT")])
def test_time_that_runs_out_while_the_last_answer_is_judged_still_counts(seconds, stop):
    def slow(call_id, raw):
        bench.loop._jumping.seconds += seconds
        return SCREEN(call_id, raw)

    bench = Bench({"plan": ONE, "screen": slow})
    outcome = bench.run()
    assert outcome.verdict.stop == stop
    assert bool(outcome.bundle.sources) is (stop == "SUCCESS_COMPLETED")


@pytest.mark.ruling("R19")
def test_a_refusal_on_record_is_not_asked_for_again():
    case = {"plan": [{"calls": [{"id": "a", "tool": "beta"}, {"id": "b", "tool": "beta"}]}], "request": {}}
    narrow = {"budget_units_clamp": 150}
    first = Bench(case)
    request = read_request(question="?", capability="scripted", narrow=narrow)
    run_virtual(first.loop, first.router.run(request, first.principal, session_key="k"))
    session = session_of(first.principal, "k")
    lines = first.journal.lines(session)
    assert [facts["decision"].get("signals") is not None for facts in _steps(first, "ReserveDecided", session)] == [
        True
    ]
    second = Bench(case)
    at_once(second.journal.begin("acme", session))
    for line in lines[:2]:
        second.journal.append(session, line)
    second.journal.abandon(session)
    second.store._objects = dict(first.store._objects)
    asked, reserve = [], second.ledger.reserve

    async def counted(wish, *more):
        asked.append(wish.key)
        return await reserve(wish, *more)

    second.ledger.reserve = counted
    outcome = run_virtual(second.loop, second.router.run(request, second.principal, session_key="k"))
    assert outcome.verdict.stop == "BUDGET_EXHAUSTED"
    assert asked == []


@pytest.mark.ruling("R5")
@pytest.mark.parametrize(("takes_ms", "status"), [(0, "ok"), (1, "timed_out")])
def test_at_the_very_end_of_its_time_a_session_may_still_do_what_takes_none(takes_ms, status):
    told = []

    class Watcher:
        def session_started(self, grant): ...

        def batch_started(self, calls_left, units_left, remaining_ms):
            told.append(remaining_ms)

        def call_finished(self, outcome): ...

    late = {"id": "b", "takes_ms": takes_ms, "items": [{"body": TEXT}]}
    bench = Bench({"plan": [*ONE, {"wait_ms": 5_000, "calls": [late]}, {"wait_ms": 7, "calls": [{"id": "c"}]}]})
    request = read_request(
        question="?", capability="scripted", narrow={"total_research_timeout_ms": 5_000, "per_call_timeout_ms": 5_000}
    )
    outcome = run_virtual(bench.loop, bench.router.run(request, bench.principal, observer=Watcher()))
    assert told == [5_000, 0]
    assert [call["outcome"]["status"] for call in _steps(bench, "Called")] == ["ok", status]
    assert [(signal.reason, signal.cause) for signal in outcome.verdict.signals] == [("TIMEOUT", "total_timeout")]
    assert outcome.elapsed_ms == 5_001  # what has no time left is cut a millisecond later


@pytest.mark.ruling("R19")
def test_a_pause_on_record_is_not_made_again():
    plan = [*ONE, {"wait_ms": 4_000, "calls": [{"id": "b", "items": [{"body": TEXT}]}]}]
    first, _ = finished({"plan": plan})
    bench, _ = killed_after(5, {"plan": plan}, first)
    run_virtual(bench.loop, again(bench))
    assert (bench.tool.started, bench.loop.time()) == ([], 0.0)


def test_carriers_are_counted_over_all_calls():
    hidden = "\u200b".join(("Rye ferments fas", "ter than wheat, which is why its dough ", "is watched."))
    calls = [{"id": name, "items": [{"body": f"{name} {hidden}"}]} for name in "ab"]
    bench, found = Bench({"plan": [{"calls": calls}]}), []
    collect = bench.router._adapter.collect

    async def seen(*given):
        found.append(await collect(*given))
        return found[0]

    bench.router._adapter.collect = seen
    bench.run()
    assert (found[0].carriers_removed, [call["outcome"]["carriers_removed"] for call in _steps(bench, "Called")]) == (
        4,
        [2, 2],
    )
