"""The fitted sentence scorer: whole numbers in, whole numbers out; higher says more to the question."""

from __future__ import annotations

from .sentence_features import FEATURES, AskedQuestion, ReadText, features_of
from .sentence_weights import BIAS, THRESHOLD, WEIGHTS

__all__ = ["GOOD_ENOUGH", "scores_of"]

GOOD_ENOUGH = THRESHOLD
"""From here on a sentence is selected beside the best of its text."""
_ORDERED = tuple(WEIGHTS[name] for name in FEATURES)


def scores_of(asked: AskedQuestion, read: ReadText) -> tuple[int, ...]:
    """The score of every sentence of a text."""
    return tuple(
        BIAS + sum(weight * value for weight, value in zip(_ORDERED, features, strict=True)) // 1000
        for features in features_of(asked, read)
    )
