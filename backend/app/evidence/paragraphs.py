"""Paragraphs that several sources share word for word: the first occurrence stays, the others are left out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["without_repeats"]

_BREAK: Final = re.compile(r"\n\s*\n")
_SHORTEST: Final = 20
"""A heading is no repetition."""


def without_repeats(texts: Iterable[str]) -> tuple[tuple[str, ...], int]:
    """The texts without paragraphs that stand in one before, and how many were left out; white space does not count."""
    seen: set[str] = set()
    kept: list[str] = []
    dropped = 0
    for text in texts:
        parts: list[str] = []
        for paragraph in _BREAK.split(text):
            said = " ".join(paragraph.split())
            if len(said) >= _SHORTEST and said in seen:
                dropped += 1
                continue
            seen.add(said)
            parts.append(paragraph)
        kept.append("\n\n".join(parts).strip("\n"))
    return tuple(kept), dropped
