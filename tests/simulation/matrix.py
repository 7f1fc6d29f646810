"""The declared matrix of faults and stop reasons: each cell is reached, or cannot be, with its reason."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

MATRIX = Path(__file__).with_name("matrix.json")
FULL_RUN = 50_000
RAREST = 5


def read_matrix() -> dict[str, dict[str, Any]]:
    """Fault → {"reached": [...], "infeasible": {reason: why}}; a why may name an entry of `because`."""
    declared = json.loads(MATRIX.read_text(encoding="utf-8"))
    because = declared["because"]
    return {
        fault: {
            "reached": row["reached"],
            "infeasible": {reason: because[why] for why, reasons in row["infeasible"].items() for reason in reasons},
        }
        for fault, row in declared["faults"].items()
    }


def rarest(pairs: Counter[tuple[str, str]]) -> dict[str, int]:
    """The cells declared reached that were met least: what one seed meets a few times, another seed misses."""
    met = [(pairs[fault, stop], f"{fault} x {stop}") for fault, row in read_matrix().items() for stop in row["reached"]]
    return {cell: count for count, cell in sorted(met)[:RAREST]}


def compare(pairs: Counter[tuple[str, str]]) -> dict[str, list[str]]:
    """What a run says against the matrix: cells that were not reached, and cells that should not have been."""
    matrix = read_matrix()
    missing = [
        f"{fault} x {stop}" for fault, row in matrix.items() for stop in row["reached"] if not pairs[fault, stop]
    ]
    forbidden = [
        f"{fault} x {stop}" for (fault, stop), count in sorted(pairs.items())
        if count and stop not in matrix.get(fault, {"reached": []})["reached"]
    ]  # fmt: skip
    return {"not_reached": missing, "reached_though_infeasible": forbidden}
