"""Passages of the user's own documents, as a caller gets them."""

from __future__ import annotations

from ...kernel.models import WireModel
from ...kernel.outcome import ResearchOutcome
from ...kernel.results import searched_for
from ...research.audience import for_caller

__all__ = ["Passage", "PassageGap", "PassagesOutput", "passages_of"]


class Passage(WireModel):
    """One verbatim passage: `text` is the slice from `start` to `end` of the stored text `textHash`."""

    source_id: str
    title: str
    locator: str
    text: str
    start: int
    end: int
    content_hash: str
    text_hash: str
    relevance_milli: int
    trust: str


class PassageGap(WireModel):
    """What could not be looked at, and why."""

    kind: str
    detail: str


class PassagesOutput(WireModel):
    """The passages, best first; none is an answer, too, and `hints` say what to try next."""

    text: str
    """The fixed text for the reader of a chat."""
    passages: tuple[Passage, ...]
    searched_for: tuple[str, ...] = ()
    """Words that the documents hold, looked for in place of words of the question that they do not."""
    gaps: tuple[PassageGap, ...] = ()
    hints: tuple[str, ...] = ()
    budget_exhausted: bool = False


def passages_of(outcome: ResearchOutcome, hints: tuple[str, ...]) -> PassagesOutput:
    """The output of a session over documents."""
    view = for_caller(outcome, hints)
    return PassagesOutput(
        text=view.text,
        passages=tuple(
            Passage(
                source_id=source.source_id,
                title=source.title,
                locator=source.locator,
                text=source.text,
                start=source.start,
                end=source.end,
                content_hash=source.content_hash,
                text_hash=source.text_hash,
                relevance_milli=source.relevance_milli,
                trust=source.trust,
            )
            for source in view.sources
        ),
        searched_for=searched_for(view.sources),
        gaps=tuple(PassageGap(kind=gap.kind, detail=gap.detail) for gap in view.gaps),
        hints=view.hints,
        budget_exhausted=view.budget_exhausted,
    )
