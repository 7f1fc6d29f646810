"""Cuts text into the words of the index: one tokenizer for documents and for questions."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import snowballstemmer

__all__ = ["WORDS_VERSION", "query_words", "words_of"]

WORDS_VERSION: Final = 1
"""Part of every stored index: other words need another index."""

_LONGEST: Final = 64  # longer runs are encoded data, not words
_MOST: Final = 1024  # distinct words of one question
# Scripts written without spaces are indexed as overlapping pairs of characters.
_UNSPACED: Final = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_WORD: Final = re.compile(rf"[{_UNSPACED}]+|(?:(?![_{_UNSPACED}])\w)+(?:['\u2019](?:(?![_{_UNSPACED}])\w)+)*")
_PLAIN: Final = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")  # the same for ASCII, several times faster
_UNSPACED_RUN: Final = re.compile(rf"[{_UNSPACED}]+")
_STOP_LIST: Final = (
    "a about all also am an and any are as at be been being but by can could did do does doing for from "
    "had has have having he her here him his how i if in into is it its me my no not of on or our she "
    "should so some such than that the their them then there these they this those to was we were what "
    "when where which who whom why will with would you your "
)
_STOP: Final = frozenset(_STOP_LIST.split())


def words_of(text: str) -> list[str]:
    """Every word in reading order, lower case, stemmed; stop words included, so that lengths are honest."""
    lowered = text.lower()
    return [stem for word in _cut(lowered) if (stem := _stem(word))]


def query_words(text: str) -> dict[str, int]:
    """The question's content words and how often each occurs, sorted; stop words only where nothing else is said."""
    found = _cut(text.lower())
    content = [word for word in found if word not in _STOP] or found
    counts: dict[str, int] = {}
    for word in content:
        stem = _stem(word)
        if stem:
            counts[stem] = counts.get(stem, 0) + 1
    return {word: counts[word] for word in sorted(counts)[:_MOST]}


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
def _stem(word: str) -> str:
    """Remembered, since most of a text is the same few thousand words; the stemmer has no state between words."""
    stemmed: str = snowballstemmer.stemmer("english").stemWord(word)
    return stemmed.strip("'")
