"""Simulated sessions under three Pythons: the same seed gives one digest everywhere, another seed another."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from scripts.determinism import PYTHONS, ROOT, NotEvaluated, prepare
from scripts.programs import ended

__all__ = ["problems_of"]

SEEDS = (18, 19)
Told = dict[str, Any]


def played(python: Path, seed: int, sessions: int) -> Told:
    """What this interpreter finds; hash seeds are left to chance on purpose."""
    env = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": f"{ROOT / 'backend'}{os.pathsep}{ROOT}"}
    env |= {"PYTHONDONTWRITEBYTECODE": "1"}
    line = [str(python), "-m", "tests.simulation", "--seed", str(seed), "--sessions", str(sessions), "--json"]
    done = ended(line, cwd=ROOT, env=env)
    try:
        told: Told = json.loads(done.stdout)
    except ValueError as exc:
        raise NotEvaluated(f"the simulation ended under {python}: {done.stderr[-1000:]}") from exc
    return told


def problems_of(found: dict[tuple[str, int], Told]) -> list[str]:
    """Broken sessions, a seed with two digests, two seeds with one."""
    problems = [
        f"Python {at[0]}, seed {at[1]}: {told['broken']} broken" for at, told in found.items() if told["broken"]
    ]
    digests = {seed: {told["digest"] for (_, at), told in found.items() if at == seed} for _, seed in found}
    problems += [f"seed {seed}: {len(some)} digests" for seed, some in sorted(digests.items()) if len(some) != 1]
    if len(set().union(*digests.values())) < len(digests):
        problems.append("two seeds have one digest")
    return problems


def main() -> int:
    """Exit code 1 when something differs that must not, 2 when an interpreter is not here."""
    parser = argparse.ArgumentParser(prog="python -m scripts.simulation_digest", description=__doc__)
    parser.add_argument("--sessions", type=int, default=1_000)
    options = parser.parse_args()
    found: dict[tuple[str, int], Told] = {}
    try:
        for version in PYTHONS:
            python = prepare(version, os.environ)
            for seed in SEEDS:
                found[version, seed] = played(python, seed, options.sessions)
                print(
                    f"Python {version}, seed {seed}: {found[version, seed]['digest'][:16]}", file=sys.stderr, flush=True
                )
    except NotEvaluated as exc:
        print(exc, file=sys.stderr)
        return 2
    problems = problems_of(found)
    digests = {str(seed): found[PYTHONS[0], seed]["digest"] for seed in SEEDS}
    print(json.dumps({"simulated": options.sessions, "pythons": PYTHONS, "digests": digests, "problems": problems}))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
