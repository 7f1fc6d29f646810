"""`portcullis screen`: what the injection screen says about texts of one's own; it opens no connection."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from rich.console import Console
from rich.text import Text

from ..kernel.errors import RequestInvalid
from ..parsing.text.decoding import decoded
from ..research.injection import Directive, InjectionScreen, RuleSet, Screening, Share
from ..screen.carriers import is_carrier
from ..system.contract_files import read_rules
from .exits import Exit
from .render import plain

__all__ = ["screen", "screen_lines", "screen_text"]

_SPACES: Final = re.compile(r"\s+")
_CONTEXT: Final = 60
_LONGEST: Final = 240  # of a span that is shown whole
_SIGNS: Final = {True: ("mentioned", "yellow"), False: ("used", "bold red")}
_MOST_SHARES: Final = 10


class _Row(NamedTuple):
    """One line of the input."""

    id: str | int
    text: str


def screen(source: Path | None, *, jsonl: bool, explain: bool, as_json: bool) -> Exit:
    """Screen one text, or lines of them.

    Raises:
        RequestInvalid: options that exclude each other, or a text that cannot be read.
    """
    if jsonl and (explain or as_json):
        raise RequestInvalid("`--jsonl` has its own output format; leave out `--explain` and `--json`")
    if explain and as_json:
        raise RequestInvalid("use either `--explain` or `--json`, not both")
    return screen_lines(source) if jsonl else screen_text(source, explain=explain, as_json=as_json)


def screen_lines(source: Path | None, judge: Callable[[str], Screening] | None = None) -> Exit:
    """One verdict for each line `{"id", "text"}`; a line of another shape gets an error, and so does the exit.

    A crash of the screen is a bug, not a bad line: its line number is printed and the error is raised again.
    """
    judge = judge or InjectionScreen(RuleSet.parse(read_rules())).screen
    status = Exit.GROUNDED
    for number, line in enumerate(_lines(source), start=1):
        if not line.strip():
            continue
        try:
            row = _row(line)
        except RequestInvalid as exc:
            _write({"line": number, "error": str(exc)})
            status = Exit.INVALID
            continue
        try:
            screening = judge(row.text)
        except Exception as exc:
            _write({"line": number, "error": f"unexpected error: {type(exc).__name__}"})
            raise
        _write(_verdict(row, screening))
    return status


def screen_text(source: Path | None, *, explain: bool, as_json: bool) -> Exit:
    """The verdict on one text; with `explain` every span in its context."""
    data = _read(source)
    text = decoded(data, html=b"<" in data[:1024])
    if text is None:
        raise RequestInvalid("the text is in no encoding that it says itself")
    judge = InjectionScreen(RuleSet.parse(read_rules()))
    screening = judge.screen(text)
    if as_json:
        _write(_document(screening))
    else:
        _print(Console(highlight=False, soft_wrap=True), text, screening, judge if explain else None)
    return Exit.DOES_NOT_HOLD if screening.flagged else Exit.GROUNDED


def _row(line: bytes) -> _Row:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise RequestInvalid("not a JSON document") from exc
    if not isinstance(row, dict):
        raise RequestInvalid("a line must be an object with `id` and `text`")
    if not isinstance(row.get("text"), str):
        raise RequestInvalid("`text` must be a string")
    if not isinstance(row.get("id"), str | int) or isinstance(row["id"], bool):
        raise RequestInvalid("`id` must be a string or a whole number")
    return _Row(row["id"], row["text"])


def _verdict(row: _Row, screening: Screening) -> dict[str, object]:
    used = sorted({found.rule_id for found in screening.directives if not found.mentioned})
    return {"id": row.id, "flagged": screening.flagged, "rules": used, "carriers": dict(screening.carriers)}


def _write(told: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")


def _document(screening: Screening) -> dict[str, object]:
    fields = ("rule_id", "family", "severity", "start", "end", "disguised", "mentioned")
    return {
        "flagged": screening.flagged,
        "directives": [dict(zip(fields, _values(found), strict=True)) for found in screening.directives],
        "carriers": dict(screening.carriers),
    }


def _values(found: Directive) -> tuple[object, ...]:
    return found.rule_id, found.family, found.severity, found.start, found.end, found.disguised, found.mentioned


def _print(console: Console, text: str, screening: Screening, judge: InjectionScreen | None) -> None:
    console.print("flagged" if screening.flagged else "not flagged", style="bold red" if screening.flagged else "green")
    for found in screening.directives:
        word, style = _SIGNS[found.mentioned]
        shape = ", disguised" if found.disguised else ""
        console.print(
            Text.assemble(
                (f"{found.rule_id}", style),
                f"  {found.family}, {found.severity}, {word}{shape}, {found.start}-{found.end}",
            )
        )
        if judge is not None:
            console.print(_in_context(text, found.start, found.end, style))
            console.print(f"    {_reasons(judge.explain(text[found.start : found.end]))}", markup=False)
            if (meant := judge.mended(text[found.start : found.end])) is not None:
                console.print(Text.assemble("    a rule finds it read as: ", _visible(meant)))
    for kind, count in screening.carriers:
        console.print(f"carriers: {kind} {count}")


def _reasons(shares: tuple[Share, ...]) -> str:
    """The score of the words, and the concepts and marks that add most to it and take most from it."""
    parts = [share for share in shares if share.points]
    shown = parts if len(parts) <= _MOST_SHARES else (*parts[: _MOST_SHARES - 2], *parts[-2:])
    told = ", ".join(f"{share.name} {share.points:+d}" for share in shown)
    return f"score {sum(share.points for share in shares)}: {told}"


def _in_context(text: str, start: int, end: int, style: str) -> Text:
    shown = text[start:end]
    if len(shown) > _LONGEST:
        shown = f"{shown[: _LONGEST // 2]} [...] {shown[-_LONGEST // 2 :]}"
    before = text[max(0, start - _CONTEXT) : start]
    after = text[end : end + _CONTEXT]
    span = _visible(shown)
    span.stylize(style)
    return Text.assemble("    ", _visible(before), span, _visible(after))


def _visible(text: str) -> Text:
    """On one line, with what nobody would see written out."""
    spelled = "".join(f"<U+{ord(c):04X}>" if is_carrier(c) else c for c in _SPACES.sub(" ", text))
    return plain(spelled.encode("utf-8", "replace").decode("utf-8"))


def _lines(source: Path | None) -> Iterator[bytes]:
    if source is None:
        yield from sys.stdin.buffer
        return
    yield from _read(source).splitlines()


def _read(source: Path | None) -> bytes:
    if source is None:
        return sys.stdin.buffer.read()
    try:
        return source.read_bytes()
    except OSError as exc:
        raise RequestInvalid(f"cannot read `{source}`: {exc.strerror}") from exc
