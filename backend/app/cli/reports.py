"""What an indexing run did and which files it passed over: all of it for `index`, only the news for a question."""

from __future__ import annotations

import hashlib
import shlex
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from rich.console import Console

from ..kernel.counting import counted
from ..kernel.document_index import IndexReport
from .render import plain

__all__ = ["print_news", "print_report"]

_SHOWN: Final = 10
_TOLD: Final = "skipped-told"


def print_report(console: Console, report: IndexReport, command: Sequence[str], *, all_skipped: bool = False) -> None:
    """What was read, what the operator excluded, and the files that were skipped."""
    documents = counted(report.documents, "document")
    console.print(f"{documents}, {counted(report.passages, 'passage')}")
    done = ("added", report.added), ("changed", report.changed), ("removed", report.removed)
    console.print(", ".join(f"{word} {count:,}" for word, count in (*done, ("unchanged", report.unchanged))))
    for excluded in report.excluded:
        files = counted(excluded.files, "file")
        console.print(plain(f"excluded {excluded.pattern}: {files} (undo: --include)"), soft_wrap=True)
    shown = report.skipped if all_skipped else report.skipped[:_SHOWN]
    for skipped in shown:
        console.print(plain(f"skipped {skipped.path}: {skipped.reason}"), style="yellow", soft_wrap=True)
    if len(report.skipped) > len(shown):
        left = counted(len(report.skipped) - len(shown), "more skipped file")
        console.print(plain(f"... and {left}: {shlex.join((*command, '--skipped'))}"), style="yellow", soft_wrap=True)


def print_news(console: Console, report: IndexReport, state_dir: Path, command: Sequence[str]) -> None:
    """Tell which files are not in the index, but only when that has changed since it was last told."""
    if not report.documents:
        print_report(console, report, command)
        return
    told = state_dir / _TOLD
    digest = hashlib.sha256(repr((report.skipped, report.excluded)).encode("utf-8", "replace")).hexdigest()
    before = ""
    with suppress(OSError, UnicodeDecodeError):
        before = told.read_text(encoding="ascii")
    if before == digest or not (before or report.skipped or report.excluded):
        return
    if report.skipped:
        reasons = Counter(skipped.reason for skipped in report.skipped)
        each = ", ".join(f"{count:,} {reason}" for reason, count in sorted(reasons.items()))
        files = counted(len(report.skipped), "file")
        listed = shlex.join((*command, "--skipped"))
        console.print(f"{files} of the folder cannot be searched: {each}", style="yellow", soft_wrap=True)
        console.print(plain(f"List them: {listed}"), style="dim", soft_wrap=True)
    for excluded in report.excluded:
        console.print(
            plain(f"excluded {excluded.pattern}: {counted(excluded.files, 'file')}"), style="dim", soft_wrap=True
        )
    with suppress(OSError):  # a disk that is full: it is told again next time
        told.write_text(digest, encoding="ascii")
