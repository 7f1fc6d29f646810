"""Golden cases of the search capabilities: each of them, each stop reason, each strategy, to the digest."""

from __future__ import annotations

import json

import pytest

from app.kernel.stops import StopReason
from tests.golden.cases import SESSION
from tests.searches.search_cases import play_search, search_case_files

CASES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in search_case_files()}
SEARCHES = {"web_search", "news_search", "image_search", "academic_search", "search_and_scrape"}


def _shown(want, got):
    """Whether everything that a case names stands in the output; what it does not name is in the digest alone."""
    if isinstance(want, dict):
        return isinstance(got, dict) and all(name in got and _shown(value, got[name]) for name, value in want.items())
    if isinstance(want, list):
        return isinstance(got, list) and len(want) == len(got) and all(map(_shown, want, got))
    return want == got


@pytest.mark.parametrize("name", CASES)
def test_search_case(name):
    case = CASES[name]
    bench, got, output = play_search(case)
    assert _shown(case["want"]["shows"], output), output
    assert got == {key: value for key, value in case["want"].items() if key != "shows"}
    standing = bench.loop_free_standing(SESSION)
    assert (standing.open_reservations, standing.spent_units) == (0, got["spent_units"])


@pytest.mark.parametrize("name", CASES)
def test_search_case_replays_to_the_byte(name):
    bench, got, _ = play_search(CASES[name])
    replayed = bench.replay(SESSION)
    assert (replayed.identical, replayed.stop) == (True, got["stop"])


def test_every_search_capability_and_every_stop_is_there():
    assert {case["capability"] for case in CASES.values()} == SEARCHES
    assert {case["want"]["stop"] for case in CASES.values()} == {reason.value for reason in StopReason}
    assert {case["note"].replace(" ", "-") for case in CASES.values()} == set(CASES)
