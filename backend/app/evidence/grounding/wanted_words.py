"""The words that an answer has to hold: those of the question, without what an answer of its kind says by itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ...parsing.text.words.irregular import other_forms
from ...parsing.text.words.languages import is_function_word
from ...parsing.text.words.light_words import EMPTY_WORDS
from ...parsing.text.words.tokens import AskedWord, asked_words, is_light, language_in, words_of
from .asked_kinds import AskedKind
from .bearing import classes_in

__all__ = ["HALF_WEIGHT", "WORD_WEIGHT", "WantedWord", "wanted_words"]

_NAME: Final = 15
WORD_WEIGHT: Final = 10
HALF_WEIGHT: Final = 5
_FEW: Final = 2
_DONE: Final = re.compile(r"\w{2,}ed|ge\w{2,}(?:t|en)|\w{3,}(?:iert|\u00e9e?s?|[ai]d[oa]s?)")
_WHO_DID: Final = re.compile(
    r"\b(?:who|wer|qui|qui\u00e9n(?:es)?)\s+(?:was|is|will|has|had|did|hat|ist|wird|a|est|ha|es)?\s*(\w+)",
    re.IGNORECASE,
)
_OF_WHOM: Final = re.compile(
    r"\b(?:do|does|did)\s+(?:the |an? )?(\w+)\s+(?:have|get|receive|earn|pay|need|own|cost)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class WantedWord:
    """One word that an answer has to hold."""

    stems: frozenset[str]
    weight: int
    named: bool = False
    number: bool = False
    general: bool = False
    typed: str = ""
    subject: bool = False
    """Of whom or of what it is asked: "how many days do interns have"."""
    done: bool = False
    """What somebody did, or what was done: said of another thing, it says nothing of this one."""


def wanted_words(question: str, language: str, kind: AskedKind | None) -> tuple[WantedWord, ...]:
    """The words that an answer has to hold, without those that it says by its kind."""
    own = language_in(question, language)
    languages = tuple(dict.fromkeys((own, language)))
    plain: list[AskedWord] = []
    light: list[AskedWord] = []
    asked = asked_words(question, languages)
    named_by_number = classes_in(question)
    # "Priority 1": where nothing else is asked for, 1 by itself is any number.
    bare = all(word.word in named_by_number or len(word.word) == 1 or is_light(word, own, languages) for word in asked)
    classes = frozenset[str]() if bare else named_by_number
    for word in asked:
        if kind is not None and (kind.stands_for(word.word) or word.word in kind.nouns):
            continue
        if word.word in classes and not word.marked:
            continue
        (light if not word.marked and is_light(word, own, languages) else plain).append(word)
    telling = [word for word in light if own == "en" and not EMPTY_WORDS & {word.word, *word.stems}]
    if not plain and not telling:
        telling = [word for word in light if not is_function_word(word.word, own)]
    weight = WORD_WEIGHT if len([word for word in plain if not word.marked]) < _FEW else HALF_WEIGHT
    of_whom = {match[1].lower() for match in _OF_WHOM.finditer(question)}
    acts = {match[1].lower() for match in _WHO_DID.finditer(question)}
    return (
        *(
            WantedWord(
                _stems(word, language),
                _NAME if word.marked else WORD_WEIGHT,
                word.marked,
                word.word.isdecimal(),
                typed=word.word,
                subject=word.word in of_whom,
                done=word.word in acts or _is_done(word.word),
            )
            for word in plain
        ),
        *(WantedWord(_stems(word, language), weight, general=True) for word in telling),
    )


def _is_done(word: str) -> bool:
    """True for a form of a verb that says what was done: `founded`, `gegründet`, `sunk`."""
    return _DONE.fullmatch(word) is not None or bool(other_forms(word))


def _stems(word: AskedWord, language: str) -> frozenset[str]:
    return frozenset((*word.stems, *(stem for form in other_forms(word.word) for stem in words_of(form, language))))
