"""What a format's reader hands on: visible text with headings, and the parts that a reader would not see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .passages import Heading

__all__ = ["HiddenParts", "Sketch"]

_LONGEST_PART: Final = 2_000
_MOST_PARTS: Final = 32


@dataclass(frozen=True, slots=True)
class Sketch:
    """A document as its reader saw it."""

    title: str
    text: str
    headings: tuple[Heading, ...]
    hidden: tuple[str, ...]


class HiddenParts:
    """Collects hidden text up to its bounds, since a page may hide more than it shows."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def add(self, text: str) -> None:
        """Keeps the start of one hidden part; blank ones say nothing."""
        part = " ".join(text[: 4 * _LONGEST_PART].split())
        if part and len(self._parts) < _MOST_PARTS:
            self._parts.append(part[:_LONGEST_PART])

    def frozen(self) -> tuple[str, ...]:
        """What was collected, in reading order."""
        return tuple(self._parts)
