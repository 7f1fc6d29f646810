"""TableColumns in Markdown: where they lie, and the headings of their columns for a passage that begins below them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

__all__ = ["TableColumns", "column_headings", "with_columns"]

_HEAD: Final = r"^[^\S\n]*(?P<head>\|[^\n]*\|)[^\S\n]*\n[^\S\n]*\|(?:[^\S\n]*:?-+:?[^\S\n]*\|)+[^\S\n]*$"
_TABLE: Final = re.compile(rf"{_HEAD}(?:\n[^\S\n]*\|[^\n]*)*", re.MULTILINE)
_HEADS: Final = re.compile(_HEAD, re.MULTILINE)
_UNDER: Final = " > "
_LONGEST: Final = 300


@dataclass(frozen=True, slots=True)
class _Table:
    """The row of headings, where the rows under it begin, and where the last one ends."""

    head: str
    rows: int
    end: int


class TableColumns:
    """The tables of one text."""

    def __init__(self, text: str) -> None:
        heads = _TABLE.finditer(text) if "|" in text else ()
        self._tables = [_Table(found["head"], found.end("head") + 1, found.end()) for found in heads]
        self._rows = [table.rows for table in self._tables]

    def cut_at(self, start: int) -> str:
        """The headings of the columns of the table in which a passage begins; empty where it holds them itself."""
        at = bisect_right(self._rows, start) - 1
        return self._tables[at].head if at >= 0 and start < self._tables[at].end else ""


def with_columns(path: str, head: str) -> str:
    """A path of headings that ends in the headings of a table's columns."""
    if not head:
        return path
    kept = head if len(head) <= _LONGEST else head[: _LONGEST - 1].rpartition("|")[0] + "|"
    return f"{path}{_UNDER}{kept}" if path else kept


def column_headings(heading: str, text: str = "") -> str:
    """The headings of the columns of the tables that a passage is part of or holds, a row in a line."""
    above = heading.rpartition(f"{_UNDER}|")
    cut = f"|{above[2]}" if above[1] else heading
    own = [found["head"] for found in _HEADS.finditer(text)] if "|" in text else []
    return "\n".join([cut, *own] if cut.startswith("|") and cut.endswith("|") else own)
