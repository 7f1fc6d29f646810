"""Fit the integer weights of the confidence formula on SciFact's train queries.

    python -m scripts.train_confidence            write the weights
    python -m scripts.train_confidence --check    fit again and compare

The event is that a gold document is among the citations. Every second train query is used; the benchmark measures on
the test queries. Plain gradient steps from zero in a fixed order.
"""

from __future__ import annotations

import asyncio
import math
import sys
import tempfile
from pathlib import Path

from benchmarks.scifact import folder, queries
from benchmarks.scifact_research import lay_out, researched

ROOT = Path(__file__).parents[1]
WEIGHTS = ROOT / "backend" / "app" / "evidence" / "confidence_weights.py"
STEPS, RATE, PENALTY = 3_000, 0.3, 0.5


def examples() -> list[tuple[tuple[int, ...], float]]:
    """The factors of every answered train query, and whether a gold document was cited."""
    asked = queries("train")[::2]
    with tempfile.TemporaryDirectory(prefix="portcullis-confidence-") as scratch:
        place = lay_out(Path(scratch) / "docs")
        found = asyncio.run(researched(place, Path(scratch) / "data", (text for _, text, _ in asked)))
    return [
        (one.factors().factors(), float(bool(gold & set(one.documents))))
        for one, (_, _, gold) in zip(found, asked, strict=True)
        if one.documents
    ]


def fitted(rows: list[tuple[tuple[int, ...], float]]) -> tuple[list[int], int]:
    """Weights and bias in thousandths."""
    size = len(rows[0][0])
    weights, bias, past = [0.0] * size, 0.0, [1e-6] * (size + 1)
    for _ in range(STEPS):
        slope, tilt = [0.0] * size, 0.0
        for factors, label in rows:
            reach = bias + math.fsum(w * v / 1000 for w, v in zip(weights, factors, strict=True))
            error = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, reach)))) - label
            tilt += error
            for number, value in enumerate(factors):
                slope[number] += error * value / 1000
        for number in range(size):
            step = slope[number] + PENALTY * weights[number]
            past[number] += step * step
            weights[number] -= RATE * step / math.sqrt(past[number])
        past[size] += tilt * tilt
        bias -= RATE * tilt / math.sqrt(past[size])
    return [round(weight * 1000) for weight in weights], round(bias * 1000)


def main() -> int:
    """Exit code 1 when `--check` finds other weights, 2 when the corpora are not at hand."""
    if not folder().is_dir():
        print("the corpora are not beside this checkout: set PORTCULLIS_CORPORA", file=sys.stderr)
        return 2
    rows = examples()
    weights, bias = fitted(rows)
    share = math.fsum(label for _, label in rows) / len(rows)
    print(f"{len(rows)} answered queries, gold cited in {share:.3f}; weights {weights}, bias {bias}")
    text = (
        '"""Weights of the confidence formula, in thousandths; written by `python -m scripts.train_confidence`."""\n\n'
        "from __future__ import annotations\n\nfrom typing import Final\n\n"
        f'__all__ = ["BIAS", "WEIGHTS"]\n\nWEIGHTS: Final = {tuple(weights)}\nBIAS: Final = {bias}\n'
    )
    if "--check" in sys.argv:
        return int(WEIGHTS.read_text(encoding="utf-8") != text)
    WEIGHTS.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
