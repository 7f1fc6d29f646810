"""Clauses and rulings of the contract beside the marks of the tests that show them."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from scripts.certify.results import Found
from scripts.certify.testing import Collected, collect

__all__ = ["clauses", "rulings"]

CONTRACT = "contracts/18.0.0"


@cache
def _all_tests(root: Path) -> Collected:
    return collect(root, ["tests"])


def clauses(root: Path) -> Found:
    """Clauses ↔ collected tests, both ways; a test that would be skipped shows nothing."""
    data = json.loads((root / CONTRACT / "clauses.json").read_bytes())["clauses"]
    tested = [clause["id"] for clause in data if clause["verified_by"] == "test"]
    return _marked(_all_tests(root), "clauses", tested, {clause["id"] for clause in data})


def rulings(root: Path) -> Found:
    """Rulings ↔ collected tests, both ways, apart from those that the conformance test lists as not built yet."""
    from tests.conformance.marks import NOT_BUILT

    text = (root / CONTRACT / "RULINGS.md").read_text(encoding="utf-8")
    known = re.findall(r"^## (R\d+) ", text, re.MULTILINE)
    found = _marked(_all_tests(root), "rulings", [name for name in known if name not in NOT_BUILT], set(known))
    return Found({**found.counts, "not_built": len(NOT_BUILT)}, found.digests, found.problems)


def _marked(collected: Collected, kind: str, wanted: list[str], known: set[str]) -> Found:
    shown: dict[str, int] = {}
    marked = 0
    for item in collected.items.values():
        names = item[kind]
        if isinstance(names, list) and names and not item["left_out"]:
            marked += 1
            for name in names:
                shown[name] = shown.get(name, 0) + 1
    problems = [f"{name} has no test" for name in wanted if name not in shown]
    problems += [f"a mark names {name}, which does not exist" for name in sorted(set(shown) - known)]
    problems += [f"{name or 'pytest'} {how}" for name, how in sorted(collected.errors.items())]
    return Found({kind: sum(name in shown for name in wanted), "tests_marked": marked}, {}, tuple(problems))
