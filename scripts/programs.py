"""Runs a program to its end and holds what it printed; every command line is our own, and none goes through a shell."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["ended"]


def ended(
    words: Sequence[str], cwd: Path | None = None, env: Mapping[str, str] | None = None, patience_s: float | None = None
) -> subprocess.CompletedProcess[str]:
    """How a program ended, and what it printed as text.

    Raises:
        OSError: there is no such program.
        subprocess.TimeoutExpired: it was still running when `patience_s` had passed, and was stopped.
    """
    return subprocess.run(words, capture_output=True, text=True, cwd=cwd, env=env, timeout=patience_s)  # noqa: S603  our own command, no shell
