"""`portcullis index`: brings the index of a folder up to date and says what is in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from ..wiring.document_setup import prepare_documents
from .blocked import print_flagged, way_out
from .options import chosen_settings
from .progress import LiveProgress
from .render import print_json
from .reports import print_report

__all__ = ["index"]


def index(
    docs: Path,
    data_dir: Path | None,
    tenant: str,
    *,
    exclude: Sequence[str],
    include: Sequence[str],
    all_skipped: bool,
    as_json: bool,
) -> None:
    """Read what is new, screen every file, and print the report."""
    settings = chosen_settings(data_dir)
    with LiveProgress(Console(stderr=True, highlight=False), "looking at the folder") as progress:
        _, report = prepare_documents(
            docs, settings, tenant, exclude=exclude, include=include, screened=True, progress=progress.files_read
        )
    if as_json:
        print_json(report)
        return
    console, command = Console(highlight=False), way_out(docs, settings, tenant)
    print_report(console, report, command, all_skipped=all_skipped)
    print_flagged(console, report, command)
