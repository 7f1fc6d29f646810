"""The third stage: scores windows by what they say to whoever processes them, with integer weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final, NamedTuple

from .concepts import Lexicon, Tag, Tagger, lowered
from .features import BUCKETS, concepts_of, feature_names, hashed, hint_names, marks, places_of
from .weights import WindowWeights
from .windows import Windows

__all__ = ["Share", "WindowScorer"]

_FEWEST: Final = 2  # concepts that a window needs to be scored
_MOST_KNOWN: Final = 20_000  # sets of concepts that are remembered; forgetting them changes no answer


class Share(NamedTuple):
    """What one concept or mark adds to a score."""

    name: str
    points: int


class WindowScorer:
    """Made once from the lexicon and the weights; every window is scored once, so the work is linear in the text."""

    def __init__(self, lexicon: Lexicon, weights: WindowWeights) -> None:
        self.named = (weights.id, weights.family, weights.severity)
        self.threshold = weights.threshold
        self._bias = weights.bias
        self._weights = weights.unpacked(BUCKETS)
        self._classes = tuple(one.id for one in lexicon.classes)
        self._hints = weights.hints
        self._least_hint = weights.least_hint
        self._lexicon = lexicon
        self._gate: dict[frozenset[int], bool] = {}

    @cached_property
    def _tagger(self) -> Tagger:
        return Tagger(self._lexicon)

    @cached_property
    def _windows(self) -> Windows:
        return Windows(self._tagger.anchors)

    def find(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Every window of folded text that scores at least the threshold."""
        for _, start, end in self._windows.find(data):
            piece = data[start:end]
            if self._promising(piece) and self.score(piece.decode("utf-8")) >= self.threshold:
                yield start, end

    def score(self, window: str) -> int:
        """The score of a piece of folded text; below the threshold where it has too few concepts."""
        tags = self._tagger.tags(lowered(window))
        if len(concepts_of(tags)) < _FEWEST:
            return self.threshold - 1
        weights = self._weights
        return self._bias + sum([weights[place] for place in places_of(self._features(tags, window))])

    def shares(self, window: str) -> tuple[Share, ...]:
        """The score of a piece of folded text by concept and mark, the largest share first; they add up to it."""
        tags = self._tagger.tags(lowered(window))
        concepts = {word: self._classes[numbers[0]] for word, numbers in tags if numbers}
        points = {"bias": self._bias}
        for place, name in {hashed(name): name for name in sorted(self._features(tags, window))}.items():
            owners = _owners(name, concepts)
            each, rest = divmod(self._weights[place], len(owners))
            for owner in owners:
                points[owner] = points.get(owner, 0) + each
            points[owners[0]] += rest
        return tuple(sorted((Share(*one) for one in points.items()), key=lambda one: (-one.points, one.name)))

    def _promising(self, piece: bytes) -> bool:
        """Whether a phrase or the concepts of single words can lead to the threshold; leaves out most windows."""
        present = self._tagger.hinted(piece)
        known = self._gate.get(present)
        if known is None:
            if len(self._gate) >= _MOST_KNOWN:
                self._gate.clear()
            names = hint_names(present, self._classes)
            known = self._gate[present] = sum(self._hints.get(name, 0) for name in names) >= self._least_hint
        return known or self._windows.has_phrase(piece)

    def _features(self, tags: list[Tag], window: str) -> set[str]:
        return feature_names(tags, marks(window), self._classes)


def _owners(name: str, concepts: Mapping[str, str]) -> list[str]:
    """The concepts and marks that a feature is made of; a word without a concept counts as `words`."""
    kind, _, rest = name.partition(":")
    if kind == "mark":
        return [name]
    if kind == "m":
        return rest.split("+")
    if kind in ("s", "w"):
        known = set(concepts.values())
        return [word if word in known else concepts.get(word, "words") for word in rest.split(" ")]
    return rest.split(">")
