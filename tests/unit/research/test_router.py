"""The router: what is refused before a session opens, and what happens when a room breaks."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import nullcontext, suppress

import pytest
from tests.fixtures.scripted import SCREEN, Bench
from tests.fixtures.virtual_time import run_virtual

from app.kernel.errors import OperationForbidden, RequestInvalid, StoreUnusable
from app.kernel.outcome import Verdict
from app.kernel.request import read_request
from app.kernel.stops import Action, StopReason
from app.research import resolver

PLAN = [{"calls": [{"id": "a", "items": [{"body": "A page that would have been a good source."}]}]}]


def test_an_unknown_capability_opens_no_session():
    bench = Bench({"plan": PLAN})
    with pytest.raises(RequestInvalid, match="`fly` does not exist"):
        run_virtual(bench.loop, bench.router.run(read_request(question="?", capability="fly"), bench.principal))
    assert bench.journal.lines("00000000-0000-4000-8000-000000000001") == ()


@pytest.mark.ruling("R12")
@pytest.mark.parametrize("step", ["Opened", "ReserveDecided", "Called", "Closed"])
def test_a_journal_that_cannot_be_written_falls_closed(step):
    bench = Bench({"plan": PLAN})
    append = bench.journal.append

    def full(session_id, record):
        if json.loads(record)["step"] == step:
            raise StoreUnusable("no space left")
        append(session_id, record)

    bench.journal.append = full
    outcome = bench.run()
    assert (outcome.verdict.stop, outcome.verdict.action) == ("INTERNAL_INCONSISTENCY", "BASELINE")
    assert outcome.bundle.sources == ()
    assert bench.loop_free_standing(outcome.session_id).open_reservations == 0


@pytest.mark.clause("3.2")
@pytest.mark.clause("6.1")
@pytest.mark.parametrize("clarified", [True, False])
def test_a_resolver_that_lies_is_caught_by_the_check(monkeypatch, clarified):
    """Patched, since the check is there for a resolver that is broken, and ours is not."""

    def lying(signals, counted, clarified, contract):
        return Verdict(stop=StopReason.SUCCESS_COMPLETED, action=Action.GROUNDED)

    monkeypatch.setattr(resolver, "resolve", lying)
    outcome = Bench({"plan": [{"calls": [{"id": "a"}]}], "request": {"clarified": clarified}}).run()
    assert outcome.verdict.stop == "VALIDATION_FAIL"
    assert outcome.verdict.action == ("UNKNOWN" if clarified else "ASK_CLARIFY")
    assert outcome.bundle.sources == ()


def _connects():
    socket.socket().close()


@pytest.mark.ruling("R16")
@pytest.mark.parametrize("hidden", [True, False])
def test_a_room_that_trips_the_wire_ends_the_session(hidden):
    def screen(call_id, raw):
        with suppress(OperationForbidden) if hidden else nullcontext():
            _connects()
        return SCREEN(call_id, raw)

    bench = Bench({"plan": PLAN, "screen": screen})
    outcome = bench.run()
    signal = outcome.verdict.signals[0]
    assert (outcome.verdict.stop, outcome.verdict.action) == ("SANDBOX_VIOLATION", "BASELINE")
    assert (signal.cause, signal.code) == ("operation_forbidden", "OperationForbidden")
    assert outcome.bundle.sources == ()
    assert bench.journal.is_closed(outcome.session_id)
    assert bench.loop_free_standing(outcome.session_id).open_reservations == 0


@pytest.mark.ruling("R16")
def test_a_capability_that_trips_the_wire_ends_the_session():
    bench = Bench({"plan": PLAN})
    bench._plan = _connects
    outcome = bench.run()
    assert outcome.verdict.stop == "SANDBOX_VIOLATION"
    assert bench.tool.started == []
    assert bench.journal.is_closed(outcome.session_id)


def test_tools_stores_and_observers_are_left_alone():
    class Watcher:
        def session_started(self, grant):
            _connects()

        def batch_started(self, calls_left, units_left, remaining_ms):
            _connects()

        def call_finished(self, outcome):
            _connects()

    bench = Bench({"plan": PLAN})
    append, call = bench.journal.append, bench.tool.call

    def append_by_wire(session_id, record):
        _connects()
        append(session_id, record)

    async def call_by_wire(asked, context):
        _connects()
        return await call(asked, context)

    bench.journal.append = append_by_wire
    bench.tool.call = call_by_wire
    request = read_request(question="?", capability="scripted")
    outcome = run_virtual(bench.loop, bench.router.run(request, bench.principal, observer=Watcher()))
    assert outcome.verdict.stop == "SUCCESS_COMPLETED"


@pytest.mark.clause("3.2")
def test_a_bundle_that_fails_the_check_is_sealed_again_without_its_sources(monkeypatch):
    """Patched, since the check is there for a resolver that is broken, and ours is not."""

    def lying(signals, counted, clarified, contract):
        return Verdict(stop=StopReason.SUCCESS_COMPLETED, action=Action.UNKNOWN)

    monkeypatch.setattr(resolver, "resolve", lying)
    outcome = Bench({"plan": PLAN}).run()
    assert outcome.verdict.stop == "VALIDATION_FAIL"
    assert (outcome.bundle.sources, len(outcome.bundle.withheld_source_ids)) == ((), 1)


def _closed_of(bench, session_id):
    return json.loads(bench.journal.lines(session_id)[-1])["facts"]


def test_only_a_session_with_a_key_keeps_its_outcome():
    bench = Bench({"plan": PLAN})
    assert _closed_of(bench, bench.run().session_id).get("kept") is None
    keyed = Bench({"plan": PLAN})
    request = read_request(question="?", capability="scripted")
    outcome = run_virtual(keyed.loop, keyed.router.run(request, keyed.principal, session_key="k"))
    assert _closed_of(keyed, outcome.session_id)["kept"] is not None


def test_a_session_that_could_not_be_closed_is_let_go():
    bench = Bench({"plan": PLAN})
    given_up, abandon, append = [], bench.journal.abandon, bench.journal.append

    def full(session_id, record):
        if json.loads(record)["step"] == "Closed":
            raise StoreUnusable("no space left")
        append(session_id, record)

    def let_go(session_id):
        given_up.append(session_id)
        abandon(session_id)

    bench.journal.append, bench.journal.abandon = full, let_go
    assert given_up == [bench.run().session_id]


@pytest.mark.ruling("R12")
def test_however_often_the_caller_cancels_the_session_is_closed_first():
    bench = Bench({"plan": [{"calls": [{"id": "a", "takes_ms": 5_000}]}]})
    settle, entered = bench.ledger.settle, []

    async def slow_settle(reservation_id, spent_units):
        entered.append(reservation_id)
        await asyncio.sleep(1)
        await settle(reservation_id, spent_units)

    bench.ledger.settle = slow_settle

    async def impatient():
        request = read_request(question="?", capability="scripted")
        running = asyncio.ensure_future(bench.router.run(request, bench.principal))
        await asyncio.sleep(0.1)
        for _ in range(3):
            running.cancel()
            await asyncio.sleep(0.1)
        open_still = not running.done()
        with suppress(asyncio.CancelledError):
            await running
        return open_still, running.cancelled()

    assert run_virtual(bench.loop, impatient()) == (True, True)
    assert len(entered) == 1
    assert bench.journal.is_closed("00000000-0000-4000-8000-000000000001")


@pytest.mark.ruling("R21")
def test_what_an_outside_agent_reports_grounds_nothing_whatever_a_plan_counts():
    item = {"kind": "reported", "body": "an agent says that it read this somewhere"}
    case = {"plan": [{"calls": [{"id": "a", "items": [item]}]}], "counts": ["reported"]}
    assert Bench(case).run().verdict.stop == "NO_SOURCE"
