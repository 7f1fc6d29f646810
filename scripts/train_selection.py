"""Fit the integer weights of the sentence scorer on SciFact's train claims, and measure them on its dev claims.

    python -m scripts.train_selection            write the weights
    python -m scripts.train_selection --check    fit again and compare

An example is one sentence of an abstract that holds evidence for a claim. Plain gradient steps from zero in a fixed
order: the same data give the same weights. Nothing of the data but sums ends up in the weights.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.scifact import abstracts, claims, folder

from app.evidence.selection.sentence_features import FEATURES, asked_question, features_of

ROOT = Path(__file__).parents[1]
WEIGHTS = ROOT / "backend" / "app" / "evidence" / "selection" / "sentence_weights.py"
SCALE = 1000
STEPS = 400
RATE = 0.3
PENALTY = 1.0
MOST = 4
THRESHOLDS = range(-1600, 1, 50)

Row = tuple[tuple[tuple[int, ...], ...], frozenset[int]]


def rows(part: str) -> list[Row]:
    """The features of every sentence of the abstracts with evidence, and which of them are gold."""
    known = abstracts()
    return [
        (features_of(asked_question(claim.text), known[name].read()), gold)
        for claim in claims(part)
        for name, gold in claim.evidence.items()
    ]


def fitted(given: Sequence[Row]) -> tuple[list[float], float]:
    """Weights and bias by gradient descent on the logistic loss."""
    size = len(FEATURES)
    examples = [
        ([value / 1000 for value in features], 1.0 if number in gold else 0.0)
        for text, gold in given
        for number, features in enumerate(text)
    ]
    weights, bias, past = [0.0] * size, 0.0, [1e-6] * (size + 1)
    for _ in range(STEPS):
        slope, tilt = [0.0] * size, 0.0
        for features, label in examples:
            reach = bias + math.fsum(weight * value for weight, value in zip(weights, features, strict=True))
            error = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, reach)))) - label
            tilt += error
            for number, value in enumerate(features):
                slope[number] += error * value
        for number in range(size):
            step = slope[number] + PENALTY * weights[number]
            past[number] += step * step
            weights[number] -= RATE * step / math.sqrt(past[number])
        past[size] += tilt * tilt
        bias -= RATE * tilt / math.sqrt(past[size])
    return weights, bias


def micro_f1(given: Sequence[Row], chosen: Callable[[tuple[tuple[int, ...], ...]], set[int]]) -> float:
    """Micro F1 of a choice of sentences."""
    right = wrong = missed = 0
    for text, gold in given:
        picked = chosen(text)
        right, wrong, missed = right + len(picked & gold), wrong + len(picked - gold), missed + len(gold - picked)
    return 2 * right / max(1, 2 * right + wrong + missed)


def choice(weights: Sequence[int], bias: int, threshold: int) -> Callable[[tuple[tuple[int, ...], ...]], set[int]]:
    """The best sentence, and up to three more that reach the threshold."""

    def chosen(text: tuple[tuple[int, ...], ...]) -> set[int]:
        scores = [bias + sum(w * v for w, v in zip(weights, one, strict=True)) // 1000 for one in text]
        order = sorted(range(len(text)), key=lambda number: (-scores[number], number))[:MOST]
        return {number for place, number in enumerate(order) if place == 0 or scores[number] >= threshold}

    return chosen


def rendered(weights: Sequence[int], bias: int, threshold: int) -> str:
    """The module that holds the weights."""
    lines = "".join(f'    "{name}": {weight},\n' for name, weight in zip(FEATURES, weights, strict=True))
    return (
        '"""Weights of the sentence scorer, in thousandths; written by `python -m scripts.train_selection`."""\n\n'
        "from __future__ import annotations\n\nfrom typing import Final\n\n"
        '__all__ = ["BIAS", "THRESHOLD", "WEIGHTS"]\n\n'
        f"WEIGHTS: Final = {{\n{lines}}}\nBIAS: Final = {bias}\nTHRESHOLD: Final = {threshold}\n"
    )


def main() -> int:
    """Exit code 1 when `--check` finds other weights, 2 when the corpora are not at hand."""
    if not folder().is_dir():
        print("the corpora are not beside this checkout: set PORTCULLIS_CORPORA", file=sys.stderr)
        return 2
    train = rows("train")
    model, tilt = fitted(train)
    weights, bias = [round(weight * SCALE) for weight in model], round(tilt * SCALE)
    threshold = max(THRESHOLDS, key=lambda one: (micro_f1(train, choice(weights, bias, one)), one))
    for part, given in (("train", train), ("dev", rows("dev"))):
        print(f"{part}: micro F1 {micro_f1(given, choice(weights, bias, threshold)):.4f} of {len(given)} abstracts")
    text = rendered(weights, bias, threshold)
    if "--check" in sys.argv:
        return int(WEIGHTS.read_text(encoding="utf-8") != text)
    WEIGHTS.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
