"""Contradictions: two sentences of different documents about the same thing with other numbers, dates or a negation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ...parsing.text.words.sentences import sentences_of
from ...parsing.text.words.tokens import asked_words, language_in
from ..grounding.asked_kinds import AskedKind, asked_kind
from .negations import denies
from .picked_sentence import PickedSentence

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
_CALENDAR: Final = "(calendar)"
_TIMES: Final = (
    r"ms|sec(?:ond)?|s|min(?:ute)?|h(?:ou)?r?|day|week|month|year|decade|century|night|sekunden?|minuten?|stunden?|tage?n?|wochen?"
    r"|monate?n?|jahre?n?|heure|jour|semaine|moi|an|ann\u00e9e|hora|d\u00eda|semana|mes|a\u00f1o"
)
_LENGTHS: Final = (
    r"(?:kilo|centi|milli)?met(?:re|er)n?|m\u00e8tre|metro|km|cm|mm|m|mile|feet|foot|ft|inch|inche|yard|page"
)
_SUMS: Final = (
    r"eur|euro|usd|gbp|chf|dollar|pound|franc|franken|cent|crown|kron[eo][rn]|pence|yen|%|percent|million|billion"
)
_COMPARED: Final = {
    "money": re.compile(rf"(?:{_SUMS})$"),
    "time": re.compile(rf"(?:{_TIMES})$"),
    "long": re.compile(rf"(?:{_TIMES}|{_LENGTHS})$"),
    "length": re.compile(rf"(?:{_LENGTHS})$"),
    "age": re.compile(r"(?:year|month|jahre?|an|a\u00f1o|\(calendar\))$"),
    "moment": re.compile(rf"(?:{_TIMES}|\(calendar\))$"),
    "person": re.compile(r"(?!)"),
}
"""By the kind that is asked for, the units whose amounts are compared; where none is named, all of them."""
_MEASURES: Final = re.compile(rf"(?:{_TIMES}|{_LENGTHS}|{_SUMS}|grad|degree|kg|g|gram)s?$")


class Contradiction(NamedTuple):
    """Two sentences that disagree, about what kind of thing, and all sentences that take part."""

    one: PickedSentence
    other: PickedSentence
    kind: str
    members: tuple[PickedSentence, ...] = ()


def contradictions_in(
    sentences: Sequence[PickedSentence], questions: Mapping[int, str] | None = None
) -> tuple[Contradiction, ...]:
    """At most one for each facet, with everything that takes part in it; `questions` are the facets by number.

    Of a question for an amount, only amounts of its kind are compared.
    """
    found: dict[int, list[Contradiction]] = {}
    for place, one in enumerate(sentences):
        for other in sentences[place + 1 :]:
            if one.facet == other.facet and one.source.text_hash != other.source.text_hash:
                question = (questions or {}).get(one.facet, "")
                kind = _disagree(one.text, other.text, question)
                if not kind and question:  # what is quoted before an answer says what it is about
                    kind = _disagree(_last_sentence(one.text), _last_sentence(other.text), question)
                if kind:
                    found.setdefault(one.facet, []).append(Contradiction(one, other, kind))
    return tuple(
        Contradiction(
            pairs[0].one,
            pairs[0].other,
            pairs[0].kind,
            tuple(dict.fromkeys(one for pair in pairs for one in (pair.one, pair.other))),
        )
        for pairs in found.values()
    )


def _disagree(one: str, other: str, question: str) -> str:
    a, b = _subject(one), _subject(other)
    shared = len(a & b)
    close = 1000 * shared // max(1, min(len(a), len(b)))
    alike = shared >= _SHARED_MIN and close >= _ABOUT_THE_SAME_MILLI
    asked = _subject(question) if question else frozenset()
    kind = asked_kind(question) if question else None
    # Two answers that hold the same of the question speak of the same thing.
    same = bool(asked & a) and asked & a == asked & b
    told = _other_amounts(one, other, kind)
    if (told == "number" and (same or alike)) or (told == "date" and (alike if kind is None else same or alike)):
        return told
    if shared >= _SHARED_MIN and close >= _NEGATED_MILLI and kind is None:
        return "negation" if denies(one, language_in(one)) is not denies(other, language_in(other)) else ""
    return ""


def _last_sentence(text: str) -> str:
    last = sentences_of(text)[-1:]
    return text[last[0].start : last[0].end] if last else text


def _subject(text: str) -> frozenset[str]:
    """The stems of what a text is about: its words without units and numbers."""
    own = language_in(text)
    stems = (stem for word in asked_words(text, (own,)) if not _MEASURES.match(word.word) for stem in word.stems)
    return frozenset(stem for stem in stems if not stem[:1].isdigit() and len(stem) > 1)


def _other_amounts(one: str, other: str, kind: AskedKind | None) -> str:
    """The kind of amount that both sentences give, and give differently."""
    first, second = _amounts(one), _amounts(other)
    compared = _COMPARED.get(kind.name) if kind is not None else None
    shared = sorted(unit for unit in first.keys() & second.keys() if compared is None or compared.match(unit))
    if kind is not None and kind.nouns:
        shared = [unit for unit in shared if any(noun.rstrip("s") == unit for noun in kind.nouns)]
    apart = [unit for unit in shared if all(a[1] < b[0] or b[1] < a[0] for a in first[unit] for b in second[unit])]
    # Where several amounts differ, the two speak of different conditions.
    if len(apart) != 1:
        return ""
    return "date" if apart[0] == _CALENDAR else "number"


def _amounts(text: str) -> dict[str, list[tuple[int, int]]]:
    """Ranges in thousandths by unit; a bare number has none, so it is compared with nothing."""
    found: dict[str, list[tuple[int, int]]] = {}
    for match in _AMOUNT.finditer(_SPELLED.sub(_digits, text)):
        low, high, unit = match[1], match[2] or match[1], (match[3] or "").lower().rstrip("s")
        if _YEAR.match(low) and unit not in ("%", "percent", "gram", "g", "ml"):
            unit = _CALENDAR
        if unit:
            found.setdefault(unit, []).append((_milli(low), _milli(high)))
    return found


def _digits(word: re.Match[str]) -> str:
    return str(_WORDS.index(word[1].lower()) + 1) if word[1] else "1"


def _milli(number: str) -> int:
    plain = re.sub(r"[.,](?=\d{3}(?!\d))", "", number).replace(",", ".")
    whole, _, rest = plain.partition(".")
    return int(whole) * 1000 + int((re.sub(r"\D", "", rest) + "000")[:3])
