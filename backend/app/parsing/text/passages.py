"""Cuts a text into passages under their headings, each an exact slice of the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from .graphemes import can_cut, keeps_carriers
from .words.table_columns import TableColumns

__all__ = ["LONGEST_PASSAGE", "Heading", "TextPassage", "passages_of"]

LONGEST_PASSAGE: Final = 800
_LONGEST_PATH: Final = 300
_BLANK: Final = re.compile(r"\n[^\S\n]*\n\s*")
_SENTENCE: Final = re.compile(r"[.!?][\"')\]\u2019\u201d]*\s|[\u3002\uff01\uff1f]|\n")
_SPACE: Final = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and where its line stands in the text."""

    level: int
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TextPassage:
    """A slice of the text: `text[start:end]`, under its path of headings."""

    start: int
    end: int
    heading: str
    columns: str = ""
    """The headings of the columns of the table in which it begins below them."""


def passages_of(text: str, headings: tuple[Heading, ...]) -> tuple[TextPassage, ...]:
    """Passages in reading order, without overlap; between two of them stands nothing but white space."""
    paths = _paths(headings)
    starts = [heading.start for heading in headings]
    tables = TableColumns(text)
    found: list[TextPassage] = []
    for low, high in _sections(text, headings):
        for start, end in _packed(text, low, high):
            under = bisect_right(starts, start) - 1
            # A passage that opens with several headings belongs to the last of them.
            while under + 1 < len(starts) and starts[under + 1] < end:
                under += 1
            found.append(TextPassage(start, end, paths[under] if under >= 0 else "", tables.cut_at(start)))
    return tuple(found)


def _paths(headings: tuple[Heading, ...]) -> list[str]:
    above: list[Heading] = []
    paths: list[str] = []
    for heading in headings:
        above = [*(other for other in above if other.level < heading.level), heading]
        paths.append(" > ".join(other.title[:_LONGEST_PATH] for other in above)[:_LONGEST_PATH])
    return paths


def _sections(text: str, headings: tuple[Heading, ...]) -> Iterator[tuple[int, int]]:
    """From heading to heading; a heading with nothing under it goes with the next one."""
    low = 0
    said = False  # whether the running section holds more than headings
    last = 0
    for heading in headings:
        said = said or bool(text[last : heading.start].strip())
        if said:
            yield low, heading.start
            low = heading.start
            said = False
        last = heading.end
    yield low, len(text)


def _packed(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Whole paragraphs together as long as they fit, longer ones cut."""
    start = end = -1
    for piece_start, piece_end in _pieces(text, low, high):
        if start >= 0 and piece_end - start <= LONGEST_PASSAGE:
            end = piece_end
            continue
        if start >= 0:
            yield start, end
        start, end = piece_start, piece_end
    if start >= 0:
        yield start, end


def _pieces(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    at = low
    for match in _BLANK.finditer(text, low, high):
        yield from _cut(text, at, match.start())
        at = match.end()
    yield from _cut(text, at, high)


def _cut(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    low, high = _trimmed(text, low, high)
    while high - low > LONGEST_PASSAGE:
        middle = _break_before(text, low, low + LONGEST_PASSAGE)
        start, end = _trimmed(text, low, middle)
        if start < end:
            yield start, end
        low, _ = _trimmed(text, middle, high)
    if low < high:
        yield low, high


def _break_before(text: str, low: int, limit: int) -> int:
    """The last end of a sentence in the window, else the last space, else between two characters."""
    least = low + LONGEST_PASSAGE // 4
    for pattern in (_SENTENCE, _SPACE):
        # A very early end would leave a crumb; the next kind of break is better then.
        ends = [match.end() for match in pattern.finditer(text, low, limit + 1)]
        for end in reversed(ends):
            if end >= least and len(text[low:end].rstrip()) <= LONGEST_PASSAGE and can_cut(text, end):
                return end
    for allowed in (can_cut, keeps_carriers):
        for at in range(limit, least, -1):
            if allowed(text, at):
                return at
    return limit


def _trimmed(text: str, low: int, high: int) -> tuple[int, int]:
    while low < high and text[low].isspace():
        low += 1
    while high > low and text[high - 1].isspace():
        high -= 1
    return low, high
