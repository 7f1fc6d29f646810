"""The evidence of a hunt: per file how its mutants ended, bound to the file, the engine and the tests that judge it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scripts.inputs.content import Reading, content_digest
from scripts.inputs.declared import Checkout, Declared

from .sites import Source
from .targets import TESTS, floor_of

__all__ = [
    "EVIDENCE",
    "Bound",
    "FileEnd",
    "bound_to",
    "problems",
    "read_equivalents",
    "read_evidence",
    "stale_files",
]

EVIDENCE = "certification/proofs/mutants.json"
EQUIVALENTS = Path(__file__).with_name("equivalents.json")
EQUIVALENTS_MAX = 30
# What decides which mutants there are.
_ENGINE = ("scripts/mutants/operators.py", "scripts/mutants/sites.py")
# Data with which tests of these folders judge.
_JUDGED_WITH = {
    "tests/golden/": ("tests/golden/cases",),
    "tests/simulation/": ("tests/simulation/cases", "tests/simulation/matrix.json"),
}


@dataclass(frozen=True)
class Bound:
    """What the end of a file's mutants depends on, by digest."""

    source: str
    """The mutated file, by its code."""
    engine: str
    tests: str
    """The tests that reach the file, with all of `tests/` that they import. Not the product's other files: that the
    tests pass on them is shown by the checks, and a mutant is judged by the difference."""


@dataclass(frozen=True)
class FileEnd:
    """How the mutants of one file ended."""

    bound: Bound
    mutants: int
    killed: int
    timed_out: tuple[str, ...]
    """By name: hanging is told by a clock, so whoever doubts one hunts its file again with one process."""
    equivalents: tuple[str, ...]
    survived: tuple[str, ...]

    @property
    def noticed(self) -> int:
        """Of a thousand mutants that are not equivalent, rounded down."""
        counted = self.mutants - len(self.equivalents)
        return 1000 * (self.killed + len(self.timed_out)) // counted if counted else 0

    @property
    def named(self) -> tuple[str, ...]:
        """Those that were not simply noticed."""
        return (*self.timed_out, *self.equivalents, *self.survived)


def bound_to(checkout: Checkout, names: Sequence[str]) -> dict[str, Bound]:
    """File → what its evidence is bound to, as it is now."""
    tree, graph = checkout.tree, checkout.graph
    reached = {test: graph.closure([test]) for test in checkout.test_files(TESTS)}
    engine = _over(f"{name} {tree.digest(name, Reading.CODE)}" for name in _ENGINE)
    found = {}
    for name in names:
        judges = [test for test, files in reached.items() if name in files]
        data = {
            pattern
            for test in judges
            for place, some in _JUDGED_WITH.items()
            if test.startswith(place)
            for pattern in some
        }
        inputs = checkout.inputs(Declared(reads=tuple(sorted(data))), judges).files
        mine = (f"{one} {digest}" for one, digest in sorted(inputs.items()) if one.startswith("tests/"))
        found[name] = Bound(source=tree.digest(name, Reading.CODE), engine=engine, tests=_over(mine))
    return found


def source_digest(text: str) -> str:
    """Of a mutated file, as `Bound.source` has it."""
    return content_digest("mutated.py", text.encode(), Reading.CODE)


def _over(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def read_equivalents() -> dict[str, dict[str, str]]:
    """File → mutant → the proof that shows it to be no fault."""
    listed = json.loads(EQUIVALENTS.read_text(encoding="utf-8"))
    found: dict[str, dict[str, str]] = {}
    for entry in listed:
        found.setdefault(entry["file"], {})[entry["mutant"]] = entry["proof"]
    return found


def read_evidence(root: Path) -> dict[str, FileEnd]:
    """The files of the committed evidence; empty where there is none."""
    path = root / EVIDENCE
    if not path.is_file():
        return {}
    rows = json.loads(path.read_text(encoding="utf-8"))["files"]
    return {name: _read_end(row) for name, row in rows.items()}


def _read_end(row: dict[str, Any]) -> FileEnd:
    fields = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return FileEnd(**{**fields, "bound": Bound(**row["bound"])})


def document(files: Mapping[str, FileEnd]) -> dict[str, Any]:
    """The evidence as one JSON document."""
    return {
        "mutants": sum(end.mutants for end in files.values()),
        "killed": sum(end.killed for end in files.values()),
        "timed_out": sum(len(end.timed_out) for end in files.values()),
        "equivalents": sum(len(end.equivalents) for end in files.values()),
        "survived": sum(len(end.survived) for end in files.values()),
        "files": {name: asdict(files[name]) for name in sorted(files)},
    }


def stale_files(root: Path, checkout: Checkout, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Why the committed evidence is not of the present files; empty where it is."""
    files = read_evidence(root)
    present = bound_to(checkout, wanted)
    found = [f"{name} has no evidence" for name in wanted if name not in files]
    found += [f"{name} is no longer mutated" for name in files if name not in wanted]
    return (
        *found,
        *(why for name in wanted if name in files for why in _because(name, files[name].bound, present[name])),
    )


def _because(name: str, kept: Bound, present: Bound) -> list[str]:
    if kept == present:
        return []
    if not kept.tests:
        return [f"{name}: its inputs were not recorded"]
    parts = {
        "source": f"{name} changed",
        "engine": f"{name}: the engine changed",
        "tests": f"{name}: its tests changed",
    }
    return [why for part, why in parts.items() if getattr(kept, part) != getattr(present, part)]


def problems(root: Path, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Why the committed evidence does not show what it says; that files changed since is no fault of it."""
    files = read_evidence(root)
    found = [f"{name}: {problem}" for name, end in files.items() for problem in _file_problems(root, name, end, wanted)]
    mutants = sum(end.mutants for end in files.values())
    equivalents = sum(len(end.equivalents) for end in files.values())
    if 1000 * equivalents > EQUIVALENTS_MAX * mutants:
        found.append(f"{equivalents} equivalents of {mutants}")
    return tuple(found)


def _file_problems(root: Path, name: str, end: FileEnd, wanted: tuple[str, ...]) -> list[str]:
    found = []
    if end.mutants != end.killed + len(end.named):
        found.append("does not add up")
    if name not in wanted:
        return found
    # Equivalents are not counted: one whose proof was taken away would leave the share as high as it was.
    if set(end.equivalents) != set(read_equivalents().get(name, {})):
        found.append("calls others equivalent than are listed")
    if end.noticed < floor_of(name):
        found.append(f"{end.noticed} of a thousand noticed, {floor_of(name)} wanted")
    text = (root / name).read_text(encoding="utf-8")
    if end.bound.source != source_digest(text):
        return found
    sites = {site.name for site in Source(name, text).sites()}
    if not sites or end.mutants != len(sites):
        found.append(f"{end.mutants} mutants told, {len(sites)} there")
    if not sites.issuperset(end.named):
        found.append("names mutants that are not there")
    return found
