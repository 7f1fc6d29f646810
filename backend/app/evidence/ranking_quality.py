"""How good a ranking is: nDCG, recall and percentiles, as plain functions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

__all__ = ["mean", "ndcg_at", "percentile_ms", "recall_at"]


def ndcg_at(depth: int, ranked: Sequence[str], grades: Mapping[str, int]) -> float:
    """Normalised discounted cumulative gain with the grade itself as gain, the measure of the BEIR collections."""
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:depth]
    best = _discounted(ideal)
    return _discounted([max(0, grades.get(name, 0)) for name in ranked[:depth]]) / best if best else 0.0


def recall_at(depth: int, ranked: Sequence[str], grades: Mapping[str, int]) -> float:
    """The share of the relevant documents that stand among the first `depth`."""
    relevant = {name for name, grade in grades.items() if grade > 0}
    return len(relevant.intersection(ranked[:depth])) / len(relevant) if relevant else 0.0


def mean(values: Sequence[float]) -> float:
    """The mean, added exactly, so that every Python says the same; 0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0


def percentile_ms(elapsed_ns: Sequence[int], percent: int) -> float:
    """A percentile by nearest rank, in milliseconds with three decimals."""
    if not elapsed_ns:
        return 0.0
    ordered = sorted(elapsed_ns)
    rank = max(1, -(-percent * len(ordered) // 100))
    return round(ordered[rank - 1] / 1_000_000, 3)


def _discounted(grades: Sequence[int]) -> float:
    return math.fsum(grade / math.log2(place + 2) for place, grade in enumerate(grades))
