"""What the journal tells an operator, and the receipt that is made of it."""

from __future__ import annotations

import hashlib
import json

import pytest
from tests.fixtures.scripted import Bench
from tests.golden.cases import SESSION

from app.kernel.errors import StoreUnusable
from app.kernel.journal_records import CHAIN_START, Erased, PortFailed, Resumed, read_line, written_line
from app.research.record.history import history_of, receipt_of, recovered_line
from app.research.record.opening import read_chain

PLAN = [
    {"calls": [{"id": "a", "takes_ms": 30, "items": [{"body": "A page that says one thing at some length."}]}]},
    {"calls": [{"id": "b", "takes_ms": 40, "unavailable": "slow"}]},
]


def lines_of(case):
    bench = Bench(case)
    bench.run()
    return read_chain(bench.journal.lines(SESSION)).lines


def followed_by(lines, record):
    return (*lines, read_line(written_line(lines[-1].digest, (), record).data))


def test_a_finished_session_is_told_in_numbers_step_by_step():
    history = history_of(lines_of({"plan": PLAN}))
    row = history.summary
    assert (row.session_id, row.tenant, row.state, row.erased) == (SESSION, "acme", "closed", False)
    assert (row.stop, row.action) == ("SUCCESS_COMPLETED", "GROUNDED")
    assert (row.calls, row.spent_units, row.elapsed_ms, row.sources) == (2, 2, 70, 1)
    assert [(step.step, step.kind, step.at_ms) for step in history.timeline] == [
        (1, "Opened", 0),
        (2, "ReserveDecided", 0),
        (3, "Called", 30),
        (4, "ReserveDecided", 30),
        (5, "Called", 70),
        (6, "Closed", 70),
    ]
    assert [history.timeline[number].facts for number in (0, 1, 2, 5)] == [
        "scripted in prod, contract 18.0.0",
        "1 call, 1 unit: reserved",
        "a alpha: ok in 30 ms, 1 candidate, 1 accepted, 0 findings",
        "SUCCESS_COMPLETED, GROUNDED, 2 units",
    ]
    assert history.timeline[4].facts == "b alpha: unavailable (slow) in 40 ms, 0 candidates, 0 accepted, 0 findings"


def test_a_refusal_shows_every_cause_and_the_signals_their_numbers():
    narrow = {"max_tool_calls_total": 1, "budget_units_clamp": 1}
    history = history_of(lines_of({"plan": PLAN, "request": {"narrow": narrow}}))
    assert history.timeline[3].facts == "1 call, 1 unit: refused (total_calls, total_units)"
    assert [(signal.limit, signal.value) for signal in history.signals] == [(1, 2), (1, 2)]


def test_a_session_that_is_open_recovered_or_damaged_says_so():
    lines = lines_of({"plan": PLAN})[:3]
    still = history_of(lines)
    assert (still.summary.state, still.summary.stop, still.summary.elapsed_ms, still.signals) == ("open", None, 30, ())
    assert (still.summary.spent_units, still.summary.sources) == (1, 0)
    gone = history_of((*lines, read_line(recovered_line(lines[-1].digest, 5, 2).data)))
    assert (gone.summary.state, gone.summary.stop) == ("recovered", "INTERNAL_INCONSISTENCY")
    assert gone.timeline[-1].facts == "found open, process gone; 2 reservations released"
    broken = history_of(lines, broken_at=4)
    assert (broken.summary.state, broken.broken_at) == ("damaged", 4)
    assert history_of(lines_of({"plan": PLAN}), broken_at=7).summary.state == "damaged"
    (signal,) = gone.signals
    assert (signal.reason, signal.cause, signal.code, signal.value) == (
        "INTERNAL_INCONSISTENCY",
        "unexpected_error",
        "interrupted",
        2,
    )


def test_what_a_closed_session_says_of_itself_goes_before_what_its_lines_add_up_to():
    lines = lines_of({"plan": PLAN})
    closed = lines[-1].record.model_copy(update={"elapsed_ms": 7_000, "spent_units": 90})
    row = history_of(followed_by(lines[:-1], closed)).summary
    assert (row.elapsed_ms, row.spent_units) == (7_000, 90)


def test_a_line_without_a_reading_was_written_at_the_start():
    first = lines_of({"plan": PLAN})[0]
    unread = read_line(written_line(CHAIN_START, (), first.record).data)
    assert [step.at_ms for step in history_of((unread,)).timeline] == [0]


def test_every_kind_of_line_has_words():
    lines = lines_of({"plan": PLAN})
    for record, said in (
        (PortFailed(port="observer", error="LookupError", violation=False), "observer failed: LookupError"),
        (Resumed(away_ms=7), "went on after 7 ms"),
        (Erased(at_ms=1, objects=2, shared=3), "2 objects erased, 3 kept for other sessions"),
    ):
        history = history_of(followed_by(lines, record))
        assert history.timeline[-1].facts == said
    assert history.summary.erased


def test_a_receipt_holds_what_went_in_and_out_and_vouches_for_itself():
    lines = lines_of({"plan": PLAN})
    receipt = receipt_of(lines)
    assert receipt.intact
    assert (receipt.session_id, receipt.stop, receipt.calls, receipt.spent_units) == (
        SESSION,
        "SUCCESS_COMPLETED",
        2,
        2,
    )
    assert (receipt.journal_head, receipt.lines) == (lines[-1].digest, 6)
    assert receipt.sources == lines[-1].record.sources
    assert not receipt.model_copy(update={"spent_units": 0}).intact
    plain = json.loads(receipt.model_dump_json(exclude_defaults=True))
    written = json.dumps({name: plain[name] for name in sorted(plain) if name != "receipt_id"}, separators=(",", ":"))
    assert receipt.receipt_id == hashlib.sha256(written.encode()).hexdigest()
    assert receipt_of(followed_by(lines, Erased(at_ms=1, objects=2, shared=3))) == receipt


def test_receipts_of_other_plans_and_questions_differ():
    first = receipt_of(lines_of({"plan": PLAN}))
    other_plan = receipt_of(lines_of({"plan": PLAN[:1]}))
    other_question = receipt_of(lines_of({"plan": PLAN, "request": {"question": "something else?"}}))
    assert first.plan != other_plan.plan
    assert (first.plan, first.request == other_question.request) == (other_question.plan, False)


@pytest.mark.parametrize("lines", [(), "without its beginning"])
def test_without_a_beginning_nothing_is_told(lines):
    known = lines_of({"plan": PLAN})[1:] if lines else ()
    with pytest.raises(StoreUnusable, match="does not begin"):
        history_of(known)


def test_without_an_end_there_is_no_receipt():
    with pytest.raises(StoreUnusable, match="no end"):
        receipt_of(lines_of({"plan": PLAN})[:-1])
