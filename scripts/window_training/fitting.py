"""Windows of texts as sparse rows, the logistic fit on the best window of each attack, and scores of whole texts.

Needs numpy, scipy and scikit-learn, which are no packages of the project: install them where the script is run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from app.research.injection import RuleSet
from app.screen.concepts import Remembered, Tagger, lowered
from app.screen.disguises import Disguises
from app.screen.features import BUCKETS, concepts_of, feature_names, hashed, hint_names, marks
from app.screen.fold import Folded, fold
from app.screen.hints import WORDS, word_places, words_of
from app.screen.mention import Mentions, Quotations
from app.screen.windows import Windows

from .sources import Text

LONGEST = 20_000  # characters of a text that are looked at
FEWEST = 2  # concepts of a window
PENALTY = 0.4
ROUNDS = 2
OWN_WEIGHT = 0.75  # of each of our own sentences in `acts.json`
ATTACKS_WEIGHT = 0.5
CLOSE = 0.5  # below the best window of an attack, a window still counts as one
GROUP_WEIGHTS = {"ordinary": 1.0, "hard": 4.0, "about": 4.0, "near miss": 25.0}
LOWEST = -1e9
GATE_FROM = 0.8  # the score from which a window of an attack should be let through
GATE_FOUND = 1.7  # the score from which one surely counts as found
GATE_PENALTY = 0.1
GATE_SCALE = 32
GATE_LOSES = 0.04  # share of these that may be left out before they are scored: it costs false alarms more than attacks


@dataclass
class Shown:
    """All windows of all texts."""

    rows: Any
    owner: Any
    hints: Any
    """Rows of the concepts of single words and the pairs of them, by `hint_names`, then of the words."""
    hint_names: list[str]
    own_words: Any
    """Rows of what passages about attacks say themselves."""
    in_passage: Any
    """The windows that these belong to."""


class Extractor:
    """Finds windows as the screen does."""

    def __init__(self, rules: RuleSet) -> None:
        assert rules.lexicon is not None  # noqa: S101  the project's own file
        self.classes = tuple(one.id for one in rules.lexicon.classes)
        self._tagger = Tagger(rules.lexicon)
        self._windows = Windows(self._tagger.anchors)
        self._mentions = Mentions(rules)
        self._disguises = Disguises(rules.words())
        self._words = Remembered(lambda word: word_places(self._tagger, word))

    def shown(self, texts: Sequence[Text]) -> Shown:
        """Every distinct window of every text."""
        rows: list[list[int]] = []
        owner: list[int] = []
        hints: list[list[int]] = []
        names = hint_names(range(len(self.classes)), self.classes)
        numbers = {name: number for number, name in enumerate(names)}
        own_words: list[list[int]] = []
        in_passage: list[int] = []
        for number, text in enumerate(texts):
            seen: set[bytes] = set()
            for folded in self._copies(text.text[:LONGEST]):
                quotations = Quotations(self._mentions, folded)
                for _, start, end in self._windows.find(folded.data):
                    window = folded.data[start:end]
                    if window in seen:
                        continue
                    seen.add(window)
                    places, present = self._features(window.decode("utf-8"))
                    if len(present) < FEWEST:
                        continue
                    low = len(folded.data[:start].decode("utf-8"))
                    own = quotations.own_words(low, low + len(window.decode("utf-8")))
                    if own is not None:
                        in_passage.append(len(rows))
                        left, kept = self._features(own)
                        own_words.append(left if len(kept) >= FEWEST else [])
                    rows.append(places)
                    owner.append(number)
                    hints.append(self._hinted(window, numbers))
        return Shown(
            _matrix(rows),
            np.array(owner),
            _matrix(hints, len(names) + WORDS),
            names,
            _matrix(own_words),
            np.array(in_passage, dtype=int),
        )

    def _hinted(self, window: bytes, numbers: dict[str, int]) -> list[int]:
        known = [self._words[word] for word in words_of(window)]
        names = hint_names({number for concepts, _ in known for number in concepts}, self.classes)
        words = {len(numbers) + place for _, places in known for place in places}
        return sorted([*(numbers[name] for name in names), *words])

    def _copies(self, text: str) -> list[Folded]:
        folded = fold(text)
        suspects = self._disguises.suspects(folded.data)
        plain = self._disguises.undone(folded, suspects)
        decoded = self._disguises.decoded(text, folded, plain, suspects)
        return [folded, *([plain] if plain is not folded else []), *([decoded.folded] if decoded else [])]

    def _features(self, window: str) -> tuple[list[int], frozenset[int]]:
        tags = self._tagger.tags(lowered(window))
        places = sorted(set(map(hashed, feature_names(tags, marks(window), self.classes))))
        return places, concepts_of(tags)


def _matrix(rows: list[list[int]], width: int = BUCKETS) -> Any:
    ends = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    places = np.concatenate([np.array(row, dtype=np.int64) for row in rows]) if rows else np.array([], dtype=np.int64)
    return sparse.csr_matrix((np.ones(len(places), dtype=np.float32), places, ends), shape=(len(rows), width))


def fitted(texts: Sequence[Text], shown: Shown, used: Any) -> tuple[Any, float]:
    """Weights and bias from the texts that are used; each source of attacks weighs as the root of its size."""
    attack = np.array([one.attack for one in texts])
    used = used & np.array([one.fitted for one in texts])
    sizes = Counter(one.source for one, here in zip(texts, used, strict=True) if here and one.attack)
    weight = np.array(
        [
            (OWN_WEIGHT if one.family == "own_acts" else sizes[one.source] ** -0.5) if here and one.attack else 0.0
            for one, here in zip(texts, used, strict=True)
        ]
    )
    weight *= ATTACKS_WEIGHT * (used & attack).sum() / weight.sum()
    honest_weight = np.array([GROUP_WEIGHTS.get(one.group, 0.0) for one in texts])[shown.owner]
    quoted = np.zeros(len(shown.owner), dtype=bool)
    quoted[shown.in_passage] = True
    here = used[shown.owner]
    honest = np.where(here & ~attack[shown.owner] & ~quoted)[0]
    # What an honest passage about attacks says itself must not be flagged; what it quotes may look like an attack.
    said = np.where((here & ~attack[shown.owner])[shown.in_passage] & (np.diff(shown.own_words.indptr) > 0))[0]
    attacks = np.where(here & attack[shown.owner])[0]
    chosen = attacks
    for round_number in range(ROUNDS + 1):
        share = (
            weight[shown.owner[chosen]] / np.bincount(shown.owner[chosen], minlength=len(texts))[shown.owner[chosen]]
        )
        rows = sparse.vstack([shown.rows[chosen], shown.rows[honest], shown.own_words[said]])
        label = np.concatenate([np.ones(len(chosen)), np.zeros(len(honest) + len(said))])
        weights = np.concatenate([share, honest_weight[honest], honest_weight[shown.in_passage[said]]])
        model = LogisticRegression(C=PENALTY, solver="lbfgs", max_iter=60, tol=1e-3)
        model.fit(rows, label, sample_weight=weights)
        coefficients, bias = model.coef_[0], float(model.intercept_[0])
        if round_number < ROUNDS:
            score = shown.rows[attacks] @ coefficients + bias
            best = np.full(len(texts), LOWEST)
            np.maximum.at(best, shown.owner[attacks], score)
            chosen = attacks[score >= best[shown.owner[attacks]] - CLOSE]
    return coefficients, bias


def gated(texts: Sequence[Text], shown: Shown, used: Any, coefficients: Any, bias: float) -> tuple[Any, int]:
    """Integer weights for concepts, their pairs and words, and the sum that nearly all found windows reach."""
    here = (used & np.array([one.fitted for one in texts]))[shown.owner]
    attack = np.array([one.attack for one in texts])[shown.owner]
    score = np.asarray(shown.rows @ coefficients + bias)
    close = attack & (score >= GATE_FROM)
    rows = np.where(here & (close | ~attack))[0]
    model = LogisticRegression(C=GATE_PENALTY, class_weight="balanced", solver="lbfgs", max_iter=100, tol=1e-3)
    model.fit(shown.hints[rows], close[rows])
    weights = np.clip(np.round(model.coef_[0] * GATE_SCALE), -127, 127).astype(int)
    reached = np.sort(shown.hints[here & attack & (score >= GATE_FOUND)] @ weights)
    return weights, int(reached[int(GATE_LOSES * len(reached))])


def scored(shown: Shown, count: int, coefficients: Any, bias: float, gate: tuple[Any, int]) -> Any:
    """The highest score of each text; what a passage about attacks quotes counts by its own words."""
    score = np.asarray(shown.rows @ coefficients + bias, dtype=float)
    score[shown.hints @ gate[0] < gate[1]] = LOWEST
    own = np.where(np.diff(shown.own_words.indptr) > 0, shown.own_words @ coefficients + bias, LOWEST)
    score[shown.in_passage] = np.minimum(score[shown.in_passage], own)
    best = np.full(count, LOWEST)
    np.maximum.at(best, shown.owner, score)
    return best
