"""Cuts a text to a number of bytes where a reader would stop: after a paragraph, a sentence or a word."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from .graphemes import can_cut, keeps_carriers

__all__ = ["cut_bytes", "cut_text", "utf8_length"]

# Each of them ends behind a letter, so that a run of white space is looked at once.
_PARAGRAPH: Final = re.compile(r"(?<=\S)(?=[^\S\n]*\n\s*\n)")
_SENTENCE: Final = re.compile(
    r"[.!?\u2026][\"')\]\u2019\u201d]{0,8}(?=\s)|[\u3002\uff01\uff1f][\u300d\u300f\u201d]{0,4}|(?<=\S)(?=[^\S\n]*\n)"
)
_WORD: Final = re.compile(r"(?<=\S)(?=\s)")
_PIECE: Final = 4_096
_AHEAD: Final = 256  # white space behind an end that is looked at
_LONGEST_END: Final = 9  # a full stop and the quotation marks behind it
# What a reader sees as one character is short; only a hostile text piles up more marks than this.
_LONGEST_CLUSTER: Final = 256


def utf8_length(text: str) -> int:
    """The length in bytes; a lone half of a pair counts as it would be written."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def cut_text(text: str, max_bytes: int) -> tuple[str, bool]:
    """The longest beginning of the text that ends well within `max_bytes` of UTF-8, and whether something is missing.

    A text that fits comes back whole. Otherwise it ends with a paragraph, else a sentence, else a word, else a
    character. Each kind of end is looked for in the second half of the allowance only: a better end further to the
    front would throw away more than half of what is allowed, and then the next kind is taken. White space before
    the cut goes too. What comes back is always a beginning of the text, and never ends inside a code point.
    """
    if max_bytes <= 0:
        return "", bool(text)
    # A character has at least one byte: what lies further back need not be looked at.
    near = text[: max_bytes + 1]
    data = near.encode("utf-8", "surrogatepass")
    if len(data) <= max_bytes:
        return text, False
    limit = _characters(data, max_bytes)
    least = min(limit, _characters(data, (max_bytes + 1) // 2, up=True))
    for pattern in (_PARAGRAPH, _SENTENCE, _WORD):
        end = _last_end(near, pattern, least, limit)
        if end is not None:
            return near[:end], True
    return near[: _between_characters(near, limit)].rstrip(), True


def cut_bytes(text: str, max_bytes: int) -> tuple[str, bool]:
    """The beginning that fits, to the character, for who wants the text as it is; and whether something is missing."""
    data = text[: max_bytes + 1].encode("utf-8", "surrogatepass")
    if len(data) <= max_bytes:
        return text, False
    return data[:max_bytes].decode("utf-8", "ignore"), True


def _characters(data: bytes, at: int, *, up: bool = False) -> int:
    """How many characters stand before a place in the bytes; one that lies across it counts if asked."""
    start = at
    while 0 < start < len(data) and data[start] & 0xC0 == 0x80:
        start -= 1
    return len(data[:start].decode("utf-8", "surrogatepass")) + (up and start < at)


def _last_end(text: str, pattern: re.Pattern[str], least: int, limit: int) -> int | None:
    """The last end of such a kind that lies between the two places; looked for from behind, a piece at a time."""
    stop = limit
    while stop >= least:
        start = max(least, stop - _PIECE)
        found = pattern.finditer(text, max(0, start - _LONGEST_END), stop + _AHEAD)
        ends = [end for one in found if start <= (end := one.end()) <= stop]
        for end in reversed(ends):
            if can_cut(text, end):
                return end
        stop = start - 1
    return None


def _between_characters(text: str, limit: int) -> int:
    checks: tuple[Callable[[str, int], bool], ...] = (can_cut, keeps_carriers)
    for allowed in checks:
        for at in range(limit, max(0, limit - _LONGEST_CLUSTER), -1):
            if allowed(text, at):
                return at
    return limit
