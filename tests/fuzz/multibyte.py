"""Screens generated texts of multi-byte characters: `python -m tests.fuzz.multibyte --texts 300000 --seed 1`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter

from app.research.injection import InjectionScreen, RuleSet
from app.screen.fold import fold
from app.system.contract_files import read_rules
from tests.fixtures.multibyte import Placed, placed_directive
from tests.fixtures.seeded import seeded

__all__ = ["screen_many"]

ENCODED_EVERY = 10
RULES = RuleSet.parse(read_rules())
SCREEN = InjectionScreen(RULES)
# Banners and tags of turns are looked for where a line begins: letters before them are enough to see which.
LINE_BOUND = frozenset(
    hit
    for rule in (*RULES.rules, RULES.handover)
    for hit in rule.hits
    if not any(one.rule_id == rule.id for one in SCREEN.screen(f"x {hit}").directives)
)
SHOWN = 300


def screen_many(texts: int, seed: int) -> dict[str, object]:
    """How many texts were screened, in how many the directive was found, and what went wrong."""
    chance = seeded(seed)
    counts: Counter[str] = Counter(dict.fromkeys(("offsets", "bad_offsets", "found"), 0))
    rules: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    first = ""
    for number in range(texts):
        placed = placed_directive(RULES, chance, LINE_BOUND)
        rules[placed.rule_id] += 1
        # An exception ends the run: seed and number of texts give the one that raised it again.
        found = _screened(placed, counts)
        if number % ENCODED_EVERY == 0:
            counts["encoded"] += 1
            _screened(Placed(f"\u9ea6 {placed.text.encode().hex()} \u9ea6", "", 0, 0), counts)
        counts["found"] += found
        missed.update([placed.rule_id] * (not found))
        first = first or ("" if found else f"not found: {placed.rule_id}: {placed.text!r}")
    return {
        "texts": texts,
        "seed": seed,
        "rules": len(rules),
        "line_bound": len(LINE_BOUND),
        **counts,
        "missed": dict(missed),
        "first": first[:SHOWN],
    }


def _screened(placed: Placed, counts: Counter[str]) -> bool:
    """Whether the rule finds its own example where it stands; every offset is looked at."""
    text = placed.text
    data = fold(text).data
    for _, low, high in SCREEN.matches(data):
        data[:low].decode("utf-8")
        data[low:high].decode("utf-8")
    hit = False
    for one in SCREEN.screen(text).directives:
        counts["offsets"] += 2
        counts["bad_offsets"] += not 0 <= one.start < one.end <= len(text)
        at = one.start < placed.end and one.end > placed.start
        hit = hit or (one.rule_id == placed.rule_id and at and not one.mentioned)
    return hit


def main() -> int:
    """0 where nothing broke and nothing was missed, 1 otherwise; prints one JSON document."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.multibyte", description=__doc__)
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    told = screen_many(options.texts, options.seed)
    print(json.dumps(told, indent=2))
    return 0 if told["found"] == told["texts"] and not told["bad_offsets"] else 1


if __name__ == "__main__":
    sys.exit(main())
