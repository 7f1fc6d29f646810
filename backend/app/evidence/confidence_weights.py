"""Weights of the confidence formula, in thousandths; written by `python -m scripts.train_confidence`."""

from __future__ import annotations

from typing import Final

__all__ = ["BIAS", "WEIGHTS"]

WEIGHTS: Final = (543, 1598, 609, 2328, 673, 1300)
BIAS: Final = -1711
