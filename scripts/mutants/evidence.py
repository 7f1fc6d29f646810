"""The evidence of a hunt: per file how its mutants ended, bound to the bytes that they were made from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .sites import Source
from .targets import floor_of

__all__ = [
    "EVIDENCE",
    "LOCK",
    "FileEnd",
    "engine_digest",
    "lock_runtime",
    "problems",
    "read_equivalents",
    "read_evidence",
]

EVIDENCE = "certification/proofs/mutants.json"
LOCK = "contracts/18.0.0/LOCK"
EQUIVALENTS = Path(__file__).with_name("equivalents.json")
EQUIVALENTS_MAX = 30
_ENGINE = ("operators.py", "sites.py")


@dataclass(frozen=True)
class FileEnd:
    """How the mutants of one file ended."""

    sha256: str
    engine: str
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


def engine_digest() -> str:
    """What decides which mutants there are."""
    data = b"".join(Path(__file__).with_name(name).read_bytes() for name in _ENGINE)
    return hashlib.sha256(data).hexdigest()


def lock_runtime(root: Path) -> str:
    """The digest of the sealed core."""
    lock = json.loads((root / LOCK).read_text(encoding="utf-8"))
    return str(lock["runtime"]["digest"])


def read_equivalents() -> dict[str, dict[str, str]]:
    """File → mutant → the proof that shows it to be no fault."""
    listed = json.loads(EQUIVALENTS.read_text(encoding="utf-8"))
    found: dict[str, dict[str, str]] = {}
    for entry in listed:
        found.setdefault(entry["file"], {})[entry["mutant"]] = entry["proof"]
    return found


def read_evidence(root: Path) -> tuple[str, dict[str, FileEnd]]:
    """The lock's digest and the files of the committed evidence; empty where there is none."""
    path = root / EVIDENCE
    if not path.is_file():
        return "", {}
    kept = json.loads(path.read_text(encoding="utf-8"))
    files = {
        name: FileEnd(**{key: tuple(value) if isinstance(value, list) else value for key, value in row.items()})
        for name, row in kept["files"].items()
    }
    return kept["lock_runtime"], files


def document(root: Path, files: Mapping[str, FileEnd]) -> dict[str, Any]:
    """The evidence as one JSON document."""
    return {
        "lock_runtime": lock_runtime(root),
        "mutants": sum(end.mutants for end in files.values()),
        "killed": sum(end.killed for end in files.values()),
        "timed_out": sum(len(end.timed_out) for end in files.values()),
        "equivalents": sum(len(end.equivalents) for end in files.values()),
        "survived": sum(len(end.survived) for end in files.values()),
        "files": {name: asdict(files[name]) for name in sorted(files)},
    }


def problems(root: Path, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Why the committed evidence does not show what it should; empty where it does."""
    lock, files = read_evidence(root)
    found = [] if lock == lock_runtime(root) else ["belongs to another lock"]
    found += [f"{name}: no evidence" for name in wanted if name not in files]
    found += [f"{name}: not mutated any more" for name in files if name not in wanted]
    for name in wanted:
        if name in files:
            found += [f"{name}: {problem}" for problem in _file_problems(root, name, files[name])]
    mutants = sum(end.mutants for end in files.values())
    equivalents = sum(len(end.equivalents) for end in files.values())
    if 1000 * equivalents > EQUIVALENTS_MAX * mutants:
        found.append(f"{equivalents} equivalents of {mutants}")
    return tuple(found)


def _file_problems(root: Path, name: str, end: FileEnd) -> list[str]:
    text = (root / name).read_text(encoding="utf-8")
    found = []
    if end.sha256 != hashlib.sha256(text.encode()).hexdigest() or end.engine != engine_digest():
        found.append("stale")
    sites = {site.name for site in Source(name, text).sites()}
    if not sites or end.mutants != len(sites):
        found.append(f"{end.mutants} mutants told, {len(sites)} there")
    if not sites.issuperset(end.named):
        found.append("names mutants that are not there")
    # Equivalents are not counted: one whose proof was taken away would leave the share as high as it was.
    if set(end.equivalents) != set(read_equivalents().get(name, {})):
        found.append("calls others equivalent than are listed")
    if end.mutants != end.killed + len(end.named):
        found.append("does not add up")
    if end.noticed < floor_of(name):
        found.append(f"{end.noticed} of a thousand noticed, {floor_of(name)} wanted")
    return found
