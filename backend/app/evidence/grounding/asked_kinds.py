"""The kind of answer that a question asks for - a price, a time, a person, a number - and whether a text has one."""

from __future__ import annotations

import re
from typing import Final

from ...parsing.text.words.tokens import is_light_word, language_in, words_of
from .asked_columns import given_in_column
from .kind_of_answer import AskedKind
from .kind_patterns import ASKED, BOUNDS, COUNT, NOUN, NOUN_ENDS, ROLES, SAME_NOUNS, VALUES

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
_ECHOED: Final = ("amount", "digits", "moment")


def asked_kind(question: str) -> AskedKind | None:
    """The kind that a question asks for; None where it asks for nothing that can be told by its form."""
    whole = " ".join(question.split())
    for name, asks in ASKED:
        if asks.search(whole):
            return AskedKind(name, _counted(whole) if name == "count" else (), whole)
    return None


def gives_asked_kind(kind: AskedKind | None, text: str, columns: str = "") -> bool:
    """True if a text holds an answer of a kind; `columns` are the headings of the table whose row the text is."""
    if kind is None:
        return True
    in_column = given_in_column(kind, text, columns) if columns else None
    if in_column is not None:  # a column is headed so: what stands in another one is no answer
        return in_column
    if kind.name == "count":
        return _counts(kind, text)
    if kind.name == "person":
        return _person(kind, text)
    if kind.name == "place":
        return _place(kind, text)
    # What the question itself says is no answer: "when was the meeting in May?"
    pattern = VALUES[kind.name]
    if kind.name not in _ECHOED:
        return pattern.search(text) is not None
    asked = {match[0].lower() for match in pattern.finditer(kind.question) if not _BOUND.fullmatch(match[0])}
    return any(match[0].lower() not in asked for match in pattern.finditer(text))


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
