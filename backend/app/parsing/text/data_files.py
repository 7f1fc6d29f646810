"""Reads JSON and CSV as text: escapes undone, so that the screen sees the words, and numbers as they were written."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any, Final

from ..refusal import ParseRefused, Refusal
from .document_parts import DocumentParts

__all__ = ["read_csv", "read_json"]

_DELIMITERS: Final = (",", ";", "\t", "|")
_LOOKED_AT: Final = 20
_LONGEST: Final = 4_000_000


def read_json(text: str) -> DocumentParts:
    """The values, indented, one per line.

    Raises:
        ParseRefused: it is no JSON, or nested too deeply.
    """
    try:
        value = json.loads(
            text, object_pairs_hook=_Pairs, parse_float=_Number, parse_int=_Number, parse_constant=_Number
        )
        return _cut("\n".join(_lines(value, "", "")))
    except (ValueError, RecursionError) as exc:
        raise ParseRefused(Refusal.UNREADABLE) from exc


def read_csv(text: str) -> DocumentParts:
    """The rows as a table in Markdown, the first as its head; a text without columns stays as it is.

    Raises:
        ParseRefused: it is no CSV, or has a cell out of all proportion.
    """
    delimiter = _delimiter(text)
    if delimiter is None:
        return _cut(text)
    try:
        rows = [row for row in csv.reader(text.splitlines(keepends=True), delimiter=delimiter) if any(row)]
    except csv.Error as exc:
        raise ParseRefused(Refusal.UNREADABLE) from exc
    if not rows:
        return _cut("")
    width = max(len(row) for row in rows)
    lines = [_row(row, width) for row in rows]
    return _cut("\n".join([lines[0], "| " + " | ".join(["---"] * width) + " |", *lines[1:]]))


class _Pairs(list[tuple[str, Any]]):
    """An object with all its members, also those of the same name."""


class _Number(str):
    """A number in its own spelling."""

    __slots__ = ()


def _lines(value: Any, indent: str, name: str) -> Iterator[str]:
    head = f"{indent}{name}: " if name else indent
    match value:
        case _Pairs() | list() if not value:
            yield head + ("{}" if isinstance(value, _Pairs) else "[]")
        case _Pairs():
            yield (f"{indent}{name}:" if name else f"{indent}-") if indent or name else "{"
            for key, inner in value:
                yield from _lines(inner, f"{indent}  ", _flat(key) or '""')
        case list():
            yield (f"{indent}{name}:" if name else f"{indent}-") if indent or name else "["
            for inner in value:
                yield from _lines(inner, f"{indent}  ", "")
        case _Number():
            yield head + value
        case str():
            yield head + _flat(value)
        case _:
            yield head + json.dumps(value)


def _flat(text: str) -> str:
    # A lone half of a pair can be written as an escape and is no text.
    return _one_line(text.encode("utf-8", "replace").decode("utf-8"))


def _one_line(text: str) -> str:
    return " ".join(line.strip() for line in text.split("\n")) if "\n" in text else text


def _delimiter(text: str) -> str | None:
    """The mark that cuts the first lines into the same number of cells, the most of them."""
    sample = [line for line in text[:_LONGEST].splitlines()[:_LOOKED_AT] if line.strip()]
    best, most = None, 1
    for mark in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(sample, delimiter=mark) if row]
        except csv.Error:
            continue
        if widths and min(widths) == max(widths) > most:
            best, most = mark, widths[0]
    return best


def _row(cells: list[str], width: int) -> str:
    plain = (_one_line(cell).strip().replace("\\", "\\\\").replace("|", "\\|") for cell in cells)
    return "| " + " | ".join([*plain, *[""] * (width - len(cells))]) + " |"


def _cut(text: str) -> DocumentParts:
    return DocumentParts("", text[:_LONGEST], (), (), truncated=len(text) > _LONGEST)
