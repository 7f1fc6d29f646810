"""Branch coverage of the core."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.certify.results import Found
from scripts.certify.testing import child_environment

__all__ = ["coverage"]

TESTS = (
    "tests/unit/kernel",
    "tests/unit/research",
    "tests/unit/screen",
    "tests/property/test_folding.py",
    "tests/golden",
    "tests/reference",
)


def coverage(root: Path) -> Found:
    """Branch coverage of kernel, screen and research: nothing may be missing, and the floor says how much there is."""
    with tempfile.TemporaryDirectory(prefix="portcullis-coverage-") as scratch:
        environment = {**child_environment(root), "COVERAGE_FILE": str(Path(scratch) / "data")}

        def run(*words: str) -> subprocess.CompletedProcess[bytes]:
            line = [sys.executable, "-m", "coverage", *words]
            return subprocess.run(line, cwd=root, env=environment, capture_output=True)  # noqa: S603  our own tests

        done = run("run", "-m", "pytest", "-q", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "no:xdist", *TESTS)
        if done.returncode != 0:
            return Found(problems=(f"the tests fail: {_last(done.stdout)}",))
        run("combine", "-q")
        report = Path(scratch) / "report.json"
        told = run("json", "-q", "-o", str(report))
        if not report.is_file():
            return Found(problems=(f"no report: {_last(told.stdout or told.stderr)}",))
        data = json.loads(report.read_bytes())
    totals = data["totals"]
    counts = {
        "files": len(data["files"]),
        "statements": totals["num_statements"],
        "branches": totals["num_branches"],
        "missing": totals["missing_lines"] + totals["missing_branches"],
    }
    problems = [
        f"{name} misses lines {entry['missing_lines']} and branches {entry['missing_branches']}"
        for name, entry in sorted(data["files"].items())
        if entry["missing_lines"] or entry["missing_branches"]
    ]
    return Found(counts, {}, tuple(problems))


def _last(said: bytes) -> str:
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
