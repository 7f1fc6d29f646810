"""The parts of one item as one shadow copy, and the way from its bytes back to each part."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from .fold import Folded

__all__ = ["Shadow", "Span", "Taken"]


class Span(NamedTuple):
    """A place in one part: in the original, and in its shadow copy."""

    piece: int
    start: int
    end: int
    low: int
    high: int


class Shadow:
    """Parts line by line in UTF-8; offsets are counted from the last one asked for, so asking in order is linear."""

    def __init__(self, folds: Sequence[Folded]) -> None:
        self._folds = folds
        encoded = [folded.data for folded in folds]
        self._starts: list[int] = []
        length = 0
        for piece in encoded:
            self._starts.append(length)
            length += len(piece) + 1
        self.data = b"\n".join(encoded)
        self._bytes = self._chars = self._piece = 0

    def places(self, start: int, end: int) -> Iterator[Span]:
        """The parts that a run of bytes touches, each with its own offsets."""
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1) - 1
        for piece in range(first, last + 1):
            folded = self._folds[piece]
            base = self._starts[piece]
            stop = self._starts[piece + 1] - 1 if piece + 1 < len(self._starts) else len(self.data)
            low = self._characters(piece, max(start, base))
            high = low + len(self.data[max(start, base) : min(end, stop)].decode("utf-8"))
            if low < high:
                yield Span(piece, folded.start(low), folded.end(high), low, high)

    def _characters(self, piece: int, at: int) -> int:
        """How many characters of a part stand before a byte."""
        if piece != self._piece or at < self._bytes:
            self._piece, self._bytes, self._chars = piece, self._starts[piece], 0
        self._chars += len(self.data[self._bytes : at].decode("utf-8"))
        self._bytes = at
        return self._chars


class Taken:
    """Places of one rule that were found already; says in logarithmic time whether another one overlaps them."""

    def __init__(self, found: Iterable[Span]) -> None:
        by_piece: dict[int, list[tuple[int, int]]] = {}
        for at in found:
            by_piece.setdefault(at.piece, []).append((at.end, at.start))
        self._ends: dict[int, list[int]] = {}
        self._lowest: dict[int, list[int]] = {}
        for piece, places in by_piece.items():
            places.sort()
            self._ends[piece] = [end for end, _ in places]
            # The lowest start from each place on: windows round two anchors may reach into each other.
            self._lowest[piece] = [*accumulate((start for _, start in reversed(places)), min)][::-1]

    def overlaps(self, at: Span) -> bool:
        """Whether a place shares a character of the original with one of them."""
        k = bisect_right(self._ends.get(at.piece, ()), at.start)
        lowest = self._lowest.get(at.piece, ())
        return k < len(lowest) and lowest[k] < at.end
