"""The third stage: scores windows by what they say to whoever processes them, with integer weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Final, NamedTuple

from .concepts import Lexicon, Tag, Tagger, lowered
from .features import BUCKETS, concepts_of, feature_names, hashed, marks, places_of
from .hints import WORDS, Hints
from .weights import WindowWeights
from .windows import Windows

__all__ = ["Share", "WindowScorer"]

_FEWEST: Final = 2  # concepts that a window needs to be scored


class Share(NamedTuple):
    """What one concept or mark adds to a score."""

    name: str
    points: int


class WindowScorer:
    """Made once from the lexicon and the weights; every window is scored once, so the work is linear in the text."""

    def __init__(
        self, lexicon: Lexicon, weights: WindowWeights, named: Callable[[bytes], bool] = lambda _: False
    ) -> None:
        """`named` says whether a rule finds a directive in a piece of folded text."""
        self.named = (weights.id, weights.family, weights.severity)
        self.threshold = weights.threshold
        self._bias = weights.bias
        self._weights = weights.unpacked(BUCKETS)
        self._classes = tuple(one.id for one in lexicon.classes)
        self._lexicon = lexicon
        self._named = named
        self._parts = weights.hints, weights.unpacked_hints(WORDS), weights.least_hint

    @cached_property
    def _tagger(self) -> Tagger:
        return Tagger(self._lexicon)

    @cached_property
    def _windows(self) -> Windows:
        return Windows(self._tagger.anchors)

    @cached_property
    def _hints(self) -> Hints:
        return Hints(self._tagger, self._classes, *self._parts)

    def find(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Every window of folded text that is flagged."""
        hints = self._hints
        for _, start, end in self._windows.find(data):
            piece = data[start:end]
            if hints.promising(piece) and self.flags(piece.decode("utf-8")):
                yield start, end

    def flags(self, window: str) -> bool:
        """Whether a piece of folded text scores at least the threshold, or a rule names it once slips are mended."""
        return self.score(window) >= self.threshold or self.mended(window) is not None

    def mended(self, window: str) -> str | None:
        """A piece of folded text with its slips mended, where it has some and a rule names it then."""
        small = lowered(window)
        meant = self._tagger.respelled(small)
        return meant if meant != small and self._named(meant.encode("utf-8")) else None

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
