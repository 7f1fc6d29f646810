"""What stands around the excerpts of a result in the stored sources, for reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ..capabilities.answers.research_models import ResearchResult, ResultCitation
from ..evidence.excerpts import without_marks
from .recut import RecutSource

__all__ = ["Surroundings", "surroundings_of"]

_MOST: Final = 240


class Surroundings(NamedTuple):
    """The text before and behind an excerpt; empty where it is at the edge of what was read."""

    before: str
    behind: str


def surroundings_of(result: ResearchResult, sources: Sequence[RecutSource]) -> tuple[Surroundings, ...]:
    """For every citation up to 240 characters on each side, cut between words; of accepted sources alone."""
    return tuple(_around(citation, sources) for citation in result.citations)


def _around(citation: ResultCitation, sources: Sequence[RecutSource]) -> Surroundings:
    place, excerpt = citation.evidence, without_marks(citation.raw_excerpt)
    for one in sources:
        if place is None or one.withheld or one.locator != citation.locator or place.start < one.start:
            continue
        low = place.start - one.start
        high = low + len(excerpt)
        if one.text[low:high] != excerpt:
            continue
        before, behind = one.text[max(0, low - _MOST) : low], one.text[high : high + _MOST]
        if low > _MOST:
            before = f"... {before.partition(' ')[2]}"
        if high + _MOST < len(one.text):
            behind = f"{behind.rpartition(' ')[0]} ..."
        return Surroundings(before, behind)
    return Surroundings("", "")
