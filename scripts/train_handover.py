"""Fit the integer weights of the hand-over scorer, and say how well it does on what it has not seen.

    python -m scripts.train_handover            write the weights into the rule file
    python -m scripts.train_handover --check    fit again and compare

Positives are our own examples and TaskTracker's triggers, with and without their question;
negatives are our own honest sentences and every sentence of the honest corpora that has an anchor. Plain gradient steps
from zero in a fixed order: the same data give the same weights. Nothing of the data but sums ends up in the weights.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpora import injection_rows, trigger_of

from app.research.injection import RuleSet
from app.screen.fold import fold
from app.screen.handover import HandoverScorer
from app.system.contract_files import RULES_FILE, read_rules

ROOT = Path(__file__).parents[1]
RULES = ROOT / "backend" / "app" / "screen" / "rules" / RULES_FILE
EXAMPLES = ROOT / "scripts" / "training" / "examples.json"
ATTACKS = "tasktracker_train_attack"
HONEST = (
    "about_injection_benign",
    "aeb_article_benign",
    "aeb_pagetext_benign",
    "agentdojo_clean",
    "bipia_train_clean",
    "garak_latent_clean",
    "prompting_docs_benign",
    "wildguard_benign",
)
OWN = "our own examples"
SCALE = 16
STEPS = 300
RATE = 0.5
PENALTY = 1.0
OWN_COPIES = 6  # our honest sentences are few, and each stands for many pages
MARGIN_PER_MILLE = 1700  # the threshold, above even odds: found to leave every honest page of the corpora alone

Features = frozenset[int]
Model = tuple[list[float], float]


@dataclass(frozen=True)
class Example:
    """The signals of the sentences of one text, and where it is from."""

    source: str
    group: str
    windows: tuple[Features, ...]
    handed: bool
    whole: bool = False


def group_of(text: str) -> str:
    """The template of a trigger, by its shape: which sign or what kind of heading it opens with."""
    head = text.strip()
    if head[:1] in "#*+=<>[{(&%!~/$@^|:-\u2013\u2014":
        return f"sign {head[:1]}"
    first = head.split()[0] if head.split() else ""
    if first.isupper() and len(first) > 1:
        return "capitals"
    return f"heading {first[:1].lower()}" if ":" in head[:50] else f"plain {first[:1].lower()}"


def gathered(scorer: HandoverScorer) -> list[Example]:
    """Every example, in a fixed order."""

    def windows(text: str) -> tuple[Features, ...]:
        data = fold(text).data
        return tuple(frozenset(scorer.signals(data[start:end])) for start, end in scorer.windows(data))

    own = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    found = [Example(OWN, "own", windows(text), handed=True) for text in own["handed"]]
    for text in own["honest"]:
        shown = (*windows(text), frozenset(scorer.signals(fold(text).data)))
        found.append(Example(OWN, "own", shown * (OWN_COPIES // 2), handed=False))
    for row in injection_rows(ATTACKS):
        trigger = trigger_of(row.text)
        found.append(Example(ATTACKS, group_of(trigger), windows(trigger), handed=True))
        found.append(Example(ATTACKS, group_of(trigger), windows(row.text), handed=True, whole=True))
    for name in HONEST:
        found.extend(Example(name, name, windows(row.text), handed=False) for row in injection_rows(name))
    return found


def fitted(examples: Iterable[Example], size: int) -> Model:
    """Weights and bias by gradient descent on the logistic loss, both classes weighing the same."""
    given = list(examples)
    rows = [(max(one.windows, key=len), 1.0) for one in given if one.handed and one.windows]
    rows += [(window, 0.0) for one in given if not one.handed for window in one.windows]
    share = sum(1 for _, label in rows if not label) / max(1, sum(1 for _, label in rows if label))
    weights, bias = [0.0] * size, 0.0
    past = [1e-6] * (size + 1)
    for _ in range(STEPS):
        slope, tilt = [0.0] * size, 0.0
        for shown, label in rows:
            reach = bias + math.fsum(weights[number] for number in sorted(shown))
            error = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, reach)))) - label
            error *= share if label else 1.0
            tilt += error
            for number in shown:
                slope[number] += error
        for number in range(size):
            step = slope[number] + PENALTY * weights[number]
            past[number] += step * step
            weights[number] -= RATE * step / math.sqrt(past[number])
        past[size] += tilt * tilt
        bias -= RATE * tilt / math.sqrt(past[size])
    return weights, bias


def as_integers(model: Model) -> tuple[list[int], int]:
    """What the rule file holds."""
    return [round(weight * SCALE) for weight in model[0]], round(model[1] * SCALE)


def recall(examples: list[Example], model: Model, wanted: Callable[[Example], bool]) -> tuple[int, int]:
    """How many of the wanted examples reach the threshold, with integer weights."""
    weights, bias = as_integers(model)
    threshold = round(MARGIN_PER_MILLE * SCALE / 1000)
    chosen = [one for one in examples if wanted(one)]
    reached = sum(any(bias + sum(weights[n] for n in shown) >= threshold for shown in one.windows) for one in chosen)
    return reached, len(chosen)


def report(examples: list[Example], size: int, model: Model) -> None:
    """Fitted beside held out: by file, and by template."""

    def line(name: str, fit: tuple[int, int], out: tuple[int, int]) -> None:
        print(f"{name:42s} fitted {fit[0]:4d} of {fit[1]:4d}   held out {out[0]:4d} of {out[1]:4d}")

    print("leave one file out (an honest file: pages with a hit)")
    for source in dict.fromkeys(one.source for one in examples):
        rest = fitted((one for one in examples if one.source != source), size)
        for label, handed, whole in (("handed", True, False), ("handed, whole", True, True), ("honest", False, False)):

            def wanted(one: Example, s: str = source, h: bool = handed, w: bool = whole) -> bool:
                return one.source == s and one.handed is h and one.whole is w

            out = recall(examples, rest, wanted)
            if out[1]:
                line(f"{source}, {label}", recall(examples, model, wanted), out)
    print("leave templates out (five parts of the templates)")
    groups = sorted({one.group for one in examples if one.source == ATTACKS})
    for whole in (False, True):
        total = [0, 0]
        for part in range(5):
            away = set(groups[part::5])
            rest = fitted((one for one in examples if one.group not in away), size)
            got = recall(examples, rest, lambda one, a=away, w=whole: one.group in a and one.whole is w)
            total = [total[0] + got[0], total[1] + got[1]]
        fit = recall(examples, model, lambda one, w=whole: one.source == ATTACKS and one.whole is w)
        line("whole rows" if whole else "triggers alone", fit, (total[0], total[1]))


def main() -> int:
    """Exit code 1 when `--check` finds other weights, 2 when the corpora are not at hand."""
    if not injection_rows(ATTACKS):
        print("the corpora are not beside this checkout: set PORTCULLIS_CORPORA", file=sys.stderr)
        return 2
    text = read_rules()
    rules = RuleSet.parse(text)
    size = len(rules.handover.signals)
    examples = gathered(HandoverScorer(rules))
    model = fitted(examples, size)
    weights, bias = as_integers(model)
    threshold = round(MARGIN_PER_MILLE * SCALE / 1000)
    if "--quick" not in sys.argv:
        report(examples, size, model)
    held = rules.handover
    if "--check" in sys.argv:
        return int([one.weight for one in held.signals] != weights or (held.bias, held.threshold) != (bias, threshold))
    document = json.loads(text)
    document["handover"].update(bias=bias, threshold=threshold)
    for signal, weight in zip(document["handover"]["signals"], weights, strict=True):
        signal["weight"] = weight
    RULES.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
