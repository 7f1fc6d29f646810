"""Weights of the sentence scorer, in thousandths; written by `python -m scripts.train_selection`."""

from __future__ import annotations

from typing import Final

__all__ = ["BIAS", "THRESHOLD", "WEIGHTS"]

WEIGHTS: Final = {
    "held": 655,
    "held_rare": 963,
    "held_with_neighbours": -1617,
    "best_of_text": 1075,
    "is_best": 355,
    "count": 947,
    "longest_run": -1186,
    "pairs": 480,
    "names": 126,
    "numbers": -147,
    "letters": 1590,
    "heading": 349,
    "beyond_title": 534,
    "beyond_best": 216,
    "short": -961,
    "long": 178,
    "has_number": 511,
    "finding": 896,
    "aim": -2629,
    "pronoun": -501,
}
BIAS: Final = -3004
THRESHOLD: Final = -1000
