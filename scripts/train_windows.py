"""Fit the integer weights of the window scorer, and say what it finds in sources that it was not fitted on.

    python -m scripts.train_windows              measure, choose the threshold, write the weights and the figures
    python -m scripts.train_windows --check      fit again and compare the digest of the weights
    python -m scripts.train_windows --quick      no measuring: the threshold stays

numpy, scipy and scikit-learn are needed and are no packages of the project. Honest texts that are installed on this
machine are part of the data, so the weights are the same again only where the same packages are installed; the figures
name what was used. Nothing of the data but sums ends up in the weights.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from app.research.injection import InjectionScreen, RuleSet
from app.screen.features import BUCKETS
from app.screen.hints import WORDS
from app.system.contract_files import read_rules
from scripts.window_training.fitting import Extractor, Shown, fitted, gated, scored
from scripts.window_training.sources import LIMITS, Text, gathered

ROOT = Path(__file__).parents[1]
WEIGHTS = ROOT / "backend" / "app" / "screen" / "rules" / "weights-1.json"
FIGURES = ROOT / "docs" / "injection-by-source.json"
SCALE = 2048
MARGIN = 0.02  # more than what rounding to integers can change in a score
PARTS = 8  # parts of the families; each part is scored by a fit on the others
TARGETS = {"ordinary": 0.0019, "hard": 0.0195, "about": 0.049}


def without_windows(rules: RuleSet) -> RuleSet:
    """The rules and the hand-over alone."""
    return rules.model_copy(update={"window": None})


def parted(texts: list[Text], key: str) -> list[set[str]]:
    """Families or sources in parts of about the same number of texts."""
    sizes = Counter(getattr(one, key) for one in texts if one.corpus != "own")
    parts: list[tuple[int, set[str]]] = [(0, set()) for _ in range(PARTS)]
    for name, size in sorted(sizes.items(), key=lambda one: (-one[1], one[0])):
        at = min(range(PARTS), key=lambda k: parts[k][0])
        parts[at] = (parts[at][0] + size, parts[at][1] | {name})
    return [names for _, names in parts]


def left_out(texts: list[Text], shown: Shown, key: str) -> Any:
    """The score of each text by a fit that has not seen its family, or its source."""
    names = np.array([getattr(one, key) for one in texts])
    own = np.array([one.corpus == "own" for one in texts])
    score = np.full(len(texts), -1e9)
    for part in parted(texts, key):
        away = np.isin(names, sorted(part)) & ~own
        fit = fitted(texts, shown, ~away)
        score[away] = scored(shown, len(texts), *fit, gated(texts, shown, ~away, *fit))[away]
    return score


def threshold_for(texts: list[Text], score: Any, whole: Any, by_rules: Any) -> float:
    """The lowest threshold at which rules and scorer together keep the limits of the development half.

    Rates are judged with the family left out; files with a limit of their own by the fit on everything (`whole`).
    """
    reach = []
    for source, limit in LIMITS.items():
        here = np.array([one.source == source for one in texts])
        allowed = max(0, limit - int(by_rules[here].sum()))
        reach.append(float(np.sort(whole[here & ~by_rules])[::-1][allowed]) + MARGIN)
    for group, most in TARGETS.items():
        here = np.array([one.group == group and one.corpus != "own" and one.development for one in texts])
        allowed = max(0, int(most * here.sum()) - int(by_rules[here].sum()))
        reach.append(float(np.sort(score[here & ~by_rules])[::-1][allowed]) + MARGIN)
    return max(reach)


def table(texts: list[Text], flagged: Any, half: str) -> dict[str, Any]:
    """Rates of one half, or of all."""
    here = np.array([one.corpus != "own" and half in ("all", _half(one)) for one in texts])
    group = np.array([one.group for one in texts])
    corpus = np.array([one.corpus for one in texts])
    source = np.array([one.source for one in texts])
    cue = np.array([one.cue for one in texts])

    def count(mask: Any) -> list[int]:
        return [int(flagged[mask].sum()), int(mask.sum())]

    found: dict[str, Any] = {name: count(here & (group == name)) for name in ("ordinary", "hard", "about")}
    for name in ("by_source", "older"):
        attacks = here & (group == "attack") & (corpus == name)
        sources = {one: count(attacks & (source == one)) for one in sorted(set(source[attacks]))}
        found[name] = {
            "all": count(attacks),
            "explicit": count(attacks & (cue == "explicit")),
            "implicit": count(attacks & (cue == "implicit")),
            "mean_per_mille": round(1000 * sum(hit / rows for hit, rows in sources.values()) / max(1, len(sources))),
            "sources": sources,
        }
    return found


def _half(text: Text) -> str:
    return "development" if text.development else "held back"


def main() -> int:
    """Exit code 1 when `--check` finds other weights, 2 when the corpora are not at hand."""
    texts = gathered()
    if not any(one.corpus == "by_source" for one in texts):
        print("the corpora are not beside this checkout: set PORTCULLIS_CORPORA", file=sys.stderr)
        return 2
    rules = RuleSet.parse(read_rules())
    extractor = Extractor(rules)
    shown = extractor.shown(texts)
    print(f"{len(texts)} texts, {len(shown.owner)} windows", flush=True)
    coefficients, bias = fitted(texts, shown, np.ones(len(texts), dtype=bool))
    packed = np.clip(np.round(coefficients * SCALE), -32767, 32767).astype("<i2").tobytes()
    digest = hashlib.sha256(packed).hexdigest()
    if "--check" in sys.argv:
        held = rules.window.digest if rules.window else ""
        print("the same weights" if held == digest else f"other weights: {digest}")
        return int(held != digest)
    weights, least = gated(texts, shown, np.ones(len(texts), dtype=bool), coefficients, bias)
    if "--quick" in sys.argv and rules.window:
        threshold = rules.window.threshold / SCALE
    else:
        threshold = measured(texts, shown, rules, scored(shown, len(texts), coefficients, bias, (weights, least)))
    document = {
        "id": "window-score",
        "family": "window",
        "severity": "high",
        "bias": round(bias * SCALE),
        "threshold": round(threshold * SCALE),
        "hints": {name: int(weight) for name, weight in zip(shown.hint_names, weights[:-WORDS], strict=True) if weight},
        "hint_words": base64.b64encode(weights[-WORDS:].astype("i1").tobytes()).decode("ascii"),
        "least_hint": least,
        "packed": base64.b64encode(packed).decode("ascii"),
        "digest": digest,
    }
    WEIGHTS.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"{WEIGHTS.stat().st_size:,} bytes, {BUCKETS:,} places, digest {digest}")
    return 0


def measured(texts: list[Text], shown: Shown, rules: RuleSet, whole: Any) -> float:
    """Print and write what is found in sources and families that were left out; the threshold that was chosen."""
    screen = InjectionScreen(without_windows(rules))
    by_rules = np.array([screen.screen(one.text).flagged for one in texts])
    by_family = left_out(texts, shown, "family")
    threshold = threshold_for(texts, by_family, whole, by_rules)
    views = {
        "rules alone": by_rules,
        "scorer alone, family left out": by_family >= threshold,
        "rules and scorer, family left out": by_rules | (by_family >= threshold),
        "rules and scorer, source left out": by_rules | (left_out(texts, shown, "source") >= threshold),
    }
    figures = {
        "texts": dict(sorted(Counter(f"{one.corpus}/{one.group}" for one in texts).items())),
        "threshold": round(threshold * SCALE),
        "views": {
            name: {half: table(texts, flagged, half) for half in ("development", "held back", "all")}
            for name, flagged in views.items()
        },
    }
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    for name, halves in figures["views"].items():
        for half, found in halves.items():
            print(line(f"{name}, {half}", found))
    return threshold


def line(name: str, found: dict[str, Any]) -> str:
    """One line of the table: false alarms, then recall of both corpora."""

    def share(counts: list[int]) -> str:
        return f"{100 * counts[0] / max(1, counts[1]):.2f}"

    alarms = " / ".join(share(found[group]) for group in ("ordinary", "hard", "about"))
    recall = "   ".join(
        f"{corpus}: {share(found[corpus]['all'])} / {share(found[corpus]['explicit'])} / "
        f"{share(found[corpus]['implicit'])} / mean {found[corpus]['mean_per_mille'] / 10}"
        for corpus in ("by_source", "older")
    )
    return f"{name:52s} false alarms {alarms}   {recall}"


if __name__ == "__main__":
    sys.exit(main())
