"""Golden cases: every stop reason through the public router and the real rooms, to the digest."""

from __future__ import annotations

import copy
from collections import Counter

import pytest

from app.kernel.stops import StopReason
from tests.golden.cases import SESSION, alike, case_files, play, read_case

CASES = {path.stem: read_case(path) for path in case_files()}


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    case = CASES[name]
    bench, got = play(case)
    assert got == case["want"]
    standing = bench.loop_free_standing(SESSION)
    assert standing.open_reservations == 0
    assert standing.spent_units == got["spent_units"]
    assert bench.journal.is_closed(SESSION)
    assert len(bench.tool.started) == len(got["calls"])


@pytest.mark.clause("4.2")
@pytest.mark.parametrize("name", sorted(CASES)[::7])
def test_the_same_case_gives_the_same_bytes(name):
    first, _ = play(CASES[name])
    second, _ = play(CASES[name])
    assert first.journal.lines(SESSION) == second.journal.lines(SESSION)


@pytest.mark.clause("4.2")
@pytest.mark.parametrize("name", CASES)
def test_every_case_replays_to_the_byte_without_tools_and_ledger(name):
    bench, got = play(CASES[name])
    replayed = bench.replay(SESSION)
    assert (replayed.identical, replayed.why) == (True, "")
    assert replayed.steps == len(bench.journal.lines(SESSION))
    assert replayed.stop == got["stop"]


@pytest.mark.clause("4.3")
def test_every_stop_is_reached_often_enough():
    by_stop = Counter(case["want"]["stop"] for case in CASES.values())
    assert len(CASES) >= 60
    assert set(by_stop) == {reason.value for reason in StopReason}
    assert min(by_stop.values()) >= 4
    assert sum(len(case["want"]["signals"]) >= 2 for case in CASES.values()) >= 15


def test_no_two_cases_are_alike():
    seen = Counter(alike(case) for case in CASES.values())
    assert [key for key, count in seen.items() if count > 1] == []


@pytest.mark.ruling("R10")
def test_a_refusal_before_the_start_calls_nothing_and_costs_nothing():
    refused = [case for case in CASES.values() if case["want"]["stop"] in ("ENTITLEMENT_CAP", "POLICY_DISABLED")]
    assert len(refused) >= 10
    assert any(case.get("plan") for case in refused)
    for case in refused:
        bench, _ = play(case)
        assert bench.tool.started == []
        assert bench.loop_free_standing(SESSION).spent_units == 0


@pytest.mark.ruling("R21")
@pytest.mark.parametrize(
    "name", ["hits-do-not-ground-a-chat-answer", "only-what-an-outside-agent-reports-does-not-count"]
)
def test_only_the_kind_of_a_source_decides_whether_it_counts(name):
    case = copy.deepcopy(CASES[name])
    assert play(case)[1]["stop"] == "NO_SOURCE"
    case["plan"][0]["calls"][0]["items"][0]["kind"] = "passage"
    assert play(case)[1]["stop"] == "SUCCESS_COMPLETED"


def test_notes_are_unique_and_name_the_file():
    assert {case["note"].replace(" ", "-") for case in CASES.values()} == set(CASES)
    assert len(CASES) == len(case_files())
