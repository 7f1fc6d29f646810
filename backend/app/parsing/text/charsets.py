"""Finds the encoding of a text from the web: what it says, what its server says, and at last what it looks like."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from .decoding import decoded, known_codec

__all__ = ["web_text"]

_LOOKED_AT: Final = 16_384
_BEFORE: Final = 200
_BEYOND: Final = re.compile(rb"[\x80-\xff]")
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]+")
_KANA: Final = ((0x3040, 0x30FF), (0xFF66, 0xFF9D))
_HAN: Final = ((0x4E00, 0x9FFF), (0x3000, 0x303F), (0xFF00, 0xFF65))
_HANGUL: Final = ((0xAC00, 0xD7A3),)
_CYRILLIC: Final = ((0x0410, 0x0451),)
_GREEK: Final = ((0x0386, 0x03CE),)
_LATIN: Final = ((0x00C0, 0x017F), (0x2013, 0x201E), (0x2026, 0x2026), (0x20AC, 0x20AC), (0x00AB, 0x00BB))


@dataclass(frozen=True, slots=True)
class _Guess:
    """An encoding, what its languages are written in, and what no text of any length lacks."""

    codec: str
    ranges: tuple[tuple[int, int], ...]
    needs: tuple[tuple[int, int], ...] = ()
    mixes: bool = True
    """Whether its letters stand beside ASCII letters in one word."""


# A tie goes to the earlier. A code page of single bytes decodes nearly anything, so what it gives has to look right.
_GUESSES: Final = (
    _Guess("shift_jis", (*_KANA, *_HAN), needs=_KANA),
    _Guess("euc_jp", (*_KANA, *_HAN), needs=_KANA),
    _Guess("euc_kr", (*_HANGUL, *_HAN), needs=_HANGUL),
    _Guess("gb18030", _HAN),
    _Guess("big5", _HAN),
    _Guess("cp1251", _CYRILLIC, mixes=False),
    _Guess("koi8-r", _CYRILLIC, mixes=False),
    _Guess("cp1253", _GREEK, mixes=False),
    _Guess("cp1252", _LATIN),
    _Guess("cp1250", _LATIN),
)


def web_text(data: bytes, charset: str, *, html: bool) -> tuple[str, bool] | None:
    """The text, and whether its encoding had to be guessed; None where it is no text at all.

    A mark at the beginning outranks the server, and UTF-8 that decodes outranks both: wrong labels are common, and
    hardly anything else is valid UTF-8 by accident.
    """
    said = decoded(data, html=html)
    if said is not None:
        return said, False
    if b"\x00" in data:
        return None
    named = known_codec(charset)
    if named is not None:
        try:
            return data.decode(named), False
        except UnicodeDecodeError:
            pass
    first = _BEYOND.search(data)
    start = max(0, first.start() - _BEFORE) if first else 0
    codec = _guessed(data[start : start + _LOOKED_AT])
    if codec is None:
        # A stray byte in a text is no reason to lose it; a binary has controls all over.
        controls = sum(len(found) for found in _CONTROLS.findall(data[:_LOOKED_AT]))
        codec = "cp1252" if 100 * controls < min(len(data), _LOOKED_AT) else None
    return None if codec is None else (data.decode(codec, "replace"), True)


def _guessed(sample: bytes) -> str | None:
    """The encoding whose reading looks most like a language: letters of one script, and few leaps between scripts."""
    best, most = None, 0
    for guess in _GUESSES:
        try:
            # A character that the sample cuts in two is no error.
            text = codecs.getincrementaldecoder(guess.codec)("strict").decode(sample)
        except UnicodeDecodeError:
            continue
        score = _score(text, guess)
        if score > most:
            best, most = guess.codec, score
    return best


def _score(text: str, guess: _Guess) -> int:
    """How much of what is beyond ASCII belongs, per mille, with a bonus for small letters and a malus for the rest."""
    beyond = [char for char in text if ord(char) > 0x7F]
    if not beyond or (guess.needs and 5 * sum(_within(char, guess.needs) for char in beyond) < len(beyond)):
        return 0
    fitting = sum(_within(char, guess.ranges) for char in beyond)
    small = sum(char.islower() for char in beyond)
    odd = sum(_leaps(before, char, guess) for before, char in pairwise(text))
    return (1000 * fitting + 200 * small - 800 * odd - 1500 * (len(beyond) - fitting)) // len(beyond)


def _leaps(before: str, char: str, guess: _Guess) -> bool:
    """Whether two neighbours are hardly ever found together in one word."""
    if ord(before) <= 0x7F and ord(char) <= 0x7F:
        return False
    if not guess.mixes and before.isalpha() and char.isalpha() and before.isascii() is not char.isascii():
        return True
    return char.isupper() and before.islower()


def _within(char: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= ord(char) <= high for low, high in ranges)
