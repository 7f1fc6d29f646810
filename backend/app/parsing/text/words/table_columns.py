"""Tables in Markdown: where they lie, the headings of their columns, and the cells of a row."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

__all__ = ["TableColumns", "cells_of", "heads_in"]

# Possessive repetitions: a table of megabytes is read without a way back for each of its rows.
_HEAD: Final = r"^[^\S\n]*+(?P<head>\|[^\n]*\|)[^\S\n]*+\n[^\S\n]*+\|(?:[^\S\n]*+:?+-++:?+[^\S\n]*+\|)++[^\S\n]*+$"
_TABLE: Final = re.compile(rf"{_HEAD}(?:\n[^\S\n]*+\|[^\n]*+)*+", re.MULTILINE)
_HEADS: Final = re.compile(_HEAD, re.MULTILINE)
_BAR: Final = re.compile(r"(?<!\\)\|")
_LONGEST: Final = 600


@dataclass(frozen=True, slots=True)
class _Table:
    """The row of headings, where the rows under it begin, and where the last one ends."""

    head: str
    rows: int
    end: int


class TableColumns:
    """The headings of the columns of every table of a text."""

    def __init__(self, text: str) -> None:
        found = _TABLE.finditer(text) if "|" in text else ()
        self._tables = [_Table(_short(one["head"]), one.end("head") + 1, one.end()) for one in found]
        self._rows = [table.rows for table in self._tables]

    def cut_at(self, start: int) -> str:
        """The headings of the table in which a passage begins below them; empty where it holds them itself."""
        at = bisect_right(self._rows, start) - 1
        return self._tables[at].head if at >= 0 and start < self._tables[at].end else ""


def heads_in(text: str) -> tuple[str, ...]:
    """The rows of headings in a text."""
    return tuple(one["head"] for one in _HEADS.finditer(text)) if "|" in text else ()


def cells_of(row: str) -> list[str]:
    """The cells of a row, empty ones included."""
    inner = row.strip()
    cells = [cell.strip() for cell in _BAR.split(inner)]
    return cells[1 if inner.startswith("|") else 0 : -1 if len(cells) > 1 and not cells[-1] else None]


def _short(head: str) -> str:
    """The first columns of a very wide table."""
    return head if len(head) <= _LONGEST else head[:_LONGEST].rpartition("|")[0] + "|" * ("|" in head[1:_LONGEST])
