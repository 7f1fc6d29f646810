"""The command that plays golden sessions under several Pythons."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from scripts.certify.results import Found, NotEvaluated
from scripts.certify.testing import child_environment

__all__ = ["determinism"]


def determinism(root: Path) -> Found:
    """`make determinism`, and its one digest."""
    line = [sys.executable, "-m", "scripts.determinism"]
    done = subprocess.run(line, cwd=root, env=child_environment(root), capture_output=True)  # noqa: S603  our own command
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode == 2:
        raise NotEvaluated(said.splitlines()[-1] if said else "not evaluated")
    if done.returncode != 0:
        return Found(problems=(f"{said.splitlines()[-1] if said else 'broke off'}",))
    told = json.loads(done.stdout)
    counts = {name: told[name] for name in ("configurations", "configurations_to_the_byte", "cases", "processes")}
    for name in ("pythons", "hash_seeds", "orders"):
        counts[name] = len(told[name])
    return Found(counts, {"journals": told["digest"], "without_times": told["digest_without_times"]})
