"""Reads a sentence as words with roles: numbers with their units, names, content words, what stands in a phrase of time
or place, and what is negated."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from ...parsing.text.words.languages import is_function_word
from ...parsing.text.words.tokens import is_light_word, language_in, words_of
from .claim_vocabulary import (
    COORDINATORS,
    NEGATORS,
    NUMBER_WORDS,
    SAFE_PREPOSITIONS,
    SUBORDINATORS,
    UNITS,
    VERB_LEADS,
    YEAR_LEADS,
)

__all__ = ["ClaimToken", "ReadClaim", "read_claim"]

_TOKEN: Final = re.compile(
    r"(?P<number>(?<![\w])\d{1,3}(?:[ \u00a0\u202f]\d{3}(?!\d))+|\d+(?:[.,]\d+)*)"
    r"|(?P<degree>\u00b0\s?[CFcf]?|%)"
    r"|(?P<word>[^\W\d_]+(?:['\u2019][^\W\d_]+)*\d*)"
    r"|(?P<mark>[,;:.!?()\u2013\u2014\u2212/-])"
)
_PER_CENT: Final = re.compile(r"\bper cent\b", re.IGNORECASE)
_THOUSANDS: Final = re.compile(r"(?<=\d)[,.](?=\d{3}(?!\d))")
_SPACES: Final = re.compile(r"[ \u00a0\u202f]")
_RANGE: Final = ("to", "-", "\u2013", "and", "or", "bis", "\u00e0", "a", "y", "et", "und", "oder", "o", "ou")
_PHRASE_WORDS: Final = 6
_JOINING: Final = frozenset(("and", "or", ",", "und", "oder", "et", "ou", "y", "o"))
_ARTICLES: Final = frozenset(("the", "a", "an", "der", "die", "das", "le", "la", "les", "el", "los", "las"))
_AND: Final = frozenset(("and", "und", "et", "y"))
_IN_TURN: Final = frozenset(("respectively", "jeweils", "respectivement", "respectivamente"))
Kind = Literal["number", "name", "word", "light", "mark"]


@dataclass(frozen=True, slots=True)
class ClaimToken:
    """One word or mark of a sentence."""

    text: str
    kind: Kind
    stem: str
    """What it is compared by: a stem, or a number without separators."""
    unit: str = ""
    """Of a number: what it counts, where that is a unit; `year` for a year."""
    oblique: bool = False
    """True in a phrase of time, place or manner, which may stand anywhere in a sentence."""
    first: bool = False
    """True for the first word, whose capital says nothing."""
    capital: bool = False


@dataclass(frozen=True, slots=True)
class ReadClaim:
    """A sentence, read once."""

    text: str
    language: str
    tokens: tuple[ClaimToken, ...]
    clauses: tuple[tuple[frozenset[str], bool], ...]
    """The stems of each clause, and whether it is negated."""
    parts: tuple[tuple[frozenset[str], bool], ...]
    """The same, cut at `and` as well."""
    joined: frozenset[frozenset[str]]
    """Pairs of words of one kind that `and`, `or` or a comma joins."""
    verbs: frozenset[str]
    """Words that are seen to be verbs here."""

    @property
    def stems(self) -> frozenset[str]:
        """Every word and number."""
        return frozenset(token.stem for token in self.tokens if token.kind != "mark")

    @property
    def content(self) -> frozenset[str]:
        """Every content word, name and number."""
        return frozenset(token.stem for token in self.of_kind("word", "name", "number"))

    def of_kind(self, *kinds: Kind) -> tuple[ClaimToken, ...]:
        """The tokens of some kinds, in order."""
        return tuple(token for token in self.tokens if token.kind in kinds)


def read_claim(text: str, preferred: str = "en") -> ReadClaim:
    """Read a sentence."""
    text = _PER_CENT.sub("percent", text)
    language = language_in(text, preferred)
    tokens = _with_units(_cut(text, language))
    return ReadClaim(
        text, language, _with_phrases(tokens), _clauses(tokens), _clauses(tokens, _AND), _joined(tokens), _verbs(tokens)
    )


def _cut(text: str, language: str) -> list[ClaimToken]:
    found: list[ClaimToken] = []
    for match in _TOKEN.finditer(text):
        said = match[0]
        first = not any(token.kind != "mark" for token in found)
        if match["number"]:
            found.append(ClaimToken(said, "number", _value(said), first=first))
        elif match["degree"]:
            found.append(ClaimToken(said, "light", UNITS.get(said.replace(" ", "").lower(), said)))
        elif match["word"]:
            found.append(_word(said, language, first))
        else:
            found.append(ClaimToken(said, "mark", said))
    return found


def _word(said: str, language: str, first: bool) -> ClaimToken:
    low = said.lower().replace("\u2019", "'")
    if len(said) == 1 and said.isupper() and said != "I" and not first:
        return ClaimToken(said, "name", low, capital=True)
    if low in NUMBER_WORDS:
        return ClaimToken(said, "number", NUMBER_WORDS[low], first=first)
    capital = said[0].isupper()
    stem = (words_of(low, language) or [low])[0]
    if low in NEGATORS or low.endswith("n't") or is_function_word(low, language) or low in UNITS:
        return ClaimToken(said, "light", UNITS.get(low, low), first=first)
    named = (capital and not first and language != "de") or (said.isupper() and len(said) > 1)
    kind: Kind = "name" if named or said[-1].isdigit() else "light" if is_light_word(low, language) else "word"
    return ClaimToken(said, kind, stem, first=first, capital=capital)


def _value(said: str) -> str:
    plain = _SPACES.sub("", said)
    plain = _THOUSANDS.sub("", plain) if len(plain) > 4 else plain
    plain = plain.replace(",", ".")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain.lstrip("0") or "0"


def _with_units(tokens: list[ClaimToken]) -> list[ClaimToken]:
    found = list(tokens)
    for at, token in enumerate(tokens):
        if token.kind == "number":
            unit = _unit_behind(tokens, at + 1)
            unit = unit or ("year" if _is_year(tokens, at) else "")
            found[at] = ClaimToken(token.text, token.kind, token.stem, unit=unit, first=token.first)
    return found


def _is_year(tokens: list[ClaimToken], at: int) -> bool:
    digits = tokens[at].stem
    before = tokens[at - 1].text.lower() if at else ""
    if not digits.isdigit():
        return False
    return (len(digits) == 4 and "1000" <= digits <= "2199") or (len(digits) == 3 and before in YEAR_LEADS)


def _unit_behind(tokens: list[ClaimToken], at: int) -> str:
    """The unit behind a number, also behind the end of its range: 8 to 16 hours."""
    described = False
    for token in tokens[at : at + 4]:
        if token.stem in UNITS.values() and token.kind == "light":
            return token.stem
        # The end of a range, or one word that tells more: 8 to 16 hours, ten rainy days.
        if token.kind != "number" and token.text.lower() not in _RANGE:
            if described or token.kind == "mark":
                return ""
            described = True
        elif described:
            return ""  # another number: in March 2022 for 42 euros
    return ""


def _with_phrases(tokens: list[ClaimToken]) -> tuple[ClaimToken, ...]:
    """Mark what stands behind a preposition of time, place or manner, up to the end of its phrase."""
    found: list[ClaimToken] = []
    left = 0
    for token in tokens:
        low = token.text.lower()
        if low in SAFE_PREPOSITIONS:
            left = _PHRASE_WORDS
        elif token.kind == "mark" and token.text not in "-\u2013/":
            left = 0
        elif left and token.kind in ("word", "name", "number"):
            found.append(ClaimToken(token.text, token.kind, token.stem, token.unit, True, token.first, token.capital))
            # A phrase ends with its noun; a number takes its unit along, an adjective its noun.
            left -= 1 if token.kind == "number" else 3
            left = max(0, left)
            continue
        elif left and low in SUBORDINATORS:
            left = 0
        found.append(token)
    return tuple(found)


def _clauses(tokens: list[ClaimToken], also: frozenset[str] = frozenset()) -> tuple[tuple[frozenset[str], bool], ...]:
    found: list[tuple[frozenset[str], bool]] = []
    stems: set[str] = set()
    negated = False
    for token in tokens:
        low = token.text.lower().replace("\u2019", "'")
        if token.text in ",;:()" or low in SUBORDINATORS or low in COORDINATORS or low in also:
            if stems:
                found.append((frozenset(stems), negated))
                stems, negated = set(), False
            continue
        if low in NEGATORS or low.endswith("n't"):
            negated = True
        elif token.kind in ("word", "name", "number"):
            stems.add(token.stem)
    if stems:
        found.append((frozenset(stems), negated))
    return tuple(found)


def _joined(tokens: list[ClaimToken]) -> frozenset[frozenset[str]]:
    if any(token.text.lower() in _IN_TURN for token in tokens):
        return frozenset()
    found: set[frozenset[str]] = set()
    before: ClaimToken | None = None
    joins = False
    for token in tokens:
        low = token.text.lower()
        if token.kind in ("word", "name"):
            if joins and before is not None and before.kind == token.kind:
                found.add(frozenset((before.stem, token.stem)))
            before, joins = token, False
        elif low in _JOINING:
            joins = True
        elif low not in _ARTICLES:
            before, joins = None, False
    return frozenset(found)


def _verbs(tokens: list[ClaimToken]) -> frozenset[str]:
    pairs = pairwise(tokens)
    return frozenset(token.stem for lead, token in pairs if lead.text.lower() in VERB_LEADS and token.kind == "word")
