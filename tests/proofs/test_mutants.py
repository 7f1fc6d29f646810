"""The mutants themselves: every operator plants what it says, names are unique, ends of forks are told apart."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FunctionType, SimpleNamespace

import pytest
from scripts.mutants.evidence import FileEnd
from scripts.mutants.running import NotPlanted, Warm, limit, side_by_side
from scripts.mutants.sites import Source
from scripts.mutants.survey import within
from scripts.mutants.targets import floor_of, target_files
from scripts.mutants.worker import Patience

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


def _planted(tests):
    """A piece whose fault is planted, with these tests behind it."""
    return lambda tell: lambda: tests(tell)


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
        tell("a third test")
        standing_still(tell)

    def standing_still(tell):
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        time.sleep(3_600)

    work = [noticed, lambda tell: 0, raising, spinning, waiting, standing_still]
    assert dict(side_by_side(2, map(_planted, work))) == {
        0: ("killed", "a test"),
        1: ("survived", ""),
        2: ("killed", "raised ValueError"),
        3: ("timed_out", "another test"),
        4: ("timed_out", "a third test"),
        5: ("unplanted", ""),
    }


def test_a_fault_that_cannot_be_planted_is_no_mutant_noticed():
    def planting(tell):
        raise LookupError("no such function")

    with pytest.raises(NotPlanted, match="no such function"):
        list(side_by_side(2, [_planted(lambda tell: 0), planting, _planted(lambda tell: time.sleep(3_600))]))


def test_a_mutant_that_makes_every_test_wait_a_little_comes_to_an_end():
    def waiting(tell):
        tell("a test")
        until = time.monotonic() + 0.2
        while True:
            limit(1.0, until)
            time.sleep(0.05)

    assert dict(side_by_side(1, [_planted(waiting)])) == {0: ("timed_out", "a test")}


def test_a_share_is_of_those_that_are_not_equivalent_and_rounded_down():
    names = tuple(map(str, range(41)))
    assert FileEnd("", 1_000, 940, names[:9], names[:10], names).noticed == 958
    assert FileEnd("", 0, 0, (), (), ()).noticed == 0  # where nothing was planted, nothing is shown


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("backend/app/nowhere.py",), "no mutants are hunted in `backend/app/nowhere.py`"),
        (("--jobs", "0"), "`0` is not a number above 0"),
        (("--sample", "-3"), "`-3` is not a number above 0"),
    ],
)
def test_a_hunt_for_nothing_does_not_begin(words, told):
    line = [sys.executable, "-m", "scripts.mutants", *words]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, told in done.stderr, "Traceback" in done.stderr) == (2, True, False)


def test_a_slow_machine_hands_out_the_same_tests():
    seconds = {"a": 1.0, "b": 2.0, "c": 5.0, "d": 12.0}
    for slower in (1, 2, 16):
        assert within(0.15, {name: slower * took for name, took in seconds.items()}, ["a", "b", "c", "d"]) == ["a", "b"]
    assert within(0.01, seconds, ["c", "d"]) == ["c"]  # one at least
    assert within(0.01, seconds, []) == []


def test_what_was_noticed_before_gets_every_test():
    """Only what survived before, or was never hunted, is given up after the quick ones."""
    source = Source("x", "def g(a):\n    return a < 3\n")
    first, second = source.sites()[:2]
    tests, seconds = ["quick", "slow"], {"quick": 0.001, "slow": 1.0}
    patience = Patience({"hunted.py": [first.name]})
    assert patience.handed("hunted.py", first, tests, seconds) == ["quick"]
    assert patience.handed("hunted.py", second, tests, seconds) == tests
    assert patience.handed("new.py", second, tests, seconds) == ["quick"]


def test_functions_are_found_though_the_suite_keeps_them_from_the_garbage_collector():
    gc.freeze()
    path = ROOT / "backend" / "app" / "kernel" / "canonical.py"
    sites = Source("x", path.read_text(encoding="utf-8")).sites()
    assert any(Warm(SimpleNamespace(items=[]), {}).can(str(path), site) for site in sites if site.owner is not None)
