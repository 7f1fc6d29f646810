"""Confidence in thousandths: a logistic formula over a few factors, fitted on data; the docs have its reliability."""

from __future__ import annotations

from typing import Final

from ..kernel.models import FrozenModel
from .confidence_weights import BIAS, WEIGHTS

__all__ = [
    "BUDGET_MILLI",
    "CONTRADICTION_MILLI",
    "ConfidenceInput",
    "citation_confidence_milli",
    "confidence_milli",
    "raw_score",
]

BUDGET_MILLI: Final = 100
"""What an exhausted budget takes off."""
CONTRADICTION_MILLI: Final = 150
"""What a contradiction between the sources takes off."""
_FLOOR: Final = 10
_CEILING: Final = 990
_ALONE: Final = 890  # the contract keeps 0.9 and more for answers that several sources corroborate
# The logistic curve at every tenth, in thousandths, so that no float is part of it: 1000 / (1 + exp(-x)).
_CURVE: Final = (
    7, 7, 8, 9, 10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 29, 32, 36, 39, 43, 47, 52, 57, 63, 69, 76, 83, 91, 100,
    109, 119, 130, 142, 154, 168, 182, 198, 214, 231, 250, 269, 289, 310, 332, 354, 378, 401, 426, 450, 475, 500, 525,
    550, 574, 599, 622, 646, 668, 690, 711, 731, 750, 769, 786, 802, 818, 832, 846, 858, 870, 881, 891, 900, 909, 917,
    924, 931, 937, 943, 948, 953, 957, 961, 964, 968, 971, 973, 976, 978, 980, 982, 984, 985, 987, 988, 989, 990, 991,
    992, 993, 993,
)  # fmt: skip
_LOWEST: Final = -5000


class ConfidenceInput(FrozenModel):
    """What the formula looks at; every factor is a whole number."""

    match_milli: int
    """How much of the question the best document holds; this and the next five are means over its facets."""
    first_milli: int
    """How much of it the document holds that ranks first."""
    first_is_best_milli: int
    """1000 where that document is the one that holds most."""
    margin_milli: int
    """By how much the best document holds more than the second."""
    sentence_milli: int
    """How much of the question a single sentence of the answer holds."""
    words_held: int
    """How many content words of the question the best document holds."""
    speaking: int
    """How many documents agree on every part of the answer, each speaking to it by itself."""
    covered_milli: int
    """The share of the facets that have an answer."""
    contradiction: bool
    budget_exhausted: bool

    def factors(self) -> tuple[int, ...]:
        """The fitted factors in the order of the weights, in thousandths."""
        return (
            self.match_milli,
            self.first_milli,
            self.first_is_best_milli,
            self.margin_milli,
            self.sentence_milli,
            1000 * min(10, self.words_held) // 10,
        )


def raw_score(given: ConfidenceInput) -> int:
    """The score before the curve, in thousandths."""
    return BIAS + sum(weight * value for weight, value in zip(WEIGHTS, given.factors(), strict=True)) // 1000


def confidence_milli(given: ConfidenceInput) -> int:
    """The confidence of an answer; 0 where no facet has one."""
    if not given.covered_milli:
        return 0
    value = _curve(raw_score(given)) * given.covered_milli // 1000
    value -= BUDGET_MILLI if given.budget_exhausted else 0
    value -= CONTRADICTION_MILLI if given.contradiction else 0
    return max(_FLOOR, min(_CEILING if given.speaking > 1 else _ALONE, value))


def citation_confidence_milli(held_milli: int, speaks: bool, authority: str) -> int:
    """The confidence of one citation: how much of its facet the source holds, more where it answers by itself, with a
    fixed step for who says it."""
    step = {"high": 100, "medium": 0, "low": -100}[authority]
    return max(_FLOOR, min(_CEILING, (500 if speaks else 250) + held_milli * 2 // 5 + step))


def _curve(score: int) -> int:
    return _CURVE[max(0, min(len(_CURVE) - 1, (score - _LOWEST) // 100))]
