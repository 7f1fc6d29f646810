"""Cuts text into words: one tokenizer for the documents of an index, for questions, and for the grounding check."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import snowballstemmer

from .languages import ENGLISH, STEMMERS, is_function_word, language_of
from .light_words import LIGHT_WORDS

__all__ = [
    "WORDS_VERSION",
    "AskedWord",
    "asked_words",
    "is_light",
    "is_light_word",
    "language_in",
    "one_edit",
    "stems_in",
    "word_with_stem",
    "words_of",
]

WORDS_VERSION: Final = 3
"""Part of every stored index: other words need another index."""

_LONGEST: Final = 64  # longer runs are encoded data, not words
_MOST: Final = 1024  # distinct words of one question
_REMEMBERED: Final = 20_000  # characters; of longer texts nothing is kept in memory
# Scripts written without spaces are indexed as overlapping pairs of characters.
_UNSPACED: Final = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_WORD: Final = re.compile(rf"[{_UNSPACED}]+|(?:(?![_{_UNSPACED}])\w)+(?:['\u2019](?:(?![_{_UNSPACED}])\w)+)*")
_PLAIN: Final = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")  # the same for ASCII, several times faster
_UNSPACED_RUN: Final = re.compile(rf"[{_UNSPACED}]+")
_ELIDING: Final = frozenset({"fr", "it"})  # l'accord, dell'anno: what stands before the apostrophe is another word
_NOUNS_IN_CAPITALS: Final = "de"
_OPENING: Final = " \t\n\"'(\u201c\u201e\u00ab\u00bf\u00a1"
# "Explain X", "tell me about X" ask for X; anywhere but at the beginning these are words like any other.
_ASKING: Final = frozenset(
    {
        *("compare", "define", "describe", "discuss", "explain", "find", "give", "help", "identify", "list", "name"),
        *("outline", "please", "provide", "show", "state", "summarise", "summarize", "tell"),
    }
)


@dataclass(frozen=True, slots=True)
class AskedWord:
    """A content word of a question: as it was typed but in lower case, how often, and what it is in each language."""

    word: str
    count: int
    stems: tuple[str, ...]
    marked: bool
    """Whether it is a name or a number: without it, a passage is about something else."""

    guessed: bool = False
    """Whether the stem is only the nearest that the collection holds."""

    def respelled(self, stem: str) -> AskedWord:
        """The same word, looked for by another stem."""
        return AskedWord(self.word, self.count, (stem,), self.marked, guessed=True)


def language_in(text: str, preferred: str = ENGLISH) -> str:
    """The language that a text is written in, as far as it is one of those we know; `preferred` where several fit."""
    return _own_language(text, preferred) if len(text) <= _REMEMBERED else language_of(_cut(text.lower()), preferred)


def words_of(text: str, language: str = ENGLISH) -> list[str]:
    """Every word in reading order, lower case, stemmed; function words included, so that lengths are honest."""
    return [stem for word in _cut(text.lower()) if (stem := _stem(word, language))]


def stems_in(text: str, languages: Iterable[str]) -> frozenset[str]:
    """Every stem of a text, in each of some languages."""
    taken = tuple(languages)
    return _stems_in(text, taken) if len(text) <= _REMEMBERED else _stems_of(text, taken)


def asked_words(question: str, languages: Iterable[str] = (ENGLISH,)) -> tuple[AskedWord, ...]:
    """The question's content words, sorted; function words only where nothing else is said.

    The stems are of the question's own language where it is one of `languages` and shows, else of all of them.
    """
    taken = tuple(languages)
    return _asked_words(question, taken) if len(question) <= _REMEMBERED else _asked_words_of(question, taken)


# Of one request, plan, validator and composer read the same few texts, so the last ones are remembered.
@lru_cache(maxsize=256)
def _own_language(text: str, preferred: str) -> str:
    return language_of(_cut(text.lower()), preferred)


@lru_cache(maxsize=64)
def _stems_in(text: str, languages: tuple[str, ...]) -> frozenset[str]:
    return _stems_of(text, languages)


def _stems_of(text: str, languages: tuple[str, ...]) -> frozenset[str]:
    found = _cut(text.lower())
    return frozenset(stem for language in languages for word in found if (stem := _stem(word, language)))


@lru_cache(maxsize=256)
def _asked_words(question: str, languages: tuple[str, ...]) -> tuple[AskedWord, ...]:
    return _asked_words_of(question, languages)


def _asked_words_of(question: str, spoken: tuple[str, ...]) -> tuple[AskedWord, ...]:
    found = _cut(question.lower())
    own = language_of(found, spoken[0] if len(spoken) == 1 else ENGLISH)
    if own in spoken and any(is_function_word(word, own) for word in found):
        spoken = (own,)  # the question itself shows its language
    marked = _marked(question, own)
    content = [word for word in found if not is_function_word(word, own)] or found
    while len(content) > 1 and content[0] in _ASKING:
        content = content[1:]
    counts: dict[tuple[str, ...], int] = {}
    typed: dict[tuple[str, ...], str] = {}
    for word in content:
        stems = tuple(dict.fromkeys(stem for language in spoken if (stem := _stem(word, language))))
        if stems:
            counts[stems] = counts.get(stems, 0) + 1
            typed.setdefault(stems, word)
    return tuple(
        AskedWord(typed[stems], counts[stems], stems, typed[stems] in marked) for stems in sorted(counts)[:_MOST]
    )


def is_light(word: AskedWord, own: str, languages: Iterable[str]) -> bool:
    """Whether a question in the language `own` means the same without the word."""
    if is_function_word(word.word, own):
        return True
    return any(not _light_stems(language).isdisjoint(word.stems) for language in languages)


def is_light_word(word: str, language: str) -> bool:
    """Whether a word in lower case says little by itself: the same list as for questions, in one language."""
    return is_function_word(word, language) or _stem(word, language) in _light_stems(language)


def word_with_stem(stem: str, text: str, languages: Iterable[str]) -> str | None:
    """The first word of a text with this stem, in lower case."""
    taken = tuple(languages)
    return next((word for word in _cut(text.lower()) if any(_stem(word, one) == stem for one in taken)), None)


def one_edit(one: str, other: str) -> bool:
    """Whether two words differ by one letter that is missing, too many, another one, or in its neighbour's place."""
    if len(one) > len(other):
        one, other = other, one
    if len(other) - len(one) > 1 or one == other:
        return False
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    if len(one) < len(other):
        return one[at:] == other[at + 1 :]
    swapped = one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
    return swapped or one[at + 1 :] == other[at + 1 :]


def _marked(question: str, language: str) -> frozenset[str]:
    """Words of a question that are numbers, or written like names where no sentence begins."""
    runs = list(_WORD.finditer(question))
    capitals = sum(run[0][0].isupper() for run in runs)
    titled = any(run[0][0].isupper() and is_function_word(run[0].lower(), language) for run in runs[1:])
    # A heading in title case and a shouted question name nobody; in German every noun has a capital.
    tells = language != _NOUNS_IN_CAPITALS and not titled and capitals < len(runs)
    found: set[str] = set()
    for run in runs:
        word = run[0]
        before = question[: run.start()].rstrip(_OPENING)
        begins = not before or before[-1] in ".!?:;"
        named = tells and word[0].isupper() and not begins
        if named or any(c.isdigit() for c in word) or (word.isupper() and len(word) > 1 and capitals < len(runs)):
            found.update(_cut(word.lower()))
    return frozenset(found)


def _cut(lowered: str) -> list[str]:
    if lowered.isascii():
        return [word for word in _PLAIN.findall(lowered) if len(word) <= _LONGEST]
    found: list[str] = []
    for run in _WORD.findall(lowered):
        if _UNSPACED_RUN.fullmatch(run):
            found.extend([run] if len(run) == 1 else (run[i : i + 2] for i in range(len(run) - 1)))
        elif len(run) <= _LONGEST:
            found.append(run.replace("\u2019", "'"))
    return found


@lru_cache(maxsize=65_536)
def _stem(word: str, language: str) -> str:
    """Remembered, since most of a text is the same few thousand words; a stemmer has no state between words."""
    if language in _ELIDING:
        word = word.rpartition("'")[2]
    stemmed: str = _stemmer(language).stemWord(word)
    return stemmed.strip("'")


@lru_cache
def _stemmer(language: str) -> Any:
    return snowballstemmer.stemmer(STEMMERS[language])


@lru_cache
def _light_stems(language: str) -> frozenset[str]:
    return stems_in(LIGHT_WORDS[language], (language,))
