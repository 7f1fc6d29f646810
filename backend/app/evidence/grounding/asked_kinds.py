"""The kind of answer that a question asks for - a price, a time, a person, a number - and whether a text has one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ...parsing.text.words.tokens import is_light_word, language_in, words_of
from .kind_patterns import ASKED, BOUNDS, COUNT, NOUN, NOUN_ENDS, ROLES, SAME_NOUNS, STANDS_FOR, VALUES

__all__ = ["AskedKind", "asked_kind", "gives_asked_kind"]

_LESS: Final = re.IGNORECASE
_CALLED: Final = re.compile(
    r"\b[A-Z\u00c0-\u00de][\w'\u2019-]*(?: (?:de|da|van|von|der|du|la|le|al|bin"
    r"|[A-Z]\.))*(?: [A-Z\u00c0-\u00de][\w'\u2019-]+)?"
)
_BY: Final = re.compile(
    r"\b(?:is|are|was|were|been|being|be|[a-z]+ed|wurden?|wird|werden|worden|est|sont|fut|\u00e9t\u00e9|fue|fueron|es|son)\b"
    r"[^.;|]{0,60}?\b(?:by|durch|par|por) (?:the |an? |den |die |das |le |la |les |el |los )?(\w+)",
    _LESS,
)
_TO_WHOM: Final = re.compile(r"(?:to|from|with|by|an|von|mit|bei|\u00e0|par|avec|a|con|por) (?:who|we[mn]|qui)", _LESS)
_PARTNER: Final = re.compile(
    r"\b(?:to|from|with|by|an|von|mit|bei|\u00e0|par|avec|con|por)"
    r" (?:the|an?|our|your|de[mnr]|die|das|le|la|les|el|los) (\w+)",
    _LESS,
)
_WHO_IS: Final = re.compile(
    r"(?:who(?:['\u2019]s| is| are| was| were)|wer (?:ist|sind|war)|qui (?:est|sont|\u00e9tait)"
    r"|qui\u00e9n(?:es)? (?:es|son|era))"
    r" (?:the |our |de[rnm] |die |das |le |la |les |el |los )?(\w+)",
    _LESS,
)
_ROLE: Final = re.compile(rf"\b{ROLES}\b", _LESS)
_TITLED: Final = re.compile(r"\b(?:Mrs?|Ms|Dr|Prof|Herr|Frau|Mme|M|Sr|Sra)\.? [A-Z\u00c0-\u00de]")
_TOKEN: Final = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|\d[\d.,]*")
_NUMBER: Final = re.compile(rf"{COUNT}$", _LESS)
_TIMES: Final = re.compile(
    rf"\b(?:once|twice|thrice|einmal|zweimal|dreimal|{COUNT}[ -](?:times|mal|fois|veces))\b", _LESS
)
_BOUND: Final = re.compile(rf"(?:{BOUNDS})", _LESS)
_NO_PLACE: Final = re.compile(
    r"(?:average|case|contrast|course|fact|first|general|hand|last|least|length|most|need|no|order|part|particular|short|size"
    r"|time|total|turn|years?|months?|weeks?|days?|hours?|minutes?)\b",
    _LESS,
)
_IN_PLACE: Final = re.compile(r"\b(?:in|near|outside|inside|across|around|im|nahe|bei|\u00e0|dans|en|cerca de)$", _LESS)
_ARTICLE: Final = re.compile(r"(?:an?|ein(?:e[nmrs]?)?|une?|un[ao]?)$", _LESS)
_BEFORE, _AFTER = 4, 2  # words between a number and what it counts
_ABOVE: Final = ("moment", "version")
_ECHOED: Final = ("amount", "digits", "moment")
_STRICT: Final = ("age", "length", "long", "money", "time", "weight")


@dataclass(frozen=True, slots=True)
class AskedKind:
    """The kind of an answer; `nouns` are what a question counts, each with its other names."""

    name: str
    nouns: tuple[str, ...] = ()
    question: str = ""

    @property
    def is_strict(self) -> bool:
        """True for kinds that a text without one cannot answer."""
        return self.name in _STRICT

    @property
    def may_stand_above(self) -> bool:
        """True for kinds that the heading over a sentence gives: the release that its changes stand under."""
        return self.name in _ABOVE

    def stands_for(self, word: str) -> bool:
        """True if an answer of this kind says what this word of the question asks: `cost` by an amount of money."""
        return STANDS_FOR[self.name].match(word) is not None


def asked_kind(question: str) -> AskedKind | None:
    """The kind that a question asks for; None where it asks for nothing that can be told by its form."""
    whole = " ".join(question.split())
    for name, asks in ASKED:
        if asks.search(whole):
            return AskedKind(name, _counted(whole) if name == "count" else (), whole)
    return None


def gives_asked_kind(kind: AskedKind | None, text: str, columns: str = "") -> bool:
    """True if a text holds an answer of a kind; `columns` are the headings of a table whose row the text is."""
    if kind is None:
        return True
    if kind.name == "count":
        in_column = columns and re.search(r"\d", text) and kind.nouns and kind.nouns[0] != "times"
        return _counts(kind, text) or bool(in_column and _named_in(kind, columns))
    if kind.name == "person":
        return _person(kind, text) or _in_asked_column(kind, columns)
    if kind.name == "place":
        return bool(columns) or _place(kind, text)
    # What the question itself says is no answer: "when was the meeting in May?"
    pattern = VALUES[kind.name]
    if kind.name not in _ECHOED:
        return pattern.search(text) is not None or _column_gives(kind, text, columns)
    asked = {match[0].lower() for match in pattern.finditer(kind.question) if not _BOUND.fullmatch(match[0])}
    if any(match[0].lower() not in asked for match in pattern.finditer(text)):
        return True
    return _column_gives(kind, text, columns)


def _column_gives(kind: AskedKind, text: str, columns: str) -> bool:
    """True if a table says by its headings what the numbers of a row are: "Price (EUR)"."""
    if not columns or not re.search(r"\d", text) or VALUES[kind.name].search(columns):  # "at 20 °C" is no unit
        return False
    return any(kind.stands_for(one) for one in _TOKEN.findall(columns))


def _in_asked_column(kind: AskedKind, columns: str) -> bool:
    """True if a table has a column for whoever is asked for: "who is the supplier of ..."."""
    asked = _WHO_IS.match(kind.question) if columns else None
    return asked is not None and not set(words_of(asked[1], own := language_in(kind.question))).isdisjoint(
        words_of(columns, own)
    )


def _counted(question: str) -> tuple[str, ...]:
    found = NOUN.search(question)
    nouns: list[str] = []
    for word in found[1].split() if found else ():
        if NOUN_ENDS.match(word):
            break
        nouns.append(word.lower())
    if not nouns:  # "the population of"
        nouns = ["einwohner" if language_in(question) == "de" else "inhabitants"]
    more = [other for noun in nouns for same in SAME_NOUNS if noun in same for other in sorted(same)]
    return tuple(dict.fromkeys((*nouns, *more)))


def _named_in(kind: AskedKind, text: str) -> bool:
    own = language_in(kind.question)
    said = set(words_of(text, own))
    return any(not said.isdisjoint(words_of(noun, own)) for noun in kind.nouns)


def _counts(kind: AskedKind, text: str) -> bool:
    """A number stands by the counted noun."""
    if not kind.nouns:
        return VALUES["amount"].search(text) is not None
    if kind.nouns[0] in ("times", "mal", "fois", "veces"):
        return _TIMES.search(text) is not None
    own = language_in(kind.question)
    wanted = {stem for noun in kind.nouns for stem in words_of(noun, own)}
    tokens = [match[0] for match in _TOKEN.finditer(text)]
    numbers = [_NUMBER.match(token) is not None and not _ARTICLE.match(token) for token in tokens]
    for place, token in enumerate(tokens):
        if wanted.isdisjoint(words_of(token, own)) or numbers[place]:
            continue
        after = tokens[place + 1 : place + 1 + _AFTER]
        if any(numbers[max(0, place - _BEFORE) : place]) or any(one[:1].isdigit() for one in after):
            return True
    return False


def _place(kind: AskedKind, text: str) -> bool:
    """Something stands in, at or by a place that is not in the question itself."""
    own = language_in(kind.question)
    asked = set(words_of(kind.question, own))
    for match in VALUES["place"].finditer(text):
        where = match["where"]
        if _NO_PLACE.match(where) or VALUES["moment"].match(where):
            continue
        if asked.isdisjoint(words_of(where, own)):
            return True
    return False


def _person(kind: AskedKind, text: str) -> bool:
    """Somebody is named, or a role, who is not in the question itself."""
    own = language_in(kind.question)
    asked = set(words_of(kind.question, own))
    if _TITLED.search(text):
        return True
    german = own == "de"
    for match in _CALLED.finditer(text):
        words = [word for word in match[0].split() if word[:1].isupper()]
        new = [word for word in words if asked.isdisjoint(words_of(word, own)) and not is_light_word(word.lower(), own)]
        before = text[: match.start()].rstrip(" \"'(*_\u201c\u201e\u00ab")
        if _IN_PLACE.search(before):
            continue
        begins = not before or before[-1] in ".!?:;|"
        if len(words) > 1 and len(new) == len(words):
            return True
        if new and not german and not begins and len(words) == 1:
            return True
    if _TO_WHOM.match(kind.question):
        whom = (match[1] for match in _PARTNER.finditer(text))
        if any(asked.isdisjoint(words_of(word, own)) for word in whom):
            return True
    by = (match[1] for match in _BY.finditer(text))
    if any(asked.isdisjoint(words_of(word, own)) and not word[:1].isdigit() for word in by):
        return True
    return any(asked.isdisjoint(words_of(match[0], own)) for match in _ROLE.finditer(text))
