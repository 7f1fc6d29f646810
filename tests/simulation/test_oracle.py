"""The oracle is independent: nothing that it reads or imports, however far away, belongs to the product."""

from __future__ import annotations

import ast
import copy
from functools import cache
from pathlib import Path

import pytest

from tests.simulation.oracle.judge import TEXTS, inside, judge
from tests.simulation.scenario.generate import make_world
from tests.simulation.world.play import play

ROOT = Path(__file__).parents[2]
FIRST = ("tests.simulation.oracle.judge", "tests.simulation.oracle.worlds", "tests.simulation.scenario.generate")
OUR_TABLES = ("stop_reasons.json", "actions.json", "caps.json")


def _file(module):
    path = ROOT.joinpath(*module.split("."))
    found = [path.with_suffix(".py"), path / "__init__.py"]
    return next((one for one in found if one.is_file()), None)


def _imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "the oracle imports by full names"
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_it_imports_nothing_of_the_product_at_any_distance():
    seen, todo = {}, [*FIRST]
    while todo:
        module = todo.pop()
        path = _file(module)
        if module in seen or path is None:
            continue
        text = path.read_text(encoding="utf-8")
        seen[module] = text
        todo += [name for name in _imports(ast.parse(text)) if name.partition(".")[0] == "tests"]
        packages = {name.partition(".")[0] for name in _imports(ast.parse(text))} - {"tests"}
        assert packages <= {"__future__", "functools", "hashlib", "heapq", "json", "random", "re", "typing"} | {
            "collections",
            "pathlib",
        }, module
        assert not {"__import__", "importlib", "exec", "eval"} & {
            node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)
        }, module
        assert [name for name in OUR_TABLES if name in text] == [], module
    assert {"tests.reference.session_model", "tests.reference.stop_model", "tests.reference.ledger_oracle"} <= set(seen)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda seen: seen.update(stop="NO_SOURCE"), "stop"),
        (lambda seen: seen.update(action="UNKNOWN"), "action"),
        (lambda seen: seen.update(spent=seen["spent"] + 1), "spent"),
        (lambda seen: seen["ledger"].__setitem__(1, 7_000), "caps"),
        (lambda seen: seen["started_calls"].append(["c0", 0]), "started_calls"),
        (lambda seen: seen["sources"].append(["c0", "one more"]), "sources"),
        (lambda seen: seen.update(replay="differs"), "replay"),
        (lambda seen: seen.update(same_again=False), "key"),
        (lambda seen: seen["lines"].pop(0), "chain"),
        (lambda seen: seen["lines"].__setitem__(0, seen["lines"][0].replace('"keyed"', '"kexed"')), "chain"),
        (lambda seen: seen["told"]["caller"].__setitem__(2, 99), "caller"),
        (lambda seen: seen.update(text=""), "text"),
    ],
)
def test_it_notices_whatever_is_changed(change, named):
    world = make_world(1, 1)
    seen = play(world)
    assert judge(world, seen) == [[]] * 5
    for place, one in enumerate(seen):
        if one["started_calls"] and "text" in one:
            changed = copy.deepcopy(seen)
            change(changed[place])
            assert any(named in wrong for wrong in judge(world, changed)[place])
            return
    raise AssertionError("this world has no session to try it on")


@pytest.mark.ruling("R14")
@pytest.mark.parametrize("action", ["GROUNDED", "BASELINE", "ASK_CLARIFY", "UNKNOWN"])
@pytest.mark.parametrize("text", ["Something else.", "", "I searched and found [1]."])
def test_a_replaced_text_of_any_action_is_found_wrong(action, text):
    world, seen, place = _with(action)
    seen[place]["text"] = seen[place]["told"]["user"][1] = text
    assert f"text of {action}: {text}" in judge(world, seen)[place]


@pytest.mark.ruling("R14")
@pytest.mark.parametrize(
    ("more", "named"),
    [
        (" TIMEOUT", "TIMEOUT"),
        (" (no_source)", "NO_SOURCE"),
        (" per_call_timeout_ms", "per_call_timeout_ms"),
        (" [1]", "the mark [1]"),
        (" [^2]", "the mark [^2]"),
        (" \u00b2", "the mark \u00b2"),
        (" \u30101\u2020source\u3011", "the mark \u3010"),
        (" (Baker, 2024)", "the mark (Baker, 2024)"),
        (" https://shop.example", "the mark https://"),
    ],
)
def test_an_end_user_reads_no_code_no_cap_and_no_mark(more, named):
    for action, text in TEXTS.items():
        assert inside(text) == [], action
        assert named in inside(text + more)
    world, seen, place = _with("BASELINE")
    seen[place]["told"]["user"][1] += more
    assert f"the end user reads {named}" in judge(world, seen)[place]


@cache
def _played(number):
    world = make_world(1, number)
    return world, play(world)


def _with(action):
    """A world in which a session ended with this action, what was seen of it, and where that session is."""
    for number in range(60):
        world, seen = _played(number)
        for place, one in enumerate(seen):
            if one.get("action") == action and "text" in one:
                assert judge(world, seen)[place] == []
                return world, copy.deepcopy(seen), place
    raise AssertionError(f"no session ended with {action}")
