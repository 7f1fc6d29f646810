"""View models of the console: sentences, scales, counts and links, from values alone."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from app.archive.session_index import IndexedSession
from app.chat.console.views.ask_page import answer_of, estimate_text
from app.chat.console.views.call_steps import CallStep
from app.chat.console.views.request_table import filters_of, table_of
from app.chat.console.views.shown_words import age, millis, visible
from app.chat.console.views.stop_bars import bars_of
from app.chat.console.views.stop_reason_why import why_stopped
from app.chat.console.views.waterfall import LEFT, RIGHT, waterfall_of
from app.chat.console.views.what_if_page import choice_of, table_with
from app.kernel.errors import RequestInvalid
from app.kernel.stops import Cause, Signal, StopReason
from app.system.contract_files import read_contract

CONTRACT = read_contract()
NOW = 1_800_000_000_000


def why(stop, *signals, calls=1, sources=0, broken_at=None):
    return why_stopped(stop, signals, CONTRACT.stops, calls=calls, sources=sources, broken_at=broken_at)


def test_the_winner_is_named_with_what_it_beat_and_its_numbers():
    late = Signal(reason=StopReason.TIMEOUT, cause=Cause.TOTAL_TIMEOUT, limit=60_000, value=61_000)
    rate = Signal(reason=StopReason.RATE_LIMITED, cause=Cause.RATE_WINDOW, limit=10, value=11, retry_at_ms=NOW)
    told = why(StopReason.RATE_LIMITED, late, rate)
    assert told.sentence == (
        "RATE_LIMITED won over TIMEOUT: the next batch would make 11 calls in 60 s, and 10 are allowed; "
        "next free 08:00:00 UTC."
    )
    assert [(row.priority, row.wins) for row in told.signals] == [(6, True), (8, False)]
    assert told.signals[1].numbers == "limit 60,000, value 61,000"


@pytest.mark.parametrize("cause", list(Cause))
@pytest.mark.parametrize("stop", [stop for stop in StopReason if stop is not StopReason.SUCCESS_COMPLETED])
def test_every_cause_has_a_sentence_without_a_placeholder(stop, cause):
    told = why(stop, Signal(reason=stop, cause=cause, call_id="c1", code="some-code", limit=1, value=2)).sentence
    assert told.startswith(f"{stop.value}: ")
    assert not set(told) & set("{}")


def test_sessions_without_a_winning_signal():
    assert why(StopReason.SUCCESS_COMPLETED, sources=1).sentence.endswith("1 call, and 1 source passed every check.")
    assert "brought no source" in why(StopReason.NO_SOURCE).sentence
    assert "has not ended" in why(None).sentence
    assert why(None, broken_at=3).sentence.startswith("The record breaks off at step 3")


def step(start_ms, settled_ms, limit_ms=10_000, batch=1, number=3, **more):
    given = {
        "step": number, "batch": batch, "call_id": "c", "tool": "t", "place": "", "ended": "ok", "family": "success",
        "start_ms": start_ms, "settled_ms": settled_ms, "limit_ms": limit_ms, "units": 1, "candidates": 0,
        "accepted": 0, "findings": 0, "carriers": 0, "rejected": (), "rungs": (), "params": (), "about": "",
        "stored": "",
    }  # fmt: skip
    return CallStep(**{**given, **more})


def test_a_far_deadline_does_not_press_the_calls_into_a_corner():
    drawn = waterfall_of((step(0, 100), step(100, 100, batch=2)), 200, 30_000)
    first, second = drawn.rows
    assert drawn.break_x is not None
    assert drawn.deadline_x == RIGHT
    assert first.filled_width > (RIGHT - LEFT) // 3
    assert second.filled_x >= first.filled_x + first.filled_width
    assert first.hollow_width > first.filled_width
    assert len(drawn.borders) == 1


def test_a_near_deadline_is_to_scale():
    drawn = waterfall_of((step(0, 1_000, 1_500),), 1_000, 2_000)
    assert drawn.break_x is None
    assert drawn.rows[0].filled_width == (RIGHT - LEFT) // 2
    assert drawn.deadline_x == RIGHT


@pytest.mark.parametrize("steps", [(), (step(0, 0),), (step(5, 3_600_000),), (step(0, 1, ended="not started"),)])
@pytest.mark.parametrize("deadline", [None, 1, 120_000])
def test_everything_stands_inside_the_drawing(steps, deadline):
    drawn = waterfall_of(steps, 7, deadline)
    for row in drawn.rows:
        assert LEFT <= row.filled_x <= row.filled_x + row.filled_width <= drawn.width
        assert LEFT <= row.hollow_x <= row.hollow_x + row.hollow_width <= drawn.width
    assert all(LEFT <= tick.x <= RIGHT for tick in drawn.ticks)


def session(number, stop=StopReason.SUCCESS_COMPLETED, **more):
    given = {"session_id": f"s{number}", "tenant": "acme", "state": "closed", "stop": stop, "capability": "research",
             "started_at_ms": NOW - number * 1_000, "max_calls": 10, "max_units": 100}  # fmt: skip
    return IndexedSession(**{**given, **more})


def asked(row):
    return f"question {row.session_id}"


def test_counts_say_how_many_rows_a_click_would_show():
    rows = [session(1), session(2), session(3, StopReason.TIMEOUT), session(4, StopReason.TIMEOUT, capability="ask")]
    table = table_of(rows, filters_of({"stop": "TIMEOUT"}), asked, NOW)
    groups = {group.name: {value.name: value.count for value in group.values} for group in table.groups}
    assert groups["stop"] == {"TIMEOUT": 2, "SUCCESS_COMPLETED": 2}
    assert groups["capability"] == {"research": 1, "ask": 1}
    assert (table.matching, table.total) == (2, 4)
    chosen = next(value for group in table.groups for value in group.values if value.chosen)
    assert parse_qs(chosen.query) == {}


def test_pages_and_the_address_of_a_row():
    rows = [session(number) for number in range(120)]
    table = table_of(rows, filters_of({"page": "2", "stop": "SUCCESS_COMPLETED"}), asked, NOW)
    assert (len(table.rows), table.pages) == (50, 3)
    assert parse_qs(table.older_query) == {"stop": ["SUCCESS_COMPLETED"], "page": ["3"]}
    assert parse_qs(table.rows[0].peek_query)["peek"] == ["s50"]
    assert len(table_of(rows, filters_of({"page": "99"}), asked, NOW).rows) == 20


def test_only_shown_questions_are_read():
    read = []
    rows = [session(number) for number in range(200)]
    table_of(rows, filters_of({}), lambda row: read.append(row) or "", NOW)
    assert len(read) == 50


@pytest.mark.parametrize("given", ["-1", "x", "1e9", "9" * 30, "٣", ""])
def test_an_address_that_is_not_understood_is_left_out(given):
    filters = filters_of({"page": given, "from": given, "to": given, "other": "1"})
    assert (filters.page, filters.since_ms, filters.until_ms, filters.chosen) == (1, None, None, ())


def test_bars_hold_every_session_of_their_span_and_lead_to_it():
    rows = [session(number, StopReason.TIMEOUT if number % 3 else StopReason.NO_SOURCE) for number in range(30)]
    bars = bars_of(rows, "1h", NOW)
    assert sum(entry.count for entry in bars.legend) == 30
    parts = [part for column in bars.columns for part in column.parts]
    assert all(part.y >= 0 and part.y + part.height <= bars.height for part in parts)
    query = parse_qs(parts[0].query)
    assert query["stop"] == ["TIMEOUT"] or query["stop"] == ["NO_SOURCE"]
    inside = table_of(rows, filters_of({name: values[0] for name, values in query.items()}), asked, NOW)
    assert inside.matching == int(parts[0].title.partition(" ")[0])
    assert bars_of([], "", NOW).legend == ()


def test_percentiles_are_values_that_occurred():
    rows = [session(number, elapsed_ms=number, spent_units=number) for number in range(1, 101)]
    numbers = bars_of(rows, "24h", NOW).numbers
    assert (numbers.took_p50, numbers.took_p95, numbers.units_p95) == ("50 ms", "95 ms", "95")


def test_what_if_takes_one_entry_and_leaves_the_rest():
    given = {"tier": "PRO", "environment": "dev", "max_tool_calls_total": "3"}
    choice = choice_of(given, CONTRACT.caps, "dev")
    table = table_with(CONTRACT.caps, choice)
    assert table.entry("PRO", "dev").caps.max_tool_calls_total == 3
    assert [one for one in table.entries if one not in CONTRACT.caps.entries] == [table.entry("PRO", "dev")]
    assert choice_of({"tier": "FREE", "window": "7", "tried": "x"}, CONTRACT.caps, "prod").tier == "PRO"


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "x", "99999999", ""])
def test_what_if_names_a_wrong_cap_without_its_value(value):
    choice = choice_of({"tier": "PRO", "environment": "dev", "budget_units_clamp": value or " "}, CONTRACT.caps, "dev")
    with pytest.raises(RequestInvalid) as told:
        table_with(CONTRACT.caps, choice)
    assert not value or value not in str(told.value).replace("at least 1,", "")


def test_hidden_characters_are_written_out():
    assert visible("a\u202eb\x07\u200bc\nd") == "a[U+202E]b[U+0007][U+200B]c\nd"


def test_times_are_short():
    assert [millis(one) for one in (0, 999, 1_000, 1_500, 60_000, 125_000)] == [
        "0 ms", "999 ms", "1 s", "1.5 s", "1 min", "2 min 5 s",
    ]  # fmt: skip
    assert [age(NOW - one, NOW) for one in (0, 61_000, 7_200_000, 2 * 86_400_000)] == ["now", "1 min", "2 h", "2 d"]


def test_estimates_grow_with_the_question_and_stay_below_the_cap():
    caps = CONTRACT.caps.entry("PRO", "dev").caps
    one = estimate_text("What is autolyse?", "balanced", caps, documents_only=True, web=True)
    assert one == "Estimate: 1 to 4 units for 1 part, in at most 30 s (cap 1,000 units)."
    many = estimate_text(
        "What is autolyse, and how long should dough proof?", "deep", caps, documents_only=False, web=True
    )
    assert "2 to 440 units for 2 parts" in many
    assert "At most 1,000 units" in estimate_text("", "deep", caps, documents_only=False, web=True)
    assert "no research" in estimate_text("What?", "deep", None, documents_only=False, web=True)


def test_a_marker_without_a_citation_stays_text():
    from app.capabilities.answers.research_models import ConfidenceFactors, CostMetadata, ResearchResult, ResultCitation

    cited = ResultCitation(
        source="file", locator="doc:documents/a", title=None, snippet=None, raw_excerpt="x", confidence=0.5
    )
    factors = ConfidenceFactors(num_corroborating_sources=0, source_authority="low", contradiction_detected=False,
                                query_specificity_match=0.0, budget_exhausted=False, recency=None)  # fmt: skip
    cost = CostMetadata(tokens_used=0, iterations_run=0, wall_time_sec=0.0, budget_exhausted=False, model_id="m")
    result = ResearchResult(
        answer="Right. [1] Wrong. [2] [0]\n\nHead:", citations=(cited,), gaps=(), discovery_events=(),
        open_questions=(), confidence=0.5, confidence_factors=factors, cost_metadata=cost, trace_id="t",
    )  # fmt: skip
    first, head = answer_of(result).lines
    assert [piece.chip for piece in first.pieces] == [None, 1, None]
    assert "[2] [0]" in first.pieces[2].text
    assert head.kind == "head"
