"""`portcullis sandbox`: starts a worker as documents have it, and says how far it is confined."""

from __future__ import annotations

import sys

from ..wiring.sandbox import sandbox_report
from .exits import Exit
from .options import chosen_settings
from .render import print_json

__all__ = ["sandbox"]


def sandbox(*, as_json: bool) -> Exit:
    """Start a worker and print its walls."""
    report = sandbox_report(chosen_settings(None))
    if as_json:
        print_json(report)
    else:
        landlock = f"interface version {report.landlock_abi}" if report.landlock_abi else "not available"
        sys.stdout.write(f"sandbox level {report.level}\nlandlock {landlock}\n")
        sys.stdout.write(f"seccomp {'filter' if report.seccomp else 'not available'}\nrequired {report.required}\n")
    return Exit.GROUNDED if report.sufficient else Exit.NOT_ALLOWED
