"""Marks of clauses and rulings, read from the source of the tests."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONTRACT = ROOT / "contracts" / "18.0.0"
# Rulings about parts that are not built, each with what is missing; a test with the mark takes its ruling off.
NOT_BUILT: dict[str, str] = {}


def marks(kind: str) -> dict[str, list[str]]:
    """Id → the tests that carry it."""
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
