"""Proof-carrying excerpts: a slice of an accepted source, and nothing else, can be cited (DESIGN 6)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ..kernel.errors import ContractViolation
from ..kernel.results import Source, SourceKind

__all__ = ["CUT_MARK", "EXCERPT_CHARS_MAX", "Excerpt", "can_be_cited", "without_marks"]

EXCERPT_CHARS_MAX: Final = 500
CUT_MARK: Final = "[...]"
_COUNTING: Final = (SourceKind.PASSAGE, SourceKind.FETCHED)
_MARKS: Final = re.compile(r"^\[\.\.\.\] | \[\.\.\.\]$")


def can_be_cited(source: Source) -> bool:
    """True if every character of the source's text has its place in the derived text that `text_hash` names."""
    return source.kind in _COUNTING and source.payload == "text" and source.end - source.start == len(source.text)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """`source.text[low:high]`. INVARIANT: what is not such a slice cannot be built, so it cannot be cited."""

    source: Source
    low: int
    high: int
    cut_before: bool = False
    cut_after: bool = False

    def __post_init__(self) -> None:
        if not can_be_cited(self.source):
            raise ContractViolation("an excerpt needs a source whose offsets hold")
        if not 0 <= self.low < self.high <= len(self.source.text) or len(self.shown) > EXCERPT_CHARS_MAX:
            raise ContractViolation("an excerpt is a slice of its source of at most 500 characters")

    @property
    def text(self) -> str:
        """The slice itself."""
        return self.source.text[self.low : self.high]

    @property
    def shown(self) -> str:
        """The slice with `[...]` at an end where a sentence was cut."""
        before = f"{CUT_MARK} " if self.cut_before else ""
        after = f" {CUT_MARK}" if self.cut_after else ""
        return f"{before}{self.text}{after}"

    @property
    def start(self) -> int:
        """Where it stands in the derived text."""
        return self.source.start + self.low

    @property
    def end(self) -> int:
        """Where it ends in the derived text."""
        return self.source.start + self.high


def without_marks(shown: str) -> str:
    """The slice of a shown excerpt, without its marks."""
    return _MARKS.sub("", shown)
