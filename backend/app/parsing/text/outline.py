"""Writes a text from blocks and remembers where its headings are."""

from __future__ import annotations

import re
from typing import Final

from .document_parts import DocumentParts, HiddenParts
from .passages import Heading

__all__ = ["Outline"]

# A terminal would obey them, and a half of a pair cannot be stored; line ends and tabs are white space here.
_CONTROLS: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


class Outline:
    """Blocks apart by blank lines, up to a length; what comes after that is left out and said so."""

    def __init__(self, longest: int = 4_000_000) -> None:
        self._longest = longest
        self._parts: list[str] = []
        self._headings: list[Heading] = []
        self._length = 0
        self.hidden = HiddenParts()
        self.truncated = False

    def block(self, text: str, level: int = 0) -> None:
        """Add a paragraph, or a heading of a level; blank ones say nothing."""
        lines = (" ".join(line.split()) for line in _CONTROLS.sub("", text).split("\n"))
        said = "\n".join(line for line in lines if line)
        if not said or self.truncated:
            return
        gap = "\n\n" if self._length else ""
        if self._length + len(gap) + len(said) > self._longest:
            self.truncated = True
            return
        start = self._length + len(gap)
        self._parts.append(gap + said)
        self._length = start + len(said)
        if level:
            title = " ".join(said.split())
            self._headings.append(Heading(min(level, 6), title, start, self._length))

    def sketch(self, title: str = "") -> DocumentParts:
        """What was written."""
        return DocumentParts(
            title=title or (self._headings[0].title if self._headings else ""),
            text="".join(self._parts),
            headings=tuple(self._headings),
            hidden=self.hidden.frozen(),
            too_much_hidden=self.hidden.too_much,
            truncated=self.truncated,
        )
