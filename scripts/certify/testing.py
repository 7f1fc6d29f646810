"""Running the tests of several checks at once, and telling each check what became of its own."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .probe import REPORT
from .results import Found

__all__ = ["Collected", "Ends", "child_environment", "collect", "execute"]

# Options of ours instead of those of the configuration: a `-k` or `-m` there would thin out the tests unseen.
_PYTEST = ("-m", "pytest", "-q", "-o", "addopts=", "--strict-markers", "--strict-config", "-p", "no:cacheprovider")
_SHOWN = 5
# Where the plugin is that reports to the gate.
_GATE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Collected:
    """Tests that exist: id → clauses, rulings and why they would not count."""

    items: Mapping[str, Mapping[str, object]]
    errors: Mapping[str, str]

    def found(self, paths: Sequence[str]) -> Found:
        """Counts of the tests under these paths, none of which was executed."""
        mine = {name: str(item["left_out"]) for name, item in self.items.items() if _below(name, paths)}
        problems = _empty(paths, mine) + _broken(paths, self.errors)
        problems += [f"{name} is marked as {why}" for name, why in sorted(mine.items()) if why][:_SHOWN]
        return Found({"tests": len(mine)}, {"tests": _over(mine)}, tuple(problems))


@dataclass(frozen=True)
class Ends:
    """Tests that were executed: id → how it ended."""

    ends: Mapping[str, str]
    errors: Mapping[str, str]
    said: str

    def found(self, paths: Sequence[str]) -> Found:
        """Counts of the tests under these paths; anything but a pass is a problem."""
        mine = {name: end for name, end in self.ends.items() if _below(name, paths)}
        counts = Counter(mine.values())
        problems = _empty(paths, mine) + _broken(paths, self.errors)
        other = sorted((end, name) for name, end in mine.items() if end != "passed")
        problems += [f"{name} {end}" for end, name in other[:_SHOWN]]
        if len(other) > _SHOWN:
            problems.append(f"and {len(other) - _SHOWN} more")
        return Found(
            {"tests": counts["passed"], "skipped": counts["skipped"], "xfailed": counts["xfailed"]},
            {"tests": _over(name for name, end in mine.items() if end == "passed")},
            tuple(problems),
        )


def _over(names: Iterable[str]) -> str:
    """One digest over the ids of tests."""
    return hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()


def collect(root: Path, paths: Sequence[str]) -> Collected:
    """Collect and execute nothing."""
    told, _ = _pytest(root, ["--collect-only", "-p", "no:xdist", *paths])
    return Collected(told["items"], told["errors"])


def execute(root: Path, paths: Sequence[str], *, parallel: bool) -> Ends:
    """Execute every test under the paths."""
    spread = ["-n", "2"] if parallel else ["-p", "no:xdist"]
    told, said = _pytest(root, [*spread, "--continue-on-collection-errors", *paths])
    return Ends(told["ends"], told["errors"], said)


def _pytest(root: Path, words: Sequence[str]) -> tuple[dict[str, Any], str]:
    with tempfile.TemporaryDirectory(prefix="portcullis-certify-") as scratch:
        report = Path(scratch) / "report.json"
        line = [sys.executable, *_PYTEST, "-p", "scripts.certify.probe", *words]
        environment = {**child_environment(root), REPORT: str(report)}
        with (Path(scratch) / "said").open("w+b") as out:
            subprocess.run(line, cwd=root, env=environment, stdout=out, stdin=subprocess.DEVNULL)  # noqa: S603  our own tests
            out.seek(0)
            said = out.read().decode(errors="replace")
        if not report.is_file():
            return {"ends": {}, "errors": {"": "pytest broke off"}, "items": {}}, said
        return json.loads(report.read_bytes()), said


def child_environment(root: Path) -> dict[str, str]:
    """The caller's environment without what would bend a test run, and with this checkout's code before any other."""
    bent = ("PYTEST_", "PYTHON", "COVERAGE_", "HYPOTHESIS_", "MYPY", "RUFF_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(bent)}
    path = os.pathsep.join(map(str, dict.fromkeys((root / "backend", root, _GATE))))
    return {**kept, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def _below(name: str, paths: Sequence[str]) -> bool:
    return any(name == path or name.startswith((f"{path}/", f"{path}::", f"{path}[")) for path in paths)


def _empty(paths: Sequence[str], mine: Mapping[str, str]) -> list[str]:
    return [f"no test under {path}" for path in paths if not any(_below(name, [path]) for name in mine)]


def _broken(paths: Sequence[str], errors: Mapping[str, str]) -> list[str]:
    return [f"{name or 'pytest'} {how}" for name, how in sorted(errors.items()) if not name or _below(name, paths)]
