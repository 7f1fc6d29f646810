"""Picks the sentences of an answer: relevant by the fitted scorer, new, complete, and able to be cited."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ...kernel.results import Source
from ...parsing.text.words.tokens import asked_words, is_light, language_in, words_of
from ..excerpts import CUT_MARK, can_be_cited
from ..facets import Facet
from ..grounding.bearing import ENOUGH_MILLI
from ..grounding.coverage import bearing_on
from ..selection.sentence_features import asked_question, read_text
from ..selection.sentence_scorer import GOOD_ENOUGH, scores_of

__all__ = ["PickedSentence", "facts_in", "pick_sentences", "says_what_is_asked", "similar_milli"]

_CHARS_MIN: Final = 25
_CHARS_MAX: Final = 480
_SAME_MILLI: Final = 650
_TYPE_BONUS: Final = 1500
_SPEAKS_BONUS: Final = 600
_TITLE_BONUS: Final = 1500
_PER_DOCUMENT: Final = 2
_LONG_QUESTION: Final = 5
_NUMBER: Final = re.compile(r"\d")
_AMOUNT_OF_TIME: Final = r"(?:seconds?|minutes?|min|hours?|h|days?|weeks?|months?|years?)"
_AMOUNT_OF_LENGTH: Final = r"(?:(?:kilo|centi|milli)?met(?:re|er)s?|km|cm|mm|m|miles?|feet|inches|pages?)"
_DURATION: Final = re.compile(
    rf"\b(?:\d[\d.,]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|several|few|half)[ \u00a0-]?"
    rf"(?:{_AMOUNT_OF_TIME}|{_AMOUNT_OF_LENGTH})\b|\bovernight\b|\ba night\b",
    re.IGNORECASE,
)
_MOMENT: Final = re.compile(
    r"\b(?:1[5-9]\d\d|20\d\d)\b|\b\d{1,2}:\d\d\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|\b(?:spring|summer|autumn|winter|century|morning|evening|noon|midnight)\b",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'-]+")
_WANTS: Final = (
    (re.compile(r"\bhow long\b", re.IGNORECASE), _DURATION),
    (re.compile(r"\b(?:when|since when|until when|what year)\b", re.IGNORECASE), _MOMENT),
    (re.compile(r"\b(?:how (?:much|many|far|tall|big|hot|fast|old|often|high|deep|warm))\b", re.IGNORECASE), _NUMBER),
    (re.compile(r"^\s*who(?:m|se)?\b", re.IGNORECASE), _NAMED),
)
_LEANS: Final = re.compile(
    r"(?:and|but|he|her|his|however|it|its|she|so|such|that|the (?:former|latter)|their|then|these|they|this|those"
    r"|therefore|thus|yet|as a result|for this reason|in addition|moreover|also)\b",
    re.IGNORECASE,
)
_WHOLE: Final = re.compile(r"[.!\u2026\u3002\uff01][\"')\]\u2019\u201d\u00bb*_]*$")
_BEGINS: Final = re.compile(
    r"[\"'(\[\u2018\u201c\u00ab*_]*[^\W_a-z\u00e0-\u00ff]|[\"'(*_]*[\u0430-\u044f\u0e00-\u9fff]|[\"'(*_]*\d"
)


@dataclass(frozen=True, slots=True)
class PickedSentence:
    """One sentence of a source, or two that belong together: `source.text[low:high]`."""

    source: Source
    low: int
    high: int
    facet: int
    score: int
    rank: int
    """The place of its document among those that were read, from 0."""
    speaks: bool
    """True if its source by itself answers the facet; the others stand beside one that does."""

    @property
    def text(self) -> str:
        """What it says, on one line."""
        return " ".join(self.source.text[self.low : self.high].split())


def pick_sentences(facet: Facet, sources: Sequence[Source], most: int) -> tuple[PickedSentence, ...]:
    """The best sentence of each document in the order of their rank, then further ones, best first; none says the
    same as another."""
    ranks: dict[str, int] = {}
    for source in sources:
        ranks.setdefault(source.text_hash, len(ranks))
    found: list[PickedSentence] = []
    asked_for = next((answer for question, answer in _WANTS if question.search(facet.text)), None)
    for source in sources:
        if can_be_cited(source):
            found.extend(_candidates(facet, source, ranks[source.text_hash], asked_for))
    found.sort(key=lambda one: (-one.score, one.rank, one.low))
    if not any(one.speaks for one in found):
        return ()
    first: dict[int, PickedSentence] = {}
    for one in found:
        first.setdefault(one.rank, one)
    heads = [first[rank] for rank in sorted(first)]
    chosen: list[PickedSentence] = []
    per_document: dict[int, int] = {}
    for one in (*heads[:most], *(one for one in found if one.score >= GOOD_ENOUGH + _SPEAKS_BONUS)):
        if len(chosen) >= most:
            break
        if one in chosen or per_document.get(one.rank, 0) >= _PER_DOCUMENT:
            continue
        if any(_repeats(one, other) for other in chosen):
            continue
        chosen.append(one)
        per_document[one.rank] = per_document.get(one.rank, 0) + 1
    return tuple(chosen)


def says_what_is_asked(question: str, text: str) -> bool:
    """False for a question about a time, a date, an amount or a person that a text has nothing of the kind for."""
    asked_for = next((answer for asked, answer in _WANTS if asked.search(question)), None)
    return asked_for is None or asked_for.search(text) is not None


def _repeats(one: PickedSentence, other: PickedSentence) -> bool:
    """True if a sentence adds nothing to another; a second document that says the same with other words or numbers
    agrees with the first, or contradicts it."""
    if one.source.text_hash != other.source.text_hash:
        return one.text == other.text
    return similar_milli(one.text, other.text) >= _SAME_MILLI


def similar_milli(one: str, other: str) -> int:
    """How many of the words of the shorter of two sentences the other one holds, in thousandths."""
    a, b = facts_in(one), facts_in(other)
    return 1000 * len(a & b) // max(1, min(len(a), len(b)))


def facts_in(text: str) -> frozenset[str]:
    """The stems of the content words of a sentence."""
    own = language_in(text)
    return frozenset(
        stem for word in asked_words(text, (own,)) if not is_light(word, own, (own,)) for stem in word.stems
    )


def _candidates(facet: Facet, source: Source, rank: int, asked_for: re.Pattern[str] | None) -> Iterator[PickedSentence]:
    heading = dict(source.metadata).get("heading", "")
    language = language_in(source.text)
    asked = asked_question(facet.text, language)
    read = read_text(source.text, f"{source.title} {heading}", language)
    speaks = bearing_on(facet.text, source).milli >= ENOUGH_MILLI
    wanted = [set(word.stems) for word, weight in zip(asked.words, asked.weights, strict=True) if weight > 1]
    # A source that does not answer by itself stands beside one that does only where the question has much to hold.
    if not speaks and len(wanted) < _LONG_QUESTION:
        return
    above = set(read.title_stems)
    titled = sum(not stems.isdisjoint(above) for stems in wanted)
    least = 1 if len(wanted) < 2 or (speaks and titled) else 2 if speaks else max(2, len(wanted) // 3)
    scores = scores_of(asked, read)
    for place, (span, score) in enumerate(zip(read.sentences, scores, strict=True)):
        if span.kind in ("heading", "row"):
            continue
        low, high = span.start, span.end
        text = source.text[low:high]
        if _LEANS.match(text) and place and read.sentences[place - 1].kind == span.kind:
            low = read.sentences[place - 1].start  # completed by its neighbour
            text = source.text[low:high]
            score = max(score, scores[place - 1])
        if not _complete(text, span.kind) or not _CHARS_MIN <= len(text) <= _CHARS_MAX:
            continue
        here = set(words_of(text, language))
        held = sum(not stems.isdisjoint(here) for stems in wanted)
        answers = asked_for is not None and asked_for.search(text) is not None
        if held < least and not (speaks and answers and titled):
            continue
        bonus = (_TYPE_BONUS if answers else 0) + (_SPEAKS_BONUS if speaks else 0)
        bonus += _TITLE_BONUS * titled // max(1, len(wanted))
        yield PickedSentence(source, low, high, facet.number, score + bonus, rank, speaks)


def _complete(text: str, kind: str) -> bool:
    """True if a reader would take it for a whole sentence."""
    if "?" in text or CUT_MARK in text or _LEANS.match(text) or "\ufffd" in text:
        return False
    return _BEGINS.match(text) is not None and (kind == "item" or _WHOLE.search(text) is not None)
