"""A sentence that an answer is made of: a place in a source, for one facet, with its score."""

from __future__ import annotations

from dataclasses import dataclass

from ...kernel.results import Source

__all__ = ["PickedSentence"]


@dataclass(frozen=True, slots=True)
class PickedSentence:
    """One sentence of a source, or two that belong together: `source.text[low:high]`."""

    source: Source
    low: int
    high: int
    facet: int
    score: int
    rank: int
    """The place of its document among those that were read, from 0."""
    speaks: bool
    """True if its source by itself answers the facet; the others stand beside one that does."""
    columns: tuple[int, int] = (0, 0)
    """Of a row: where the headings of its table stand in the source."""

    @property
    def text(self) -> str:
        """What it says, on one line."""
        return " ".join(self.source.text[self.low : self.high].split())
