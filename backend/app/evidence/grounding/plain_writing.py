"""How a line may be written: with the signs of its evidence and of ordinary prose, so that nothing passes unread.

A word that only looks like another one, a script that the evidence does not use, a sign before a number, a currency or
a fraction would otherwise get past a check that reads words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["plainly_written"]

_ORDINARY: Final = re.compile(
    r"[A-Za-z0-9 .,;:!?'\"()/%\u2019\u2018\u201c\u201d\u201e\u00ab\u00bb\u2013\u2014\u2026\u00a0\u202f\u00b0"
    r"\u00bf\u00a1-]"
)
# Letters of the Latin alphabet with their accents, precomposed; other scripts must be those of the evidence.
_LATIN: Final = re.compile(r"[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f]")
_SIGNED: Final = re.compile(r"(?<![\w)])[-\u2013\u2014\u2212+]\s?(?=\d)")
_WORD: Final = re.compile(r"[^\W\d_]+")
_LONGEST_WORD: Final = 30
_FEW: Final = 2
_TWO_BYTES: Final = 0x0250


def plainly_written(said: str, evidence: Sequence[str]) -> bool:
    """True if every sign of a line is ordinary, or stands in its evidence as it does there."""
    held = "\n".join(evidence)
    letters = frozenset(held)
    for sign in said:
        if not (_ORDINARY.match(sign) or _LATIN.match(sign) or sign in letters):
            return False
    for word in _WORD.finditer(said):
        unread = any(ord(letter) >= _TWO_BYTES for letter in word[0])
        # A word of another script, or one without an end, must stand in the evidence as a whole.
        if (unread or len(word[0]) > _LONGEST_WORD) and not _stands(word[0], held, unread):
            return False
    return len(_SIGNED.findall(said)) <= len(_SIGNED.findall(held))


def _stands(word: str, held: str, unread: bool) -> bool:
    """True if a word, or of one in a script without spaces each pair of letters, stands in the evidence."""
    low, text = word.lower(), held.lower()
    if low in text or (unread and low[: max(_FEW, len(low) - _FEW)] in text and not _mixed(word)):
        return True
    return unread and len(word) > _FEW and all(low[at : at + _FEW] in text for at in range(len(low) - 1))


def _mixed(word: str) -> bool:
    """True for letters of two alphabets in one word."""
    return any(letter.isascii() for letter in word) and not word.isascii()
