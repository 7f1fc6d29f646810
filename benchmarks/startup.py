"""What a command costs before and beside its work: processor time of `--help`, `version` and `ask`.

Rounds alternate, so that a busy machine slows all alike; each figure is the median over rounds of the time, user and
system, of a process with all of its children. The yardstick is an interpreter that imports typer and pydantic and does
nothing. `ask` puts a question to the sample documents, whose index is up to date. `--against DIR` measures another
checkout of this product in the same rounds and prints `ask_ratio`. Prints one JSON document.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 15
CLI = str(Path(sys.executable).with_name("portcullis"))
QUESTION = "How long should sourdough proof in the fridge?"
YARDSTICK = (sys.executable, "-c", "import typer, pydantic")
_PR_SET_CHILD_SUBREAPER = 36


def processor_ms(command: tuple[str, ...], environment: dict[str, str]) -> float:
    """User and system time of a command and of every process that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    _wait_for_orphans()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measured(rounds: int, against: Path | None) -> dict[str, float]:
    """The median of each command over alternating rounds, in milliseconds; the first round only warms up."""
    with tempfile.TemporaryDirectory() as folder:
        # Compiled modules must be kept, or every run would measure the compiler.
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        here = {**kept, "PORTCULLIS_DATA": f"{folder}/here"}
        commands: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
            "yardstick_ms": (YARDSTICK, here),
            "help_ms": ((CLI, "--help"), here),
            "version_ms": ((CLI, "version"), here),
            "ask_ms": ((CLI, "ask", QUESTION), here),
        }
        if against is not None:
            there = {**here, "PORTCULLIS_DATA": f"{folder}/there", "PYTHONPATH": str(against.resolve() / "backend")}
            commands["ask_there_ms"] = ((CLI, "ask", QUESTION), there)
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(rounds + 1):
            for name, (command, environment) in commands.items():
                cost = processor_ms(command, environment)
                if number:
                    taken[name].append(cost)
            print(f"round {number} of {rounds}", file=sys.stderr)
    return {name: round(statistics.median(costs), 1) for name, costs in taken.items()}


def _wait_for_orphans() -> None:
    """A worker whose host ends first becomes ours, and its time counts, too."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            time.sleep(0.005)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--against", type=Path, help="another checkout")
    chosen = parser.parse_args()
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    figures = measured(chosen.rounds, chosen.against)
    document: dict[str, object] = {
        "rounds": chosen.rounds,
        **figures,
        "help_ratio": round(figures["help_ms"] / figures["yardstick_ms"], 2),
        "target": {"help_ratio": 2.5},
    }
    if "ask_there_ms" in figures:
        document["ask_ratio"] = round(figures["ask_ms"] / figures["ask_there_ms"], 2)
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
