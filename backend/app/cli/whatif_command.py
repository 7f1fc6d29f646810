"""`portcullis whatif`: which stops, sources and costs change under other caps or rules."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from ..kernel.errors import RequestInvalid
from ..wiring.whatif_setup import run_what_if
from .exits import Exit
from .options import chosen_settings
from .render import print_json

__all__ = ["whatif"]


def whatif(caps: Path | None, rules: Path | None, limit: int, data_dir: Path | None, *, as_json: bool) -> Exit:
    """Print the sessions that would end otherwise.

    Raises:
        RequestInvalid: neither caps nor rules are given, or they cannot be used.
    """
    if caps is None and rules is None:
        raise RequestInvalid("name a caps table with --caps or a file of rules with --rules")
    report = asyncio.run(run_what_if(chosen_settings(data_dir), caps, rules, limit))
    if as_json:
        print_json(report)
        return Exit.GROUNDED
    for row in report.changed:
        sys.stdout.write(
            f"{row.session_id}: {row.stop_then} -> {row.stop_now}, sources {row.sources_then} -> {row.sources_now}, "
            f"units {row.units_then} -> {row.units_now}"
            + (f", {row.unrecorded_calls} calls without a recorded answer" if row.unrecorded_calls else "")
            + "\n"
        )
    for session_id, why in report.skipped:
        sys.stderr.write(f"{session_id} skipped: {why}\n")
    sys.stdout.write(f"{report.sessions} sessions run again, {len(report.changed)} change\n")
    return Exit.GROUNDED
