"""`portcullis sandbox`: starts a worker as documents have it, and says how far it is confined."""

from __future__ import annotations

import sys

import typer

from ..wiring import sandbox_report
from .exits import Exit
from .options import Json, chosen_settings
from .render import print_json

__all__ = ["sandbox_command"]


def sandbox_command(as_json: Json = False) -> None:
    """Show how far the processes that read documents are confined here."""
    report = sandbox_report(chosen_settings(None))
    if as_json:
        print_json(report)
    else:
        landlock = f"interface {report.landlock_abi}" if report.landlock_abi else "none"
        sys.stdout.write(f"sandbox level {report.level}\nlandlock {landlock}\n")
        sys.stdout.write(f"seccomp {'filter' if report.seccomp else 'none'}\nrequired {report.required}\n")
    raise typer.Exit(Exit.GROUNDED.value if report.sufficient else Exit.NOT_ALLOWED.value)
