"""The mutants themselves: every operator plants what it says, names are unique, ends of forks are told apart."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from types import FunctionType

import pytest
from scripts.mutants.evidence import FileEnd
from scripts.mutants.running import side_by_side
from scripts.mutants.sites import Source
from scripts.mutants.targets import floor_of, target_files

ROOT = Path(__file__).parents[2]

PLANTED = [
    ("return a < b", {"a <= b", "a >= b"}),
    ("return a == b", {"a != b"}),
    ("return a + b", {"a - b"}),
    ("return a and b", {"a or b", "a", "b"}),
    ("return not a", {"a"}),
    ("return 5", {"6", "4"}),
    ("return 'x'", {"'x~'"}),
    ("return True", {"False"}),
    ("return f(a, b)", {"f(b, a)"}),
    ("return max(a, b)", {"min(a, b)"}),
    ("return a[b:]", {":"}),
    ("return [x for x in a if x]", {"nothing"}),
    ("return a if b else c", {"a if True else c", "a if False else c"}),
    ("return sorted(a)", {"list(a)"}),
    ("return a.strip()", {"a"}),
]


@pytest.mark.parametrize(("line", "wanted"), PLANTED, ids=[line for line, _ in PLANTED])
def test_an_operator_plants_what_it_says(line, wanted):
    source = Source("x", f"def g(a, b, c):\n    {line}\n")
    planted = {site.name.rpartition(" -> ")[2] for site in source.sites()}
    assert wanted | {"None"} >= planted >= wanted


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("def g(a):\n    a.b()\n    return a", "removed"),
        ("def g(a):\n    a.b = 1", "removed"),
        ("def g(a):\n    a += 1", "arithmetic"),
        ("def g(a):\n    raise a", "removed"),
        ("def g(a):\n    for b in a:\n        break", "break"),
        ("def g(a):\n    for b in a:\n        continue", "continue"),
        ("def g(a):\n    with a:\n        a()", "unguarded"),
        ("def g(a):\n    try:\n        a()\n    except ValueError:\n        a = None", "handler"),
        ("def g(a):\n    while a:\n        a()", "never"),
        ("def g(a=1):\n    pass", "constant"),
        ("T = (1, 2)", "element"),
        ("class A(B):\n    c: Annotated[int, Field(ge=1)]", "keyword"),
        ("class A(B):\n    c: Literal['d', 'e']", "element"),
        ("def g(a):\n    return h(a, key=a)", "keyword"),
    ],
)
def test_every_place_has_its_operator(text, operator):
    assert operator in {site.name.split(": ")[1] for site in Source("x", text).sites()}


@pytest.mark.parametrize(
    "text",
    [
        '"""Only words."""',
        "def g(a):\n    raise ValueError('words')",
        "import a",
        "__all__ = ['a', 'b']",
        "T = TypeVar('T')",
    ],
)
def test_what_nothing_may_depend_on_is_left_alone(text):
    assert [site.name for site in Source("x", text).sites() if "constant" in site.name or "element" in site.name] == []


def test_a_planted_fault_acts_and_leaves_the_source_as_it_was():
    source = Source("x", "def g(a):\n    return a < 3\n")
    site = next(site for site in source.sites() if site.name.endswith("a <= 3"))
    spaces = [{}, {}]
    FunctionType(source.mutated(site, "x"), spaces[0])()
    FunctionType(compile(source.tree, "x", "exec"), spaces[1])()
    assert (spaces[0]["g"](3), spaces[1]["g"](3)) == (True, False)


def test_names_of_mutants_are_unique_and_every_target_can_be_read():
    total = 0
    for name in target_files(ROOT):
        names = [site.name for site in Source(name, (ROOT / name).read_text(encoding="utf-8")).sites()]
        assert len(set(names)) == len(names)
        total += len(names)
    assert total >= 3_200
    assert floor_of("backend/app/research/ledger.py") == 1000


def test_every_end_of_a_fork_is_told_apart():
    def noticed(tell):
        tell("a test")
        return 1

    def raising(tell):
        raise ValueError("a mutant may raise anything")

    def spinning(tell):
        tell("another test")
        signal.setitimer(signal.ITIMER_PROF, 0.05)
        while True:
            pass

    def waiting(tell):
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        time.sleep(3_600)

    ends = dict(side_by_side(2, [noticed, lambda tell: 0, raising, spinning, waiting]))
    assert ends == {
        0: ("killed", "a test"),
        1: ("survived", ""),
        2: ("killed", "raised ValueError"),
        3: ("timed_out", "another test"),
        4: ("timed_out", ""),
    }


def test_a_share_is_of_those_that_are_not_equivalent_and_rounded_down():
    end = FileEnd("", "", 1_000, 940, 9, tuple(map(str, range(10))), tuple(map(str, range(41))))
    assert end.noticed == 958
