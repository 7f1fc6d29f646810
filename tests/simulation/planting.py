"""`make planted`: each planted fault in a copy of the product; the simulation or the reference has to find it."""

from __future__ import annotations

import argparse
import compileall
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.simulation.planted import PLANTED, Planted

ROOT = Path(__file__).parents[2]
SESSIONS = 5_000
COPIED = ("backend/app", "contracts", "tests")
TOO_LONG_S = 3_600


class Copy:
    """A copy of product and tests, in which one fault after another stands."""

    def __init__(self, place: Path) -> None:
        self.place = place
        for name in COPIED:
            shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__", "bypasses"))
        shutil.copy2(ROOT / "pyproject.toml", place / "pyproject.toml")
        # Compiled once; an edited file has another time stamp and is compiled anew, in memory.
        compileall.compile_dir(place, quiet=2)

    def try_out(self, fault: Planted | None, sessions: int) -> dict[str, Any]:
        """What finds the fault; without one, nothing may."""
        if fault is None:
            return self._simulated(sessions)
        path = self.place / fault.file
        sound = path.read_bytes()
        try:
            path.write_bytes(planted_in(sound.decode(), fault).encode())
            found = self._simulated(sessions)
            return found if found["by"] else self._referred(found)
        finally:
            path.write_bytes(sound)

    def _simulated(self, sessions: int) -> dict[str, Any]:
        done = self._run("tests.simulation", "--sessions", str(sessions), "--until-broken")
        try:
            report = json.loads(done.stdout)
        except ValueError:
            return {"by": None, "sessions": 0, "wrong": [f"the simulation ended: {done.stderr.strip()[-300:]}"]}
        return {"by": "simulation" if report["found"] else None, **{key: report[key] for key in ("sessions", "wrong")}}

    def _referred(self, found: dict[str, Any]) -> dict[str, Any]:
        done = self._run("pytest", "-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider", "tests/reference")
        failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
        return {
            **found,
            "by": "reference" if done.returncode == 1 and failed else None,
            "wrong": failed or found["wrong"],
        }

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        ways = {"PYTHONPATH": f"{self.place / 'backend'}:{self.place}", "PYTHONDONTWRITEBYTECODE": "1"}
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        command = [sys.executable, "-m", *words]
        return subprocess.run(
            command, cwd=self.place, env={**kept, **ways}, capture_output=True, text=True, timeout=TOO_LONG_S
        )


def planted_in(text: str, fault: Planted) -> str:
    """The text with the fault in it.

    Raises:
        ValueError: the words that it replaces do not stand there exactly once.
    """
    if text.count(fault.old) != 1:
        raise ValueError(f"{fault.name}: its words stand {text.count(fault.old)} times in {fault.file}")
    return text.replace(fault.old, fault.new)


def try_all(faults: Sequence[Planted], sessions: int, jobs: int, control: bool) -> dict[str, Any]:
    """Every fault, and the sound product as a control."""
    wanted: list[Planted | None] = [None] if control else []
    wanted += faults
    with tempfile.TemporaryDirectory(prefix="portcullis-planted-") as folder:
        free: queue.Queue[Copy] = queue.Queue()
        for number in range(min(jobs, len(wanted))):
            free.put(Copy(Path(folder) / str(number)))

        def one(fault: Planted | None) -> dict[str, Any]:
            copy = free.get()
            try:
                found = copy.try_out(fault, sessions)
            finally:
                free.put(copy)
            name = "sound product" if fault is None else fault.name
            sys.stderr.write(f"{name}: {found['by'] or 'nothing'} after {found['sessions']} sessions\n")
            return found

        with ThreadPoolExecutor(jobs) as pool:
            results = list(pool.map(one, wanted))
    report: dict[str, Any] = {"planted": len(faults), "sessions_at_most": sessions}
    if control:
        report["control"] = results.pop(0)
    report["missed"] = [fault.name for fault, found in zip(faults, results, strict=True) if not found["by"]]
    report["faults"] = {
        fault.name: {"why": fault.why, **found, "wrong": found["wrong"][:2]}
        for fault, found in zip(faults, results, strict=True)
    }
    return report


def main() -> int:
    """Exit code 0 when every fault is found and the sound product is not blamed, 2 for a name that no fault has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="these faults alone, without the control")
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    unknown = sorted(set(given.only) - {fault.name for fault in PLANTED})
    if unknown:
        sys.stderr.write(f"no planted fault is called {', '.join(f'`{name}`' for name in unknown)}\n")
        return 2
    faults = [fault for fault in PLANTED if not given.only or fault.name in given.only]
    report = try_all(faults, given.sessions, given.jobs, control=not given.only)
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    blamed = report.get("control", {"by": None, "wrong": []})
    return 1 if report["missed"] or blamed["by"] or blamed["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
