"""Hints: a cheap look at a window's words and concepts that leaves out nearly all windows before they are scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from .concepts import Remembered, Tagger, lowered
from .features import concepts_of, hashed, hint_names

__all__ = ["WORDS", "Hints", "word_places", "words_of"]

WORDS: Final = 1 << 14
"""Places for the weights of words."""
_SPLIT: Final = bytes(
    byte if byte > 127 else ord(chr(byte).lower()) if chr(byte).isalnum() else 32 for byte in range(256)
)
_MOST_KNOWN: Final = 20_000  # sets of concepts that are remembered; forgetting them changes no answer


def words_of(piece: bytes) -> set[bytes]:
    """The distinct words of a piece of UTF-8 in small letters; what is not ASCII counts as a letter."""
    return set(piece.translate(_SPLIT).split())


def word_places(tagger: Tagger, word: bytes) -> tuple[frozenset[int], list[int]]:
    """The concepts of one of `words_of`, and the place of each token's weight."""
    tags = tagger.single(lowered(word.decode("utf-8")))
    return concepts_of(tags), [hashed(tag[0]) % WORDS for tag in tags]


class Hints:
    """Adds up small weights for words, concepts and pairs of concepts, in any order of the text."""

    def __init__(
        self, tagger: Tagger, classes: Sequence[str], pairs: Mapping[str, int], words: Sequence[int], least: int
    ) -> None:
        self._tagger = tagger
        self._classes = classes
        self._pairs = pairs
        self._words = words
        self._least = least
        self._known: Remembered[bytes, tuple[int, int]] = Remembered(self._look_up)
        self._sums: dict[int, int] = {}

    def promising(self, piece: bytes) -> bool:
        """Whether a window is worth a score."""
        known = self._known
        present = points = 0
        for word in words_of(piece):
            concepts, more = known[word]
            present |= concepts
            points += more
        if present not in self._sums:
            if len(self._sums) >= _MOST_KNOWN:
                self._sums.clear()
            self._sums[present] = self._sum_of(present)
        return points + self._sums[present] >= self._least

    def _look_up(self, word: bytes) -> tuple[int, int]:
        """The concepts of a word as bits, and its points."""
        concepts, places = word_places(self._tagger, word)
        return sum(1 << number for number in concepts), sum(self._words[place] for place in places)

    def _sum_of(self, present: int) -> int:
        numbers = [number for number in range(present.bit_length()) if present >> number & 1]
        return sum(self._pairs.get(name, 0) for name in hint_names(numbers, self._classes))
