"""Names of several words in a question: people leave out a first name, but never the last word."""

from __future__ import annotations

import re
from typing import Final

from ...parsing.text.words.languages import is_function_word

__all__ = ["last_words_of_names", "names_of_several_words", "speaks_of_another"]

_CAPITAL: Final = r"[A-Z\u00c0-\u00de][\w'\u2019-]*"
_NAME: Final = re.compile(rf"\b{_CAPITAL}(?: {_CAPITAL})+")
# What may stand at the end of a name and is left out as often.
_FORMS: Final = {"ag", "city", "co", "company", "corp", "corporation", "foundation", "gmbh", "group", "inc", "limited"}
_MORE_FORMS: Final = {"llc", "ltd", "plc", "sa", "se", "university"}
# What may stand before a name without being part of it.
_TITLES: Final = {"dr", "frau", "herr", "m", "mme", "mr", "mrs", "ms", "prof", "professor", "sir"}
_FEWEST: Final = 2


def names_of_several_words(question: str, language: str) -> tuple[tuple[str, ...], ...]:
    """Names like "Rosa Gruber" and "Room B12", each as its words in small letters."""
    found = []
    for match in _NAME.finditer(question):
        words = match[0].lower().split()
        if not question[: match.start()].strip() and is_function_word(words[0], language):
            words = words[1:]
        while words and words[-1] in _FORMS | _MORE_FORMS:
            words.pop()
        if len(words) >= _FEWEST:
            found.append(tuple(words))
    return tuple(found)


def last_words_of_names(question: str, language: str) -> frozenset[str]:
    """The last words of such names: without them, a text is about another Rosa, or another room."""
    return frozenset(words[-1] for words in names_of_several_words(question, language))


def speaks_of_another(text: str, question: str, language: str) -> bool:
    """True if a text has the last word of a name behind other first words alone: Max Gruber for Rosa Gruber."""
    return any(_has_other_first_words(text, words) for words in names_of_several_words(question, language))


def _has_other_first_words(text: str, words: tuple[str, ...]) -> bool:
    before = [match[1] for match in re.finditer(rf"(?:\b(\w[\w.'\u2019-]*) )?\b(?i:{re.escape(words[-1])})\b", text)]
    return bool(before) and all(
        first and first[0].isupper() and first.lower().rstrip(".") not in {*words, *_TITLES} for first in before
    )
