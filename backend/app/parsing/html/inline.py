"""Writes a run of inline content as Markdown: links, emphasis and code; the rest of the text is escaped."""

from __future__ import annotations

import re
from typing import Final

from .blocks import fold
from .links import absolute_url
from .tree import BLOCKS, TEXT, Node

__all__ = ["inline_markdown"]

_MARKS: Final = {
    "a": "",
    "b": "**",
    "code": "`",
    "em": "*",
    "i": "*",
    "kbd": "`",
    "samp": "`",
    "strong": "**",
    "tt": "`",
}
_DEEPEST: Final = 6  # marks inside one another; each level copies its text once
_CLIMB: Final = 32
# Letters of ASCII alone: what counts as a letter beyond them differs between Python versions.
_SPECIAL: Final = re.compile(r"[\\`*\[\]<]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_LINE_START: Final = re.compile(r"^(?:[-+>#=~]|\d{1,9}[.)])(?=\s|$)|^(?:#{1,6}|>|~{3,}|={2,}|-{2,})")


def inline_markdown(nodes: list[Node], start: int, end: int, within: int, base: str) -> str:
    """The nodes from `start` to `end` as one line of Markdown."""
    pieces: list[list[str]] = [[]]
    open_marks: list[tuple[int, str, str]] = []  # where it ends, its mark, its address
    gaps: list[int] = []  # where block elements end: cells of a table may hold some
    for node in (*_marks_above(nodes, start, within), *nodes[start:end]):
        while open_marks and open_marks[-1][0] <= node.at:
            _close(pieces, open_marks.pop())
        while gaps and gaps[-1] <= node.at:
            gaps.pop()
            pieces[-1].append(" ")
        if node.tag == TEXT:
            code = any(mark == "`" for _, mark, _ in open_marks)
            pieces[-1].append(fold(node.text) if code else _SPECIAL.sub(r"\\\g<0>", fold(node.text)))
        elif node.tag in BLOCKS or node.tag == "br":
            pieces[-1].append(" ")
            gaps.append(node.end)
        elif node.tag in _MARKS and len(open_marks) < _DEEPEST:
            mark = _MARKS[node.tag]
            url = absolute_url(base, node.attributes.get("href") or "") if node.tag == "a" else ""
            if (mark or url) and all(mark != other or not mark for _, other, _ in open_marks):
                open_marks.append((node.end, mark, url))
                pieces.append([])
    while open_marks:
        _close(pieces, open_marks.pop())
    return _plain_start(fold("".join(pieces[0])).strip())


def _plain_start(line: str) -> str:
    """A line that begins no list, heading or quotation."""
    start = _LINE_START.match(line)
    if start is None:
        return line
    mark = start.group()
    return f"{mark[:-1]}\\{mark[-1]}{line[start.end() :]}" if mark[0].isdigit() else f"\\{line}"


def _marks_above(nodes: list[Node], start: int, within: int) -> list[Node]:
    found: list[Node] = []
    at = nodes[start].parent
    for _ in range(_CLIMB):
        if at <= within:
            break
        found.append(nodes[at])
        at = nodes[at].parent
    return found[::-1]


def _close(pieces: list[list[str]], mark: tuple[int, str, str]) -> None:
    inner = "".join(pieces.pop())
    text = inner.strip()
    if not text:
        pieces[-1].append(" " if inner else "")
        return
    _, sign, url = mark
    if sign == "`":
        sign = "``" if "`" in text else "`"
        text = f" {text} " if "`" in text else text
    whole = f"[{text}]({url})" if url else f"{sign}{text}{sign}"
    before = " " if inner[0].isspace() else ""
    pieces[-1].append(f"{before}{whole}{' ' if inner[-1].isspace() else ''}")
