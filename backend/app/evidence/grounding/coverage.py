"""Coverage: how much of a question or claim a source speaks to. It says `addressed`, never `true`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from ...kernel.results import Source
from .bearing import ENOUGH_MILLI, Bearing, bearing_of

__all__ = ["Coverage", "bearing_on", "coverage_of", "covers", "documents_held_milli"]

Coverage = Literal["addressed", "partially_addressed", "not_addressed", "source_unavailable"]
_PARTLY_MILLI: Final = 300


def bearing_on(question: str, source: Source, beside: str = "") -> Bearing:
    """How far a source speaks to a question, together with other passages of its document."""
    said = dict(source.metadata)
    heading, columns = said.get("heading", ""), said.get("columns", "")
    return bearing_of(question, source.title, heading, source.text, {}, beside, columns)


def documents_held_milli(question: str, sources: Sequence[Source]) -> tuple[int, ...]:
    """How much of a question each document holds, in the order in which they were read."""
    texts: dict[str, list[Source]] = {}
    for source in sources:
        texts.setdefault(source.text_hash, []).append(source)
    return tuple(
        bearing_on(question, first, "\n".join(one.text for one in others)).held_milli
        for first, *others in texts.values()
    )


def covers(question: str, source: Source) -> bool:
    """True if a source speaks to a question."""
    return bearing_on(question, source).milli >= ENOUGH_MILLI


def coverage_of(held_milli: int | None) -> Coverage:
    """The word for a share of a claim's words that its sources hold; None where no source could be read."""
    if held_milli is None:
        return "source_unavailable"
    if held_milli >= ENOUGH_MILLI:
        return "addressed"
    return "partially_addressed" if held_milli >= _PARTLY_MILLI else "not_addressed"
