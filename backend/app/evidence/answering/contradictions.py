"""Contradictions: two sentences of different documents about the same thing with other numbers, dates or a negation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from ...parsing.text.words.tokens import asked_words, language_in
from .picked_sentences import PickedSentence

__all__ = ["Contradiction", "contradictions_in"]

_ABOUT_THE_SAME_MILLI: Final = 600
_NEGATED_MILLI: Final = 750
_SHARED_MIN: Final = 3
_AMOUNT: Final = re.compile(
    r"(?<![\w.,])(\d+(?:[.,]\d+)*)(?:\s*(?:to|-|\u2013|and)\s*(\d+(?:[.,]\d+)*))?\s*"
    r"(%|per ?cent|\u00b0 ?[CF]|[^\W\d_]{1,12})?"
)
_WORDS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_SPELLED: Final = re.compile(
    rf"\b(?:({'|'.join(_WORDS)})(?=\s+[a-z])|an?(?=\s+(?:second|minute|hour|day|week|month|year|decade|century)\b))",
    re.I,
)
_YEAR: Final = re.compile(r"^(?:1[5-9]|20)\d\d$")
_NOT: Final = re.compile(
    r"\b(?:not|never|no longer|cannot|without|neither|nor|isn't|doesn't|don't|didn't|won't|can't)\b", re.I
)


class Contradiction(NamedTuple):
    """Two sentences that disagree, and about what kind of thing."""

    one: PickedSentence
    other: PickedSentence
    kind: str


def contradictions_in(sentences: Sequence[PickedSentence]) -> tuple[Contradiction, ...]:
    """Every pair of one facet that disagrees, in order."""
    found: list[Contradiction] = []
    for place, one in enumerate(sentences):
        for other in sentences[place + 1 :]:
            if one.facet == other.facet and one.source.text_hash != other.source.text_hash:
                kind = _disagree(one.text, other.text)
                if kind:
                    found.append(Contradiction(one, other, kind))
    return tuple(found)


def _disagree(one: str, other: str) -> str:
    a, b = _subject(one), _subject(other)
    shared = len(a & b)
    close = 1000 * shared // max(1, min(len(a), len(b)))
    if shared < _SHARED_MIN:
        return ""
    if close >= _ABOUT_THE_SAME_MILLI and (kind := _other_amounts(one, other)):
        return kind
    if close >= _NEGATED_MILLI and bool(_NOT.search(one)) is not bool(_NOT.search(other)):
        return "negation"
    return ""


def _subject(text: str) -> frozenset[str]:
    own = language_in(text)
    stems = (stem for word in asked_words(text, (own,)) for stem in word.stems)
    return frozenset(stem for stem in stems if not stem[:1].isdigit() and len(stem) > 1)


def _other_amounts(one: str, other: str) -> str:
    """The kind of amount that both sentences give, and give differently."""
    first, second = _amounts(one), _amounts(other)
    shared = sorted(first.keys() & second.keys())
    apart = [unit for unit in shared if all(a[1] < b[0] or b[1] < a[0] for a in first[unit] for b in second[unit])]
    # Where several amounts differ, the two speak of different conditions.
    if len(apart) != 1:
        return ""
    return "date" if apart[0] == "(calendar)" else "number"


def _amounts(text: str) -> dict[str, list[tuple[int, int]]]:
    """Ranges in thousandths by unit; a bare number has none, so it is compared with nothing."""
    found: dict[str, list[tuple[int, int]]] = {}
    for match in _AMOUNT.finditer(_SPELLED.sub(_digits, text)):
        low, high, unit = match[1], match[2] or match[1], (match[3] or "").lower().rstrip("s")
        if _YEAR.match(low) and unit not in ("%", "percent", "gram", "g", "ml"):
            unit = "(calendar)"
        if unit:
            found.setdefault(unit, []).append((_milli(low), _milli(high)))
    return found


def _digits(word: re.Match[str]) -> str:
    return str(_WORDS.index(word[1].lower()) + 1) if word[1] else "1"


def _milli(number: str) -> int:
    plain = re.sub(r"[.,](?=\d{3}(?!\d))", "", number).replace(",", ".")
    whole, _, rest = plain.partition(".")
    return int(whole) * 1000 + int((re.sub(r"\D", "", rest) + "000")[:3])
