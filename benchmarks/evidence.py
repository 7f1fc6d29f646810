"""Evidence on SciFact: citations, sentences, coverage, confidence, and questions without an answer; one JSON document.

Run from the project's root: `.venv/bin/python -m benchmarks.evidence`. Weights were fitted on train claims and train
queries; what is printed here is of test queries and dev claims. The everyday questions were written after the code.
"""

from __future__ import annotations

import asyncio
import json
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from scripts.seeded_chance import seeded_chance

from app.evidence.grounding.bearing import bearing_of
from app.evidence.ranking_quality import mean
from app.evidence.selection.sentence_features import asked_question
from app.evidence.selection.sentence_scorer import GOOD_ENOUGH, scores_of
from app.parsing.text.words.tokens import asked_words, words_of
from benchmarks.scifact import Abstract, abstracts, claims, folder, queries
from benchmarks.scifact_research import Researched, lay_out, researched

ROOT = Path(__file__).parents[1]
EVERYDAY = Path(__file__).parent / "data" / "everyday.jsonl"
GROUNDING = Path(__file__).parent / "data" / "grounding.jsonl"
BINS = 10
HARD = 200
SEED = 7


class PlainBm25:
    """BM25 as it stands in a textbook, over title and text with our stems: the peer of this benchmark."""

    def __init__(self, documents: dict[str, Abstract], k1: float = 1.2, b: float = 0.75) -> None:
        self._counts = {
            name: Counter(words_of(f"{one.title} {' '.join(one.sentences)}")) for name, one in documents.items()
        }
        self._lengths = {name: sum(counts.values()) for name, counts in self._counts.items()}
        self._mean = mean(list(self._lengths.values()))
        self._df: Counter[str] = Counter(stem for counts in self._counts.values() for stem in counts)
        self._k1, self._b = k1, b

    def idf(self, stem: str) -> float:
        """The inverse document frequency of a stem."""
        return math.log(1 + (len(self._counts) - self._df[stem] + 0.5) / (self._df[stem] + 0.5))

    def top(self, query: str, depth: int) -> list[str]:
        """The best documents; ties by name."""
        wanted = [(stem, word.count) for word in asked_words(query) for stem in word.stems[:1]]
        scores: dict[str, float] = {}
        for name, counts in self._counts.items():
            norm = self._k1 * (1 - self._b + self._b * self._lengths[name] / self._mean)
            parts = [
                times * self.idf(stem) * counts[stem] * (self._k1 + 1) / (counts[stem] + norm)
                for stem, times in wanted
                if counts[stem]
            ]
            if parts:
                scores[name] = math.fsum(parts)
        return sorted(scores, key=lambda name: (-scores[name], name))[:depth]


def auroc(good: Sequence[float], bad: Sequence[float]) -> float:
    """The chance that a good one scores higher than a bad one."""
    ordered = sorted([(value, 0) for value in bad] + [(value, 1) for value in good])
    ranks, at = 0.0, 0
    while at < len(ordered):
        to = at
        while to < len(ordered) and ordered[to][0] == ordered[at][0]:
            to += 1
        ranks += (at + 1 + to) / 2 * sum(label for _, label in ordered[at:to])
        at = to
    return (ranks - len(good) * (len(good) + 1) / 2) / max(1, len(good) * len(bad))


def sentence_figures(bm25: PlainBm25) -> dict[str, float]:
    """Micro F1 of the chosen sentences inside gold abstracts of dev claims, beside idf coverage, two each."""
    known = abstracts()
    counts = {"scorer": [0, 0, 0], "idf_top_2": [0, 0, 0]}
    for claim in claims("dev"):
        for name, gold in claim.evidence.items():
            read = known[name].read()
            scores = scores_of(asked_question(claim.text), read)
            order = sorted(range(len(scores)), key=lambda number: (-scores[number], number))[:4]
            ours = {number for place, number in enumerate(order) if place == 0 or scores[number] >= GOOD_ENOUGH}
            wanted = {stem: bm25.idf(stem) for word in asked_words(claim.text) for stem in word.stems}
            held = [math.fsum(wanted[stem] for stem in set(stems) & wanted.keys()) for stems in read.stems]
            theirs = set(sorted(range(len(held)), key=lambda number: (-held[number], number))[:2])
            for who, picked in (("scorer", ours), ("idf_top_2", theirs)):
                for place, count in enumerate((len(picked & gold), len(picked - gold), len(gold - picked))):
                    counts[who][place] += count
    return {who: round(2 * a / (2 * a + b + c), 4) for who, (a, b, c) in counts.items()}


def coverage_figures() -> dict[str, float]:
    """AUROC of coverage: abstracts with evidence against random ones, and against cited ones without evidence."""
    known = abstracts()
    names = sorted(known)
    chance = seeded_chance(SEED)
    gold, random_ones, cited = [], [], []

    def held(text: str, name: str) -> int:
        one = known[name]
        return bearing_of(text, one.title, "", " ".join(one.sentences), {}, "").held_milli

    for claim in (*claims("train"), *claims("dev")):
        gold += [held(claim.text, name) for name in claim.evidence]
        random_ones += [held(claim.text, chance.choice(names)) for _ in claim.evidence]
        cited += [held(claim.text, name) for name in claim.cited if name not in claim.evidence and name in known]
    return {
        "against_random": round(auroc(gold, random_ones), 4),
        "against_cited_without_evidence": round(auroc(gold, cited), 4),
    }


def calibration(found: Sequence[Researched], golds: Sequence[frozenset[str]]) -> dict[str, object]:
    """How the confidence of answered test queries fits the event that gold was cited."""
    rows = [
        (one.result.confidence, float(bool(gold & set(one.documents))))
        for one, gold in zip(found, golds, strict=True)
        if one.documents
    ]
    share = mean([label for _, label in rows])
    bins: dict[int, list[tuple[float, float]]] = {}
    for value, label in rows:
        bins.setdefault(min(BINS - 1, int(value * BINS)), []).append((value, label))
    table = [
        {
            "bin": f"{number / BINS:.1f}-{(number + 1) / BINS:.1f}",
            "answers": len(inside),
            "confidence": round(mean([value for value, _ in inside]), 3),
            "gold_cited": round(mean([label for _, label in inside]), 3),
        }
        for number, inside in sorted(bins.items())
    ]
    error = math.fsum(
        len(inside) / len(rows) * abs(mean([v for v, _ in inside]) - mean([label for _, label in inside]))
        for inside in bins.values()
    )
    return {
        "answers": len(rows),
        "gold_cited": round(share, 4),
        "expected_calibration_error": round(error, 4),
        "auroc": round(auroc([v for v, label in rows if label], [v for v, label in rows if not label]), 4),
        "brier": round(mean([(value - label) ** 2 for value, label in rows]), 4),
        "brier_of_a_constant": round(share * (1 - share), 4),
        "table": table,
    }


def main() -> int:
    """Print the figures; exit code 2 where the corpora are not at hand."""
    if not folder().is_dir():
        print("the corpora are not beside this checkout: set PORTCULLIS_CORPORA", file=sys.stderr)
        return 2
    test = queries("test")
    golds = [gold for _, _, gold in test]
    everyday = [json.loads(line)["question"] for line in EVERYDAY.read_text(encoding="utf-8").splitlines()]
    bread = [
        row["question"]
        for row in map(json.loads, GROUNDING.read_text(encoding="utf-8").splitlines())
        if row["folder"] == "bread" and row["answerable"]
    ]
    with tempfile.TemporaryDirectory(prefix="portcullis-evidence-") as scratch:
        place = Path(scratch)
        say("researching the test queries")
        whole = lay_out(place / "whole")
        found = asyncio.run(researched(whole, place / "data", [text for _, text, _ in test]))
        say("plain BM25, sentences, coverage")
        bm25 = PlainBm25(abstracts())
        plain = [bool(gold & set(bm25.top(text, 3))) for _, text, gold in test]
        say("questions without an answer")
        on_scifact = asyncio.run(researched(whole, place / "data", everyday))
        on_bread = asyncio.run(researched(ROOT / "samples" / "bread", place / "data", [*everyday, *bread]))
        say("claims without their gold documents")
        gone = frozenset(name for gold in golds[:HARD] for name in gold)
        rest = lay_out(place / "rest", gone)
        hard = asyncio.run(researched(rest, place / "data", [text for _, text, _ in test[:HARD]]))
    unanswered, answered = on_bread[: len(everyday)], on_bread[len(everyday) :]
    figures = {
        "gold_among_the_first_three": {
            "citations": share([bool(gold & set(one.documents[:3])) for one, gold in zip(found, golds, strict=True)]),
            "plain_bm25": share(plain),
            "queries": len(test),
        },
        "sentence_selection_micro_f1": sentence_figures(bm25),
        "coverage_auroc": coverage_figures(),
        "calibration": calibration(found, golds),
        "unanswerable": {
            "everyday_of_bread_grounded": share([one.grounded for one in unanswered]),
            "everyday_of_scifact_grounded": share([one.grounded for one in on_scifact]),
            "everyday_of_scifact_cited": share([bool(one.documents) for one in on_scifact]),
            "answerable_bread_answered": share([bool(one.documents) for one in answered]),
            "scifact_claims_answered": share([bool(one.documents) for one in found]),
            "grounded": [one.question for one in (*unanswered, *on_scifact) if one.grounded],
        },
        "claims_without_their_gold": {
            "grounded": share([one.grounded for one in hard]),
            "auroc_of_confidence": round(
                auroc([one.result.confidence for one in found[:HARD]], [one.result.confidence for one in hard]), 4
            ),
        },
    }
    print(json.dumps(figures))
    return 0


def share(values: Sequence[bool]) -> float:
    """The share that is true."""
    return round(sum(values) / max(1, len(values)), 4)


def say(text: str) -> None:
    """Progress on stderr."""
    print(text, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
