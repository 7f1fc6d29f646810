"""Writes a table of data as a GitHub-flavoured Markdown table; tables that lay out a page are none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from .blocks import fold
from .inline import inline_markdown
from .tree import TEXT, Node

__all__ = ["DataTable", "data_table"]

_MOST_COLUMNS: Final = 64
_MOST_ROWS: Final = 2_000
_LONGEST_CELL: Final = 400
_HEADING_IN_CELL: Final = frozenset(("h1", "h2", "h3", "h4", "li", "pre", "blockquote"))
# Copies of spanning cells may make a table longer than its text, within reason.
_GROWTH: Final = 4
_GROWTH_FREE: Final = 4_000
_DIGITS: Final = re.compile(r"\d{1,5}")
_PIPE: Final = re.compile(r"(?<!\\)((?:\\\\)*)\|")


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table's caption and its rows, each cell as one line of Markdown; the first row is the header."""

    caption: str
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """The caption as a line, then the table."""
        lines = [f"| {' | '.join(row)} |" for row in self.rows]
        lines.insert(1, f"|{' --- |' * len(self.rows[0])}")
        table = "\n".join(lines)
        return f"{self.caption}\n\n{table}" if self.caption else table


@dataclass(slots=True)
class _Cell:
    start: int
    end: int
    columns: int
    rows: int


def data_table(nodes: list[Node], at: int, base: str) -> DataTable | None:
    """The table at a node, or None where it lays out a page, is malformed, or has one column or one row."""
    table = nodes[at]
    if (table.attributes.get("role") or "") in ("none", "presentation"):
        return None
    rows: list[list[_Cell]] = []
    caption = ""
    for node in nodes[at + 1 : table.end]:
        tag = node.tag
        if tag == "table" or (tag in _HEADING_IN_CELL and rows):
            return None
        if tag == "tr":
            rows.append([])
            if len(rows) > _MOST_ROWS:
                return None
        elif tag in ("td", "th"):
            if not rows:
                return None
            rows[-1].append(_Cell(node.at, node.end, _span(node, "colspan"), _span(node, "rowspan")))
        elif tag == "caption":
            caption = inline_markdown(nodes, node.at + 1, node.end, node.at, base) if node.end > node.at + 1 else ""
    if any(_size(nodes, cell) > _LONGEST_CELL for row in rows for cell in row):
        return None
    grid = _grid(nodes, [row for row in rows if row], base)
    return None if grid is None else DataTable(caption, grid)


def _grid(nodes: list[Node], rows: list[list[_Cell]], base: str) -> tuple[tuple[str, ...], ...] | None:
    filled: list[dict[int, str]] = [{} for _ in rows]
    written = copied = 0
    for number, row in enumerate(rows):
        column = 0
        for cell in row:
            text = _cell_text(nodes, cell, base)
            written += len(text)
            while column in filled[number]:
                column += 1
            if column + cell.columns > _MOST_COLUMNS:
                return None
            for below in range(number, min(number + cell.rows, len(rows))):
                for aside in range(column, column + cell.columns):
                    filled[below].setdefault(aside, text)
                copied += (len(text) + 3) * cell.columns
            column += cell.columns
        if copied > _GROWTH * written + _GROWTH_FREE + _GROWTH * len(rows) * _MOST_COLUMNS:
            return None
    width = max((max(row) + 1 for row in filled if row), default=0)
    if width < 2 or len(filled) < 2 or not written:
        return None
    return tuple(tuple(row.get(column, "") for column in range(width)) for row in filled)


def _cell_text(nodes: list[Node], cell: _Cell, base: str) -> str:
    if cell.end <= cell.start + 1:
        return ""
    text = inline_markdown(nodes, cell.start + 1, cell.end, cell.start, base)
    return _PIPE.sub(r"\1\\|", text)


def _size(nodes: list[Node], cell: _Cell) -> int:
    return sum(len(fold(node.text)) for node in nodes[cell.start + 1 : cell.end] if node.tag == TEXT)


def _span(node: Node, name: str) -> int:
    found = _DIGITS.match((node.attributes.get(name) or "").strip())
    return max(1, int(found.group())) if found else 1
