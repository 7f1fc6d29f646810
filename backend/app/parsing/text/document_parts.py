"""What a format's reader hands on: visible text with headings, and the parts that a reader would not see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .passages import Heading

__all__ = ["MOST_HIDDEN_BYTES", "DocumentParts", "HiddenParts", "ParsedDocument"]

MOST_HIDDEN_BYTES: Final = 200_000
"""All hidden text of a document goes before the screen with its passages, so it must fit into an answer."""


@dataclass(frozen=True, slots=True)
class DocumentParts:
    """A document as its reader saw it."""

    title: str
    text: str
    headings: tuple[Heading, ...]
    hidden: tuple[str, ...]
    too_much_hidden: bool = False
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document's derived text and what stands in it; the title is empty where the text names none."""

    title: str
    text: str
    headings: tuple[Heading, ...]
    hidden: tuple[str, ...]
    carriers_removed: int
    content_hash: str
    text_hash: str
    truncated: bool = False
    """Whether the text goes on in the document."""
    charset_guessed: bool = False


class HiddenParts:
    """Collects all hidden text once, up to its bound; a page that hides more than that is not worth reading."""

    def __init__(self) -> None:
        self._parts: dict[str, None] = {}
        self._bytes = 0

    @property
    def too_much(self) -> bool:
        """Whether some hidden text was not kept."""
        return self._bytes > MOST_HIDDEN_BYTES

    def add(self, text: str) -> None:
        """Keeps one hidden part; blank ones say nothing."""
        if self.too_much:
            return
        part = " ".join(text.split())
        if part and part not in self._parts:
            self._bytes += len(part.encode("utf-8", "replace"))
            if not self.too_much:
                self._parts[part] = None

    def frozen(self) -> tuple[str, ...]:
        """What was collected, in reading order."""
        return tuple(self._parts)
