"""`portcullis simulate`: hands over to the simulation of the checkout that this code runs from."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from .certify import NoCheckout

__all__ = ["simulate_command"]

_ROOT: Final = Path(__file__).resolve().parents[3]


def simulate_command(
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The same seed gives the same sessions.")] = 1,
    sessions: Annotated[int, typer.Option("--sessions", metavar="M", min=1, help="How many.")] = 2_000,
    jobs: Annotated[int | None, typer.Option("--jobs", metavar="J", min=1, help="Processes [all cores].")] = None,
    only: Annotated[
        int | None, typer.Option("--only", metavar="K", min=0, help="The world of session K alone.")
    ] = None,
    case: Annotated[Path | None, typer.Option("--case", metavar="FILE", help="A world from a file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Exactly one JSON document on stdout.")] = False,
) -> None:
    """Run seeded sessions with faults through the gate (in a checkout) and hold each against an independent oracle."""
    if not (_ROOT / "tests" / "simulation" / "__main__.py").is_file():
        raise NoCheckout("not evaluated: the simulation needs a source checkout, and this is an installation")
    words = ["--seed", str(seed), "--sessions", str(sessions)]
    words += [] if jobs is None else ["--jobs", str(jobs)]
    words += [] if only is None else ["--only", str(only)]
    words += [] if case is None else ["--case", str(case.resolve())]
    words += ["--json"] if as_json else []
    os.chdir(_ROOT)
    sys.stdout.flush()
    # The simulation takes this process over: nothing of the product runs beside it.
    os.execv(sys.executable, [sys.executable, "-m", "tests.simulation", *words])  # noqa: S606  our own program, no shell
