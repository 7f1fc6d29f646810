"""The fitted sentence scorer: whole numbers in, whole numbers out; higher says more to the question."""

from __future__ import annotations

from .sentence_features import FEATURES, AskedQuestion, ReadText, TextFeatures
from .sentence_weights import BIAS, THRESHOLD, WEIGHTS

__all__ = ["GOOD_ENOUGH", "SentenceScorer", "scores_of"]

GOOD_ENOUGH = THRESHOLD
"""From here on a sentence is selected beside the best of its text."""
_ORDERED = tuple(WEIGHTS[name] for name in FEATURES)


class SentenceScorer:
    """Scores the sentences of a text one at a time, for callers that need only a few."""

    def __init__(self, asked: AskedQuestion, read: ReadText) -> None:
        self._features = TextFeatures(asked, read)

    def score(self, place: int) -> int:
        """The score of one sentence."""
        found = self._features.of(place)
        return BIAS + sum(weight * value for weight, value in zip(_ORDERED, found, strict=True)) // 1000


def scores_of(asked: AskedQuestion, read: ReadText) -> tuple[int, ...]:
    """The score of every sentence of a text."""
    scorer = SentenceScorer(asked, read)
    return tuple(scorer.score(place) for place in range(len(read.sentences)))
