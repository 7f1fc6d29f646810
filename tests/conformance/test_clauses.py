"""Clauses ↔ tests, both ways: each clause that a test can show has one, and each mark names a clause."""

from __future__ import annotations

import json

from tests.conformance.marks import CONTRACT, ROOT, marks


def _clauses() -> dict[str, str]:
    data = json.loads((CONTRACT / "clauses.json").read_text(encoding="utf-8"))
    return {clause["id"]: clause["verified_by"] for clause in data["clauses"]}


def test_every_clause_has_a_test():
    shown = marks("clause")
    assert [clause for clause, how in _clauses().items() if how == "test" and clause not in shown] == []


def test_every_mark_names_a_clause():
    assert set(marks("clause")) - set(_clauses()) == set()


def test_every_golden_case_names_a_clause():
    cases = list((ROOT / "tests" / "golden" / "cases").rglob("*.json"))
    named = {json.loads(path.read_text(encoding="utf-8"))["clause"] for path in cases}
    assert len(named) > 5
    assert named <= set(_clauses())


def test_every_clause_of_the_text_is_in_the_manifest():
    text = (CONTRACT / "CONTRACT.md").read_text(encoding="utf-8")
    numbers = {line.split()[1].rstrip(".") for line in text.splitlines() if line.startswith(("### ", "## "))}
    leaves = {number for number in numbers if not any(other.startswith(f"{number}.") for other in numbers)}
    assert set(_clauses()) == leaves - {"1", "10", "Contract"}
