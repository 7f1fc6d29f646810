"""The walks in docs/architecture.md: every hop exists, and goes down, stays, or returns to a room that called."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "backend" / "app"
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
WALKS = dict(re.findall(r"<!-- walk: (\w+) -->\n(.*?)<!-- /walk -->", TEXT, re.DOTALL))
ROW = re.compile(r"^\| (\d+) \| `([^`]+)` \| `([^`]+)` \| .+ \|$", re.MULTILINE)


def _floors() -> list[str]:
    contract = (ROOT / "importlinter.ini").read_text(encoding="utf-8").partition("[importlinter:contract:floors]")[2]
    rows = contract.partition("layers =\n")[2].partition("\n\n")[0]
    return [name.strip("() ") for row in rows.splitlines() for name in row.split("|")]


def _names(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            inside = (one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
            found.update(f"{node.name}.{one.name}" for one in inside)
    return found


@pytest.mark.parametrize("name", ["ask", "scrape_page", "web_search"])
def test_every_hop_of_a_walk_exists_and_goes_down_or_returns(name):
    hops = ROW.findall(WALKS[name])
    assert [int(number) for number, _, _ in hops] == list(range(1, len(hops) + 1))
    assert len(hops) >= 15
    floors, callers = _floors(), []
    for _, file, function in hops:
        assert function in _names(PACKAGE / file), f"{file} has no {function}"
        rank = floors.index(file.partition("/")[0])
        # A plan and a result are handed down as functions: the capability's file is reached from research.
        handed = file.startswith("capabilities/")
        while callers and rank < callers[-1] and not handed:
            callers.pop()  # it returned to a room further up
        assert not callers or handed or rank >= callers[-1], file
        callers.append(max(rank, callers[-1]) if handed and callers else rank)


@pytest.mark.parametrize(("name", "drawn"), [("ask", "ask"), ("scrape_page", "page")])
def test_every_hop_of_a_question_and_of_a_page_is_drawn(name, drawn):
    diagram = TEXT.partition("```mermaid")[2].partition("```")[0]
    numbers = [int(number) for found in re.findall(rf"{drawn} ([\d, ]+)", diagram) for number in found.split(",")]
    assert sorted(numbers) == [int(number) for number, _, _ in ROW.findall(WALKS[name])]
