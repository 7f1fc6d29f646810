"""Cuts a text into sentences, each an exact slice of it; headings, list items and table rows are told apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["SentenceSpan", "sentences_of"]

Kind = Literal["prose", "heading", "item", "row"]

_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s")
_ITEM: Final = re.compile(r"\s*(?:[-*+\u2022]|\(?\d{1,3}[.)])\s+")
_ROW: Final = re.compile(r"\s*\|")
_RULE: Final = re.compile(r"\s*(?:[-=*_~]{3,}|\|[\s:|-]+\|?)\s*$")
_END: Final = re.compile(
    r"[.!?\u2026]+[\"')\]\u2019\u201d\u00bb]*(?=\s)|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d\u2019\"]*|\u0964"
)
_WORD_BEFORE: Final = re.compile(r"([^\W\d_][\w.]*)$")
_INITIALS: Final = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]$")
_NEXT: Final = re.compile(r"\s+[\"'(\[\u2018\u201c\u00ab\u00bf\u00a1*_]*(\S)")
# A full stop behind these ends no sentence; behind `etc` and the like it does where a capital follows.
# Units behind a number are no titles: "20 ms. If" is the end of a sentence, and "Ms. Berg" is not.
_UNIT: Final = re.compile(r"\d[ \u00a0]?(?:ms|min|max|sec|hr|hrs|st|gen|est|pp?|ff?|inc)$", re.IGNORECASE)
_PAIR: Final = re.compile(r"[^\W_a-z][^:.!?\n|]{0,60}:\s+\S")
_ENDED: Final = re.compile(r"[.!?:;\u2026\u3002\uff01\uff1f][\"')\]\u2019\u201d\u00bb]*\s*$")
_SHORT: Final = re.compile(
    r"al|approx|art|ca|cf|col|dept|dr|eds?|e\.g|eq|est|etc|ex|figs?|gen|gov|hr|i\.e|inc|jr|lt|max|min|mrs?|ms|mt|nr|nos?"
    r"|op|pp?|prof|refs?|resp|rev|sec|sen|sgt|sr|st|vol|vs|bzw|d\.h|ff?|ggf|u\.a|usw|z\.b"
)


@dataclass(frozen=True, slots=True)
class SentenceSpan:
    """One sentence: `text[start:end]`, without the white space round it."""

    start: int
    end: int
    kind: Kind = "prose"


def sentences_of(text: str) -> tuple[SentenceSpan, ...]:
    """The sentences in reading order, without overlap."""
    found: list[SentenceSpan] = []
    for start, end, kind in _blocks(text):
        if kind in ("heading", "row"):
            found.extend(_trimmed(text, start, end, kind))
            continue
        at = start
        for stop in _ends(text, start, end):
            found.extend(_trimmed(text, at, stop, kind))
            at = stop
        found.extend(_trimmed(text, at, end, kind))
    return tuple(found)


def _blocks(text: str) -> Iterator[tuple[int, int, Kind]]:
    """Runs of lines that belong together: a paragraph, a list item with its further lines, one heading, one row."""
    at = 0
    open_start, open_kind = -1, "prose"
    was_pair = ended = False
    for line in text.splitlines(keepends=True):
        low, high = at, at + len(line)
        at = high
        kind: Kind | None = None
        if _HEADING.match(line):
            kind = "heading"
        elif _ROW.match(line):
            kind = "row"
        elif _ITEM.match(line):
            kind = "item"
        # A line `key: value` is no part of the sentence before it, and the next one no part of it.
        pair = kind is None and _PAIR.match(line) is not None
        if open_start >= 0 and kind is None and open_kind == "prose" and (pair or was_pair) and ended:
            yield open_start, low, "prose"
            open_start = -1
        was_pair, ended = pair, pair or _ENDED.search(line) is not None
        blank = not line.strip() or _RULE.match(line) is not None
        if open_start >= 0 and (blank or kind is not None):
            yield open_start, low, "item" if open_kind == "item" else "prose"
            open_start = -1
        if blank:
            continue
        if kind in ("heading", "row"):
            yield low, high, kind
        elif kind == "item":
            marker = _ITEM.match(line)
            open_start, open_kind = low + (marker.end() if marker else 0), "item"
        elif open_start < 0:
            open_start, open_kind = low, "prose"
    if open_start >= 0:
        yield open_start, at, "item" if open_kind == "item" else "prose"


def _ends(text: str, start: int, end: int) -> Iterator[int]:
    for match in _END.finditer(text, start, end):
        if match[0][0] in "\u3002\uff01\uff1f\u0964" or _ends_here(text, start, match):
            yield match.end()


def _ends_here(text: str, start: int, match: re.Match[str]) -> bool:
    after = _NEXT.match(text, match.end())
    if after is None:
        return True
    if after[1].islower():
        return False
    if match[0].startswith("."):
        before = _WORD_BEFORE.search(text, max(start, match.start() - 24), match.start())
        if before is not None and match[0] == ".":
            word = before[1].lower()
            if _UNIT.search(text, max(start, match.start() - 24), match.start()):
                return True
            if _SHORT.fullmatch(word) and not (word == "etc" and after[1].isupper()):
                return False
            return not (_INITIALS.fullmatch(before[1]) and before[1][0].isupper() and after[1].isupper())
    return True


def _trimmed(text: str, start: int, end: int, kind: Kind) -> Iterator[SentenceSpan]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield SentenceSpan(start, end, kind)
