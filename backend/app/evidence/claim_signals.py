"""Sentences that speak to a claim: by shared words alone; they are evidence to read, never a verdict."""

from __future__ import annotations

import re
from typing import Final

from ..parsing.text.words.tokens import AskedWord, asked_words, language_in, stems_in

__all__ = ["claim_signal", "key_sentences", "word_share_milli"]

_END: Final = re.compile(r"(?<=[.!?])[\"'\u2019\u201d)\]]*\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_LONGEST_TEXT: Final = 400_000
_LONGEST_SENTENCE: Final = 600
_FEWEST_LETTERS: Final = 12
_ENOUGH_MILLI: Final = 250
"""A quarter of the claim's words, and two of them where it has so many. Measured: docs/search.md."""
_FEWEST_WORDS: Final = 2


def claim_signal(claim: str, text: str) -> str:
    """The sentence that shares most with a claim; the first of equals, empty where none shares enough."""
    found = _scored(claim, text)
    best = max((score for score, _ in found), default=0)
    return next((sentence for score, sentence in found if score == best), "") if best >= _ENOUGH_MILLI else ""


def key_sentences(claim: str, text: str, most: int = 3) -> tuple[str, ...]:
    """The sentences that share most with a claim, in the order of the text."""
    found = _scored(claim, text)
    enough = [(-score, place) for place, (score, _) in enumerate(found) if score >= _ENOUGH_MILLI]
    chosen = sorted(place for _, place in sorted(enough)[:most])
    return tuple(found[place][1] for place in chosen)


def word_share_milli(question: str, text: str) -> int:
    """How many of the content words of a question stand in a text, in thousandths."""
    languages = _languages(question, text)
    words = asked_words(question, languages)
    return _share(words, stems_in(text[:_LONGEST_TEXT], languages))


def _scored(claim: str, text: str) -> list[tuple[int, str]]:
    languages = _languages(claim, text)
    words = asked_words(claim, languages)
    return [(_match(words, stems_in(sentence, languages)), sentence) for sentence in _sentences(text)]


def _match(words: tuple[AskedWord, ...], said: frozenset[str]) -> int:
    """The share of the words; nothing where one word alone matches and there are more."""
    found = sum(not said.isdisjoint(word.stems) for word in words)
    return _share(words, said) if found >= min(_FEWEST_WORDS, len(words)) else 0


def _sentences(text: str) -> list[str]:
    parts = (" ".join(part.split()) for part in _END.split(text[:_LONGEST_TEXT]))
    return list(dict.fromkeys(part for part in parts if _FEWEST_LETTERS <= len(part) <= _LONGEST_SENTENCE))


def _languages(question: str, text: str) -> tuple[str, ...]:
    theirs = language_in(text[:4_000])
    return tuple(dict.fromkeys((language_in(question, theirs), theirs)))


def _share(words: tuple[AskedWord, ...], said: frozenset[str]) -> int:
    found = sum(not said.isdisjoint(word.stems) for word in words)
    return 1000 * found // len(words) if words else 0
