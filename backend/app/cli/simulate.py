"""`portcullis simulate`: hands over to the simulation of the checkout that this code runs from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .certify import hand_over

__all__ = ["simulate_command"]


def simulate_command(
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The same seed gives the same sessions.")] = 1,
    sessions: Annotated[int, typer.Option("--sessions", metavar="M", min=1, help="How many.")] = 2_000,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="J", min=1, help="Processes, at most 64 [all cores].")
    ] = None,
    only: Annotated[int | None, typer.Option("--only", metavar="K", min=0, help="Only the world of session K.")] = None,
    case: Annotated[Path | None, typer.Option("--case", metavar="FILE", help="A world from a file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Exactly one JSON document on stdout.")] = False,
) -> None:
    """Run seeded sessions with faults through the gate (in a checkout) and hold each against an independent oracle."""
    words = ["--seed", str(seed), "--sessions", str(sessions)]
    words += [] if jobs is None else ["--jobs", str(jobs)]
    words += [] if only is None else ["--only", str(only)]
    words += [] if case is None else ["--case", str(case.resolve())]
    words += ["--json"] if as_json else []
    hand_over("tests.simulation", "the simulation", words)
