"""Weights of the confidence formula, in thousandths; written by `python -m scripts.train_confidence`."""

from __future__ import annotations

from typing import Final

__all__ = ["BIAS", "WEIGHTS"]

WEIGHTS: Final = (704, 1722, 496, 2465, 455, 1543)
BIAS: Final = -1864
