"""The gate: runs the chosen checks of the manifest and judges each; what is missing, empty or skipped is red."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from scripts.inputs.declared import Checkout
from scripts.inputs.tree import Tree

from .check_inputs import declared_by
from .evidence import certificate_problems, limits_problems
from .manifest import Check, Command, Function, Manifest, Tests, frame_problems
from .results import Found, NotEvaluated, Result
from .testing import Collected, Ends, child_environment, collect, execute

__all__ = ["certificate", "frame", "judge", "missing_needs", "run_checks"]

Say = Callable[[str], None]
# What some checks need from outside the checkout: variable, and the place beside the checkout.
NEEDS = {"corpora": ("PORTCULLIS_CORPORA", "corpora"), "specification": ("PORTCULLIS_SEEDS", "seeds")}
_SHOWN = 5


def frame(root: Path, manifest: Manifest) -> Result:
    """The built-in check of the manifest itself."""
    problems = frame_problems(root, manifest)
    checkout = Checkout(Tree(root))
    for check in manifest.checks:
        lost = checkout.unknown(declared_by(check))
        problems += tuple(f"`{check.id}`: its input `{name}` is not there" for name in lost)
    return Result("manifest", "red" if problems else "pass", {"checks": len(manifest.checks)}, {}, problems)


def certificate(root: Path, manifest: Manifest) -> Result:
    """The built-in check of the committed certificate."""
    problems = certificate_problems(root, manifest)
    return Result("certificate", "red" if problems else "pass", {"checks": len(manifest.checks)}, {}, problems)


def missing_needs(check: Check, root: Path, environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """What the check needs and this machine has not."""
    missing = []
    for need in check.needs:
        variable, name = NEEDS[need]
        if not Path(environ.get(variable) or root.parent / "shared" / name).is_dir():
            missing.append(f"needs the {need}: set {variable}")
    return tuple(missing)


def run_checks(root: Path, checks: Sequence[Check], *, quick: bool, say: Say) -> list[Result]:
    """Execute the checks; in the quick form tests are collected only and what belongs to the full form is left out."""
    wanted = [check for check in checks if not missing_needs(check, root)]
    named = dict.fromkeys(path for check in wanted for path in check.paths)
    # pytest passes over the rest of a folder when one of its files is named as well.
    paths = [path for path in named if not any(path.startswith(f"{other}/") for other in named)]
    tested: Collected | Ends | None = None
    if paths:
        say(f"{'collecting' if quick else 'executing'} the tests of {sum(bool(c.paths) for c in wanted)} checks")
        tested = collect(root, paths) if quick else execute(root, paths, parallel=len(wanted) > 1)
    results = []
    for number, check in enumerate(checks, 1):
        say(f"[{number}/{len(checks)}] {check.id}: {check.title}")
        missing = missing_needs(check, root)
        if missing:
            results.append(Result(check.id, "not evaluated", problems=missing))
            continue
        results.append(judge(root, check, tested, quick=quick))
        if results[-1].verdict != "pass":
            say(f"  {results[-1].verdict}: {'; '.join(results[-1].problems)}")
    return results


def judge(root: Path, check: Check, tested: Collected | Ends | None, *, quick: bool) -> Result:
    """All steps of one check, then its floors and ceilings."""
    counts: dict[str, int] = {}
    digests: dict[str, str] = {}
    problems: list[str] = []
    for step in check.steps:
        if quick and check.form == "full" and not isinstance(step, Tests):
            continue
        try:
            found = _step(root, check, step, tested)
        except NotEvaluated as exc:
            return Result(check.id, "not evaluated", problems=(str(exc),))
        except (Exception, SystemExit) as exc:  # noqa: BLE001  a check that breaks off is a red check, whatever broke it
            found = Found(problems=(f"broke off: {type(exc).__name__}: {str(exc).strip()[:300]}",))
        for name, number in found.counts.items():
            counts[name] = counts.get(name, 0) + number
        digests.update(found.digests)
        problems += found.problems
    problems += [problem for problem in _limits(check, counts, quick=quick) if problem not in problems]
    kept = problems[: _SHOWN * 2]
    return Result(check.id, "red" if problems else "pass", counts, digests, tuple(kept))


def _limits(check: Check, counts: dict[str, int], *, quick: bool) -> list[str]:
    """In the quick form only what was counted can be judged."""
    if not quick:
        return limits_problems(check, counts)
    if check.form == "quick" and not check.paths:
        return limits_problems(check, counts)
    floors = {name: floor for name, floor in check.floors.items() if name in counts}
    ceilings = {name: ceiling for name, ceiling in check.ceilings.items() if name in counts}
    left = check.model_copy(update={"floors": floors, "ceilings": ceilings, "steps": []})
    return limits_problems(left, counts)


def _step(root: Path, check: Check, step: Tests | Command | Function, tested: Collected | Ends | None) -> Found:
    match step:
        case Tests():
            return tested.found(step.paths) if tested else Found(problems=("its tests were not run",))
        case Command():
            return _command(root, step)
        case Function():
            from .functions import function

            named = function(step.name)
            return named(root) if named else Found(problems=(f"the gate has no function `{step.name}`",))


def _command(root: Path, step: Command) -> Found:
    """A tool of this environment; `python` is the one that runs the gate."""
    name, *words = step.line
    tool = Path(sys.executable) if name == "python" else Path(sys.executable).with_name(name)
    if shutil.which(tool) is None:
        return Found(problems=(f"`{name}` is not in this environment",))
    environment = {**child_environment(root), "NO_COLOR": "1", "COLUMNS": "200"}
    done = subprocess.run([str(tool), *words], cwd=root, env=environment, capture_output=True)  # noqa: S603  from the sealed manifest
    said = (done.stdout + done.stderr).decode(errors="replace")
    counts = {}
    problems = []
    if done.returncode != 0:
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        problems.append(f"`{' '.join(step.line)}` exits with {done.returncode}: {'; '.join(lines[-_SHOWN:])[:600]}")
    for name, pattern in step.counts.items():
        found = re.search(pattern, said)
        if found:
            counts[name] = int(found[1].replace(",", ""))
        elif not problems:
            problems.append(f"`{' '.join(step.line)}` does not say how many {name}")
    return Found(counts, {}, tuple(problems))
