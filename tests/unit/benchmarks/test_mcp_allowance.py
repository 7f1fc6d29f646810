"""What the caps allowed a crowd: overshoot and wrong refusals are found, whatever the order of moments."""

from __future__ import annotations

import json
import sqlite3

from benchmarks.mcp_allowance import Attempt, judged, most_against, most_in_a_window


def test_a_reservation_counts_for_sixty_seconds():
    assert most_in_a_window([]) == 0
    assert most_in_a_window([0, 59_999]) == 2
    assert most_in_a_window([0, 60_000]) == 1
    assert most_in_a_window([0, 1, 2, 60_001, 60_001]) == 3


def test_an_attempt_is_judged_at_the_moment_when_the_most_counted():
    assert most_against([0, 10], Attempt("a/u", 59_999, 60_500)) == 2
    assert most_against([0, 10], Attempt("a/u", 60_005, 60_500)) == 1
    assert most_against([100, 200], Attempt("a/u", 50, 150)) == 1
    assert most_against([], Attempt("a/u", 0, 1)) == 0


def test_overshoot_and_wrong_refusals_are_counted_by_cap(tmp_path):
    with sqlite3.connect(tmp_path / "ledger.sqlite3") as file:
        file.execute("CREATE TABLE reservations (subject, calls, at_ms)")
        rows = [("a/u1", 11, 0), ("a/u2", 10, 0), ("a/u2/requests", 3, 0), ("key/1", 240, 0)]
        file.executemany("INSERT INTO reservations VALUES (?, ?, ?)", rows)
    told = {"tenant_id": "a", "user_id": "u2", "at_ms": 20, "duration_ms": 10, "error_code": "rate_limited"}
    events = [{**told, "tool_name": "search_documents"}, {**told, "tool_name": "lint_report"}]
    events.append({**told, "tool_name": "lint_report", "error_code": ""})
    (tmp_path / "audit.jsonl").write_text("".join(json.dumps({"event": one}) + "\n" for one in events))
    found = judged(tmp_path, [Attempt("key/1", 5, 6), Attempt("key/2", 5, 6)])
    verdicts = {kind: (row["above_the_cap"], row["refused"], row["refused_below_it"]) for kind, row in found.items()}
    assert verdicts == {
        "tool_calls_of_a_user": (1, 1, 0),
        "other_requests_of_a_user": (0, 1, 1),
        "requests_of_a_key": (0, 2, 1),
    }
