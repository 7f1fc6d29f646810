"""Lexical features of a sentence for a question, in thousandths: the input of the fitted sentence scorer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ...parsing.text.words.languages import ENGLISH
from ...parsing.text.words.sentences import SentenceSpan, sentences_of
from ...parsing.text.words.tokens import AskedWord, asked_words, is_light, language_in, words_of

__all__ = ["FEATURES", "AskedQuestion", "ReadText", "TextFeatures", "asked_question", "features_of", "read_text"]

FEATURES: Final = (
    "held",  # share of the question's words, by weight
    "held_rare",  # the same, weighted by how few sentences of the text hold a word
    "held_with_neighbours",  # share held together with the sentence before and after
    "best_of_text",  # `held_rare` beside the best of the text
    "is_best",
    "count",  # words held, six are 1000
    "longest_run",  # longest run of question words in the same order, five are 1000
    "pairs",  # share of neighbouring words of the question that are near each other here
    "names",
    "numbers",
    "letters",  # share of the question's letter groups of four
    "heading",  # share of the title's words held
    "beyond_title",  # share held of the question's words that the title does not hold
    "beyond_best",  # the same beside the best of the text
    "short",
    "long",
    "has_number",
    "finding",  # says what was found, shown or concluded
    "aim",  # says what was asked or done, not what came out
    "pronoun",
)
"""The features in the order of the weights."""

_WHOLE: Final = 1000
_NAME, _PLAIN, _LIGHT = 15, 10, 1
_SHORT_CHARS: Final = 60
_LONG_CHARS: Final = 260
_NEAR: Final = 4
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_FINDING: Final = re.compile(
    r"\b(?:conclu\w+|demonstrat\w+|found|finds?|findings?|indicat\w+|results?|reveal\w*|show(?:s|n|ed|ing)?|suggest\w*"
    r"|therefore|thus|associated|increas\w+|decreas\w+|reduc\w+|significant\w*|observed|compared|higher|lower)\b",
    re.IGNORECASE,
)
_AIM: Final = re.compile(
    r"\b(?:aim(?:s|ed)?|assess|evaluate|examine[ds]?|investigate[ds]?|methods?|objectives?|randomi[sz]ed|sought"
    r"|studied|to determine|we used|were enrolled|whether)\b",
    re.IGNORECASE,
)
_PRONOUN: Final = re.compile(
    r"(?:and|but|he|her|his|however|it|its|she|so|such|that|their|then|these|they|this|those|yet)\b", re.IGNORECASE
)
_SPACE: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question with what every sentence is compared with."""

    words: tuple[AskedWord, ...]
    weights: tuple[int, ...]
    """The weight of each word: names and numbers most, words like `usually` hardly any."""
    order: tuple[str, ...]
    """The stems of its content words in the order of the question."""
    letters: frozenset[str]
    numbers: frozenset[str]


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text with its sentences and their stems."""

    text: str
    sentences: tuple[SentenceSpan, ...]
    stems: tuple[tuple[str, ...], ...]
    title_stems: frozenset[str]

    def said(self, one: SentenceSpan) -> str:
        """The words of a sentence."""
        return self.text[one.start : one.end]


def asked_question(text: str, language: str = "") -> AskedQuestion:
    """A question, prepared once for all sentences."""
    own = language or language_in(text)
    words = asked_words(text, (own,))
    known = {stem for word in words for stem in word.stems}
    order = tuple(stem for stem in words_of(text, own) if stem in known)
    return AskedQuestion(
        words=words,
        weights=tuple(_NAME if one.marked else _LIGHT if is_light(one, own, (own,)) else _PLAIN for one in words),
        order=order,
        letters=_groups(" ".join(order)),
        numbers=frozenset(_NUMBER.findall(text)),
    )


def read_text(
    text: str, title: str = "", language: str = ENGLISH, sentences: tuple[SentenceSpan, ...] | None = None
) -> ReadText:
    """A text, cut into its sentences unless they are given."""
    spans = sentences_of(text) if sentences is None else sentences
    stems = tuple(tuple(words_of(text[one.start : one.end], language)) for one in spans)
    return ReadText(text, spans, stems, frozenset(words_of(title, language)))


class TextFeatures:
    """The features of the sentences of a text, each made when it is asked for."""

    def __init__(self, asked: AskedQuestion, read: ReadText) -> None:
        self._asked, self._read = asked, read
        held = [[not set(word.stems).isdisjoint(stems) for word in asked.words] for stems in read.stems]
        count = len(read.stems)
        # A word that nearly every sentence holds tells none of them apart.
        spread = [sum(row[number] for row in held) for number in range(len(asked.words))]
        rare = [weight * (count + 1 - df) for weight, df in zip(asked.weights, spread, strict=True)]
        rare_total = sum(rare)
        self._held = held
        self._rare_held = [_share(_sum(rare, row), rare_total) for row in held]
        self._best = max(self._rare_held, default=0)
        self._names = [number for number, word in enumerate(asked.words) if word.marked]
        new = [
            weight if read.title_stems.isdisjoint(word.stems) else 0
            for word, weight in zip(asked.words, rare, strict=True)
        ]
        self._beyond = [_share(_sum(new, row), sum(new)) for row in held]
        self._best_beyond = max(self._beyond, default=0)
        self._total = sum(asked.weights)

    def __len__(self) -> int:
        return len(self._held)

    def of(self, place: int) -> tuple[int, ...]:
        """The features of one sentence."""
        asked, read, held = self._asked, self._read, self._held
        row, said, stems = held[place], read.said(read.sentences[place]), read.stems[place]
        near = held[max(0, place - 1) : place + 2]
        together = [any(other[number] for other in near) for number in range(len(asked.words))]
        numbers = frozenset(_NUMBER.findall(said))
        rare_held, beyond = self._rare_held[place], self._beyond[place]
        return (
            _share(_sum(asked.weights, row), self._total),
            rare_held,
            _share(_sum(asked.weights, together), self._total),
            _share(rare_held, self._best),
            _WHOLE if self._best and rare_held == self._best else 0,
            min(6, sum(row)) * _WHOLE // 6,
            min(5, _longest_run(asked.order, stems)) * _WHOLE // 5,
            _pairs(asked.order, stems),
            _share(sum(row[number] for number in self._names), len(self._names)),
            _share(len(asked.numbers & numbers), len(asked.numbers)),
            _share(len(asked.letters & _groups(" ".join(stems))), len(asked.letters)),
            _share(len(read.title_stems & set(stems)), len(read.title_stems)),
            beyond,
            _share(beyond, self._best_beyond),
            _WHOLE if len(said) < _SHORT_CHARS else 0,
            _WHOLE if len(said) > _LONG_CHARS else 0,
            _WHOLE if numbers else 0,
            _WHOLE if _FINDING.search(said) else 0,
            _WHOLE if _AIM.search(said) else 0,
            _WHOLE if _PRONOUN.match(said) else 0,
        )


def features_of(asked: AskedQuestion, read: ReadText) -> tuple[tuple[int, ...], ...]:
    """The features of every sentence of a text."""
    features = TextFeatures(asked, read)
    return tuple(features.of(place) for place in range(len(features)))


def _share(part: int, whole: int) -> int:
    return _WHOLE * part // whole if whole else 0


def _sum(weights: Sequence[int], row: Sequence[bool]) -> int:
    return sum(weight for weight, is_held in zip(weights, row, strict=True) if is_held)


def _groups(text: str) -> frozenset[str]:
    packed = _SPACE.sub(" ", text)
    return frozenset(packed[at : at + 4] for at in range(max(0, len(packed) - 3)))


def _longest_run(asked: tuple[str, ...], stems: tuple[str, ...]) -> int:
    """The most words that stand in both in the same order and side by side in the question."""
    best = 0
    for first in range(len(asked)):
        at, length = 0, 0
        for stem in asked[first:]:
            try:
                at = stems.index(stem, at) + 1
            except ValueError:
                break
            length += 1
        best = max(best, length)
    return best


def _pairs(asked: tuple[str, ...], stems: tuple[str, ...]) -> int:
    pairs = list(pairwise(asked))
    places: dict[str, list[int]] = {}
    for at, stem in enumerate(stems):
        places.setdefault(stem, []).append(at)
    near = sum(
        any(abs(one - other) <= _NEAR for one in places.get(a, ()) for other in places.get(b, ())) for a, b in pairs
    )
    return _share(near, len(pairs))
