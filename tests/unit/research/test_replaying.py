"""Replay: what differs is named by its first step; what is missing is refused; what was cut is repeated."""

from __future__ import annotations

import json

import pytest
from tests.fixtures.failing import Raising, failing
from tests.fixtures.scripted import Bench
from tests.fixtures.virtual_time import run_virtual
from tests.golden.cases import SESSION

from app.kernel.canonical import canonical_bytes, sha256_hex
from app.kernel.errors import StoreBusy, StoreUnusable
from app.kernel.journal_records import CHAIN_START, Erased, read_line, written_line
from app.research.record.history import recovered_line
from app.research.record.opening import read_chain

TWO = [
    {"calls": [{"id": "a", "items": [{"body": "The first page, which says one thing at some length."}]}]},
    {
        "calls": [
            {"id": "b", "takes_ms": 40, "items": [{"body": "The second page, which says something else entirely."}]},
            {"id": "c", "unavailable": "slow"},
        ]
    },
]


def recorded(case=None):
    bench = Bench(case or {"plan": TWO})
    bench.run()
    return bench, bench.journal.lines(SESSION)


def rechained(lines, change):
    """The lines with one change, and every hash behind it made to fit: what a careful forger would write."""
    out, head = [], CHAIN_START
    for number, data in enumerate(lines, start=1):
        line = json.loads(data)
        line["prev"] = head
        change(number, line)
        del line["sum"]
        head = sha256_hex(canonical_bytes(line)[:-1])
        out.append(canonical_bytes({**line, "sum": head}))
    return tuple(out)


@pytest.mark.clause("4.2")
def test_a_flipped_byte_anywhere_is_found_at_its_line():
    bench, lines = recorded()
    for number, data in enumerate(lines, start=1):
        for place in range(0, len(data), 7):
            flipped = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
            found = bench.replay(SESSION, (*lines[: number - 1], flipped, *lines[number:]))
            assert (found.result, found.step) == ("damaged", number), place
            assert f"step {number}" in found.why


@pytest.mark.parametrize(
    ("number", "path", "value"),
    [
        (1, ("facts", "rules"), "f" * 64),
        (1, ("facts", "contract"), "f" * 64),
        (3, ("facts", "outcome", "accepted"), 0),
        (3, ("facts", "input", "elapsed_ms"), 1),
        (4, ("facts", "wish", "calls"), 1),
        (7, ("facts", "spent_units"), 0),
        (7, ("facts", "verdict", "stop"), "NO_SOURCE"),
    ],
)
def test_a_forged_record_with_fitting_hashes_is_named(number, path, value):
    bench, lines = recorded()

    def change(at, line):
        if at == number:
            for name in path[:-1]:
                line = line[name]
            assert line[path[-1]] != value
            line[path[-1]] = value

    found = bench.replay(SESSION, rechained(lines, change))
    assert (found.result, found.step, found.steps) == ("differs", number, 7)
    kind = json.loads(lines[number - 1])["step"]
    named = {"rules": ": the rules changed since", "contract": ": the contract changed since"}.get(path[-1], "")
    assert found.why == f"step {number} ({kind}) comes out with other content{named}"
    assert found.stop == ("NO_SOURCE" if value == "NO_SOURCE" else "SUCCESS_COMPLETED")


def test_a_reading_too_many_or_too_few_is_named():
    bench, lines = recorded()

    def one_less(at, line):
        if at == 4:
            line["reads"].pop()

    def one_more(at, line):
        if at == 4:
            line["reads"].append(line["reads"][-1])

    for change, why in (
        (one_less, "step 4: recorded ReserveDecided, found a look at the clock"),
        (one_more, "step 4 (ReserveDecided) comes out with other content"),
    ):
        found = bench.replay(SESSION, rechained(lines, change))
        assert (found.result, found.step, found.why) == ("differs", 4, why)


def test_a_session_without_its_last_step_is_open_and_without_a_middle_one_damaged():
    bench, lines = recorded()
    unread = rechained(lines, lambda at, line: line["reads"].clear() if at == 1 else None)
    still = bench.replay(SESSION, lines[:-1])
    assert (still.result, still.steps, still.why) == ("open", 6, "the session has not ended")
    for session, cut, step in ((SESSION, lines[1:], 1), (SESSION, (*lines[:2], *lines[3:]), 3)):
        found = bench.replay(session, cut)
        assert (found.result, found.step) == ("damaged", step)
        assert found.why == f"step {step} is damaged: its hash is not the one that the journal holds"
    for session, cut in ((SESSION, ()), ("another", lines), (SESSION, unread)):
        found = bench.replay(session, cut)
        assert (found.result, found.step, found.steps) == ("damaged", 1, len(cut))
        assert found.why == "the journal does not begin with the opening of this session"


def test_a_session_that_comes_out_again_says_where_its_record_ends():
    bench, lines = recorded()
    found = bench.replay(SESSION)
    assert (found.result, found.steps, found.stop) == ("identical", 7, "SUCCESS_COMPLETED")
    assert found.journal_head == json.loads(lines[-1])["sum"]
    assert (found.step, found.why, found.identical) == (None, "", True)


def test_a_forged_shorter_session_differs_where_it_was_cut():
    bench, lines = recorded()
    shorter = rechained((*lines[:3], lines[-1]), lambda at, line: None)
    found = bench.replay(SESSION, shorter)
    assert (found.result, found.step, found.stop) == ("differs", 4, "SUCCESS_COMPLETED")
    assert found.why == "step 4: recorded Closed, found ReserveDecided"


def test_a_forged_longer_session_differs_where_the_rooms_end():
    bench, lines = recorded()
    again = rechained((*lines, lines[2], lines[-1]), lambda at, line: None)
    found = bench.replay(SESSION, again)
    assert (found.result, found.step, found.stop) == ("differs", len(lines) + 1, "SUCCESS_COMPLETED")
    assert found.why == "step 8: recorded Called, found the end"


def test_missing_and_erased_content_is_refused_by_name():
    bench, lines = recorded()
    raw = json.loads(lines[2])["facts"]["input"]["raw"]
    bench.store._objects.pop(("acme", raw))
    found = bench.replay(SESSION)
    assert (found.result, raw[:12] in found.why) == ("missing", True)
    erased = written_line(read_line(lines[-1]).digest, (), Erased(at_ms=1, objects=1, shared=0)).data
    assert bench.replay(SESSION, (*lines, erased)).result == "erased"


@pytest.mark.ruling("R12")
@pytest.mark.parametrize("whole", range(1, 7))
def test_a_session_that_was_found_open_is_repeated_as_far_as_it_came(whole):
    bench, lines = recorded()
    cut = (*lines[:whole], recovered_line(read_line(lines[whole - 1]).digest, 5, 1).data)
    found = bench.replay(SESSION, cut)
    assert (found.result, found.stop) == ("identical", "INTERNAL_INCONSISTENCY")
    if whole == 6:
        forged = rechained(cut, lambda at, line: line["facts"]["wish"].update(calls=4) if at == 2 else None)
        assert (bench.replay(SESSION, forged).result, bench.replay(SESSION, forged).step) == ("differs", 2)


def test_a_capability_that_is_gone_is_named():
    bench, lines = recorded()
    router_with = bench.router_with

    def without(toolbox, ledger):
        router = router_with(toolbox, ledger)
        router._capabilities = {}
        return router

    bench.router_with = without
    found = bench.replay(SESSION, lines)
    assert (found.result, found.step, found.stop) == ("differs", 1, "SUCCESS_COMPLETED")
    assert found.why == "capability `scripted` does not exist"


@pytest.mark.parametrize("error", [StoreUnusable("full"), StoreBusy("locked"), ValueError("odd")])
@pytest.mark.parametrize("operation", ["reserve", "settle"])
def test_a_failing_ledger_is_an_input_like_any_other(error, operation):
    bench = Bench({"plan": TWO})
    setattr(bench.ledger, operation, failing(error))
    outcome = bench.run()
    assert outcome.verdict.signals[0].code == type(error).__name__
    assert bench.replay(SESSION).result == "identical"


@pytest.mark.parametrize("method", ["session_started", "batch_started", "call_finished"])
def test_a_failing_observer_is_an_input_too(method):
    bench = Bench({"plan": TWO})
    request = {"question": "?", "capability": "scripted"}
    from app.kernel.request import read_request

    run = bench.router.run(read_request(**request), bench.principal, observer=Raising(method))
    outcome = run_virtual(bench.loop, run)
    assert (outcome.verdict.stop, outcome.verdict.signals[0].code) == ("INTERNAL_INCONSISTENCY", "LookupError")
    assert bench.replay(SESSION).result == "identical"


def test_what_no_room_wrote_is_no_line():
    _, lines = recorded()
    good = lines[0]
    assert read_line(good) is not None
    for bad in (
        b"",
        b"{",
        b"[]",
        b"null",
        good + b" ",
        good.replace(b'"step":"Opened"', b'"step":"Opener"'),
        good.replace(b'"step":"Opened"', b'"step":["Opened"]'),
        good.replace(b'"keyed":false', b'"keyed":0'),
        good.replace(b'"started_at_ms":1', b'"started_at_ms":1.5e3,"x":1'),
        b"[" * 100_000,
        good.replace(b'"reads":[[', b'"reads":[[Infinity,0],['),
        good.replace(b'"reads":[[', b'"reads":[[NaN,0],['),
    ):
        assert read_line(bad) is None
    assert read_chain((lines[1],)).broken_at == 1


def test_a_replay_needs_no_time():
    bench, _ = recorded({"plan": [{"wait_ms": 9_000, **TWO[0]}]})
    before = bench.loop.time()
    assert bench.replay(SESSION).result == "identical"
    assert bench.loop.time() == before
