"""Compares two research results: which sources came, went, or say something else now."""

from __future__ import annotations

from ..capabilities.answers.research_models import ResearchResult, ResultCitation
from ..kernel.models import FrozenModel

__all__ = ["SourceChange", "SourceChanges", "changes_between"]


class SourceChange(FrozenModel):
    """One document or page that is not the same in both."""

    locator: str
    change: str
    before: str | None = None
    after: str | None = None


class SourceChanges(FrozenModel):
    """What differs between two results."""

    before: str
    after: str
    sources: tuple[SourceChange, ...]
    answer_changed: bool
    confidence_before: float
    confidence_after: float

    @property
    def same(self) -> bool:
        """True if no source changed and the answer is the same."""
        return not self.sources and not self.answer_changed


def changes_between(one: ResearchResult, other: ResearchResult) -> SourceChanges:
    """The changes from one result to another, by place; a passage that moved within an unchanged document is no
    change."""
    first, second = _hashes(one.citations), _hashes(other.citations)
    found: list[SourceChange] = []
    for place in sorted(first.keys() | second.keys()):
        before, after = first.get(place), second.get(place)
        if before == after:
            continue
        change = "added" if before is None else "removed" if after is None else "content changed"
        found.append(SourceChange(locator=place, change=change, before=before, after=after))
    return SourceChanges(
        before=one.trace_id,
        after=other.trace_id,
        sources=tuple(found),
        answer_changed=one.answer != other.answer,
        confidence_before=one.confidence,
        confidence_after=other.confidence,
    )


def _hashes(citations: tuple[ResultCitation, ...]) -> dict[str, str | None]:
    """The content hash by place; the offsets behind `#` are of the passage, not of the document."""
    found: dict[str, str | None] = {}
    for citation in citations:
        place = citation.locator.partition("#")[0] if citation.source == "file" else citation.locator
        found.setdefault(place, None if citation.evidence is None else citation.evidence.content_hash)
    return found
