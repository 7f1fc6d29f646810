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

from ..kernel.results import Source, searched_for
from ..research.audience import CallerView, EndUserView

__all__ = ["plain", "print_answer", "print_facts", "print_json", "print_reply", "print_wrapped"]

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_OWN_INDENT: Final = re.compile(r"\s*(?:(?:[-*+]|\[?\d{1,3}[.)\]])\s+)?")
_PROSE: Final = re.compile(r"(?![-=*_~]{3})(?!\d{1,3}[.)]\s)[^\W_]|[\"'(\u2018\u201c]")
_NARROWEST: Final = 20
_EXCERPT_INDENT: Final = 4
_ERRORS: Final = {
    "config": "Research is not available for this tier or environment (`portcullis caps`), or it is switched off"
    " (`portcullis health`).",
    "rate_limited": "Too many calls within one minute.",
    "upstream_unavailable": "Research could not be completed.",
}


def plain(text: str) -> Text:
    """Foreign text without the control characters that could drive a terminal, and without markup."""
    return Text(_CONTROL.sub("\ufffd", text))


def print_json(document: BaseModel) -> None:
    """One document on one line of stdout, written before the command ends so that a full disk is noticed."""
    sys.stdout.write(document.model_dump_json() + "\n")
    sys.stdout.flush()


def print_wrapped(console: Console, text: str | Text, indent: int = 0, style: str = "") -> None:
    """Text in lines that fit the terminal: cut between words, continued below where the line's own words begin.

    Where the output is no terminal, lines stay as they are: whoever reads them may look for words.
    """
    for line in (plain(text) if isinstance(text, str) else text).split("\n", allow_blank=True):
        if "\t" in line.plain:
            line.expand_tabs(4)
        margin = " " * indent
        if not console.is_terminal:
            console.print(Text.assemble(margin, line), style=style, soft_wrap=True)
            continue
        own = _OWN_INDENT.match(line.plain)
        hanging = min(len(own[0]) if own else 0, console.width // 3)
        first, rest = line[:hanging], line[hanging:]
        width = max(_NARROWEST, console.width - indent - hanging)
        for number, part in enumerate(rest.wrap(console, width) or [rest]):
            part.rstrip()
            before = first if number == 0 else Text(" " * hanging)
            console.print(Text.assemble(margin, before, part), style=style, soft_wrap=True)


def _reflowed(console: Console, text: str, indent: int) -> str:
    """A text whose own lines are too long for the terminal, with the lines of each paragraph of prose joined.

    Cut once more where they are, they would leave a word or two on every other line. Lists, tables, headings and
    indented lines stay as they are.
    """
    lines = text.splitlines()
    if not console.is_terminal or all(len(line) + indent <= console.width for line in lines):
        return text
    joined: list[str] = []
    in_prose = False
    for line in lines:
        is_prose = _PROSE.match(line) is not None
        if in_prose and is_prose:
            joined[-1] = f"{joined[-1].rstrip()} {line}"
        else:
            joined.append(line)
        in_prose = is_prose
    return "\n".join(joined)


def print_reply(console: Console, view: CallerView | EndUserView, composed: str = "") -> None:
    """What a person in a chat sees: the text of the action, sentences of the sources where they were composed, then
    each source with its excerpt word for word."""
    print_wrapped(console, view.text, style="bold")
    if composed:
        console.print()
        print_wrapped(console, composed)
    for word in searched_for(view.sources):
        print_wrapped(console, f"searched for *{word}*", style="yellow")
    for number, source in enumerate(view.sources, start=1):
        console.print()
        print_wrapped(console, Text.assemble((f"[{number}] ", "bold cyan"), plain(_heading(source))))
        console.print(plain(f"    {source.locator}"), style="dim", soft_wrap=True)
        print_wrapped(console, _reflowed(console, source.text.rstrip("\n"), _EXCERPT_INDENT), indent=_EXCERPT_INDENT)


def print_answer(
    console: Console,
    view: CallerView,
    where: Sequence[str] = (),
    *,
    closest: str | None = None,
    composed: str = "",
) -> None:
    """The reply, then why there is no more of it, and what it cost; after a stop, where an operator finds out why."""
    if view.error is None:
        print_reply(console, view, composed)
    else:
        # No answer follows on a terminal, so the text of a chat that falls back to a general one would be untrue.
        console.print("Research was stopped; there is no answer.", style="bold")
        print_wrapped(console, _ERRORS[view.error.kind])
        if view.error.retry_after_seconds is not None:
            console.print(f"Try again in {view.error.retry_after_seconds} s.")
        elif view.error.retryable:
            console.print("Trying again may help.")
    for gap in view.gaps:
        print_wrapped(console, f"Gap: {gap.kind} ({gap.detail})", style="yellow")
    for hint in view.hints:
        print_wrapped(console, f"Hint: {hint}", style="dim")
    if closest is not None:
        console.print(plain(f"Closest passages: {closest}"), style="dim", soft_wrap=True)
    console.print()
    if view.error is not None:
        why = shlex.join(("portcullis", "sessions", "show", view.session_id, *where))
        console.print(plain(f"Why: {why}"), style="dim", soft_wrap=True)
        return
    cost = view.cost
    spent = f"calls {cost.tool_calls} · units {cost.units} · {cost.wall_time_ms} ms"
    print_facts(console, (spent, f"session {view.session_id}"))


def _heading(source: Source) -> str:
    said = dict(source.metadata)
    heading, columns = said.get("heading", "").removeprefix(f"{source.title} > "), said.get("columns", "").strip("| ")
    under = source.title if heading in ("", source.title) else f"{source.title} — {heading}"
    return f"{under} — columns: {columns}" if columns else under


def print_facts(console: Console, facts: Sequence[str]) -> None:
    """A closing line of facts; on a narrow terminal one line each, so that an id is never broken."""
    line = " · ".join(facts)
    for told in (line,) if not console.is_terminal or len(line) <= console.width else facts:
        console.print(plain(told), style="dim", soft_wrap=True)
