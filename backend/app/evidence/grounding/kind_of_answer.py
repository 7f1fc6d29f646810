"""The kind of answer that a question asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .kind_patterns import STANDS_FOR

__all__ = ["AskedKind"]

_ABOVE: Final = ("moment", "version")
_STRICT: Final = ("age", "length", "long", "money", "time", "weight")


@dataclass(frozen=True, slots=True)
class AskedKind:
    """The kind of an answer; `nouns` are what a question counts, each with its other names."""

    name: str
    nouns: tuple[str, ...] = ()
    question: str = ""

    @property
    def is_strict(self) -> bool:
        """True for kinds that a text without one cannot answer."""
        return self.name in _STRICT

    @property
    def may_stand_above(self) -> bool:
        """True for kinds that the heading over a sentence gives: the release that its changes stand under."""
        return self.name in _ABOVE

    def stands_for(self, word: str) -> bool:
        """True if an answer of this kind says what this word of the question asks: `cost` by an amount of money."""
        return STANDS_FOR[self.name].match(word) is not None
