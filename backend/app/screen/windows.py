"""Windows: the pieces of a text that are worth a score, round words that injected instructions cannot do without."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from .rulebook import LatePattern, boundary_after, boundary_before, compiled

__all__ = ["Windows"]

_BEFORE: Final = 200  # bytes that a sentence may begin before its anchor
_BEHIND: Final = 320
_SHORTEST: Final = 24  # what ends sooner is a heading or a cry, and belongs to what follows
_END: Final = re.compile(rb"[.?!][\"')\]]*\s+|\n\s*\n\s*|\xe3\x80\x82|\xef\xbc\x81|\xef\xbc\x9f|\xe0\xa5\xa4\s*")
_SCRIPT_BYTES: Final = (*range(0xCD, 0xDC), 0xE0, 0xE1, *range(0xE3, 0xEE))
_NO_SCRIPT: Final = bytes(byte for byte in range(256) if byte not in _SCRIPT_BYTES)
_GAP: Final = r"[^0-9A-Za-z]{1,4}"


class Windows:
    """Compiled once from the anchors of the lexicon; the work is linear in the text."""

    def __init__(self, anchors: Sequence[str]) -> None:
        plain = sorted({word for word in anchors if word.isascii()})
        other = sorted({word for word in anchors if not word.isascii()})
        self._plain = compiled(r"\b(?:" + "|".join(map(_written, plain)) + ")")
        self._other = LatePattern("(?:" + "|".join(map(_written, other)) + ")")

    def find(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        """Anchor, start and end of two sentences from each one that has an anchor, in order."""
        patterns = [self._plain]
        if not data.isascii() and data.translate(None, _NO_SCRIPT):
            patterns.append(self._other.compiled)
        # The next place of each pattern; a pattern that has none left is dropped.
        nexts = [(found.start(), pattern) for pattern in patterns if (found := pattern.search(data))]
        while nexts:
            at = min(place for place, _ in nexts)
            start = _begin(data, at)
            done, end = _finish(data, at)
            yield at, start, end
            nexts = [one for one in (_next(data, done, *one) for one in nexts) if one is not None]


def _next(data: bytes, done: int, place: int, pattern: re.Pattern[bytes]) -> tuple[int, re.Pattern[bytes]] | None:
    """The place of a pattern from where the last window's sentence ends."""
    if place >= done:
        return place, pattern
    found = pattern.search(data, done)
    return (found.start(), pattern) if found else None


def _written(word: str) -> str:
    stem = word.endswith("*")
    gaps = _GAP.join(map(re.escape, word.rstrip("*").split(" ")))
    return gaps if stem or not word.isascii() else gaps + r"\b"


def _begin(data: bytes, anchor: int) -> int:
    low = start = boundary_after(data, max(0, anchor - _BEFORE))
    for match in _END.finditer(data, low, anchor):
        start = match.end()
    return start


def _finish(data: bytes, anchor: int) -> tuple[int, int]:
    """Where the sentence of an anchor ends, and where the next one does."""
    high = boundary_before(data, min(len(data), anchor + _BEHIND))
    first = 0
    last = anchor
    for match in _END.finditer(data, anchor, high):
        if match.end() - last < _SHORTEST:
            continue
        if first:
            return first, match.end()
        first = last = match.end()
    return first or high, high
