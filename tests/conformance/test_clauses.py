"""Clauses ↔ tests, both ways: each clause that a test can show has one, and each mark names a clause."""

from __future__ import annotations

import ast
import json
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONTRACT = ROOT / "contracts" / "18.0.0"


def _marks(kind: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                continue
            for mark in node.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == f"pytest.mark.{kind}":
                    found.setdefault(ast.literal_eval(mark.args[0]), []).append(f"{path.name}::{node.name}")
    assert len(found) > 5, "the scanner found too little"
    return found


def _clauses() -> dict[str, str]:
    data = json.loads((CONTRACT / "clauses.json").read_text(encoding="utf-8"))
    return {clause["id"]: clause["verified_by"] for clause in data["clauses"]}


def test_every_clause_has_a_test():
    shown = _marks("clause")
    assert [clause for clause, how in _clauses().items() if how == "test" and clause not in shown] == []


def test_every_mark_names_a_clause():
    assert set(_marks("clause")) - set(_clauses()) == set()


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


def test_every_mark_names_a_ruling():
    text = (CONTRACT / "RULINGS.md").read_text(encoding="utf-8")
    rulings = {line.split()[1] for line in text.splitlines() if line.startswith("## R")}
    assert len(rulings) == 21
    assert set(_marks("ruling")) <= rulings
