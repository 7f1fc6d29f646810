"""Weights of the confidence formula, in thousandths; written by `python -m scripts.train_confidence`."""

from __future__ import annotations

from typing import Final

__all__ = ["BIAS", "WEIGHTS"]

WEIGHTS: Final = (2000, 300, 500, 1000)
BIAS: Final = -1000
