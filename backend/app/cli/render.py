"""Writing answers: text for people, one JSON document for programs."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel
from rich.console import Console
from rich.text import Text

from ..kernel.document_index import IndexReport
from ..kernel.results import Source, searched_for
from ..research.audience import CallerView, EndUserView

__all__ = ["plain", "print_answer", "print_json", "print_reply", "print_report"]

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_ERRORS: Final = {
    "config": "Research is not available for this tier or environment; `portcullis caps` lists what is.",
    "rate_limited": "Too many calls within one minute.",
    "upstream_unavailable": "Research could not be completed.",
}
_SKIPPED_SHOWN: Final = 10


def plain(text: str) -> Text:
    """Foreign text without the control characters that could drive a terminal, and without markup."""
    return Text(_CONTROL.sub("\ufffd", text))


def print_json(document: BaseModel) -> None:
    """One document on one line of stdout, written before the command ends so that a full disk is noticed."""
    sys.stdout.write(document.model_dump_json() + "\n")
    sys.stdout.flush()


def print_reply(console: Console, view: CallerView | EndUserView) -> None:
    """What a person in a chat sees: the text of the action, then each source with its excerpt word for word."""
    console.print(plain(view.text), style="bold", soft_wrap=True)
    for word in searched_for(view.sources):
        console.print(plain(f"searched for *{word}*"), style="yellow")
    for number, source in enumerate(view.sources, start=1):
        console.print()
        console.print(Text.assemble((f"[{number}] ", "bold cyan"), plain(_heading(source))), soft_wrap=True)
        console.print(plain(f"    {source.locator}"), style="dim", soft_wrap=True)
        console.print(plain(_indented(source.text)), soft_wrap=True)


def print_answer(console: Console, view: CallerView, where: Sequence[str] = (), *, closest: str | None = None) -> None:
    """The reply, then why there is no more of it, and what it cost; after a stop, where an operator finds out why."""
    if view.error is None:
        print_reply(console, view)
    else:
        # No answer follows on a terminal, so the text of a chat that falls back to a general one would be untrue.
        console.print("Research was stopped; there is no answer.", style="bold")
        console.print(_ERRORS[view.error.kind])
        if view.error.retry_after_seconds is not None:
            console.print(f"Try again in {view.error.retry_after_seconds} s.")
        elif view.error.retryable:
            console.print("Trying again may help.")
    for gap in view.gaps:
        console.print(f"Gap: {gap.kind} ({gap.detail})", style="yellow")
    for hint in view.hints:
        console.print(f"Hint: {hint}", style="dim")
    if closest is not None:
        console.print(plain(f"Closest passages: {closest}"), style="dim", soft_wrap=True)
    console.print()
    if view.error is not None:
        why = shlex.join(("portcullis", "sessions", "show", view.session_id, *where))
        console.print(plain(f"Why: {why}"), style="dim", soft_wrap=True)
        return
    cost = view.cost
    console.print(
        f"calls {cost.tool_calls} · units {cost.units} · {cost.wall_time_ms} ms · session {view.session_id}",
        style="dim",
        soft_wrap=True,
    )


def print_report(console: Console, report: IndexReport) -> None:
    """What an indexing run did, and every kind of file it passed over."""
    console.print(
        f"{report.documents} documents, {report.passages} passages "
        f"(added {report.added}, changed {report.changed}, removed {report.removed}, unchanged {report.unchanged})"
    )
    for excluded in report.excluded:
        files = "1 file" if excluded.files == 1 else f"{excluded.files} files"
        console.print(plain(f"excluded {excluded.pattern}: {files} (undo: --include)"), soft_wrap=True)
    for skipped in report.skipped[:_SKIPPED_SHOWN]:
        console.print(plain(f"skipped {skipped.path}: {skipped.reason}"), style="yellow")
    if len(report.skipped) > _SKIPPED_SHOWN:
        console.print(f"... and {len(report.skipped) - _SKIPPED_SHOWN} more skipped files", style="yellow")


def _heading(source: Source) -> str:
    heading = dict(source.metadata).get("heading", "").removeprefix(f"{source.title} > ")
    return f"{source.title} — {heading}" if heading and heading != source.title else source.title


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
