"""Compares two research results: which sources came, went, or say something else now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..capabilities.answers.research_models import ResearchResult, ResultCitation
from ..kernel.models import FrozenModel
from ..kernel.results import SourceKind
from .recut import RecutSource

__all__ = ["SourceChange", "SourceChanges", "changes_between", "places_read"]


class SourceChange(FrozenModel):
    """One document or page that is not the same in both."""

    locator: str
    change: str
    before: str | None = None
    after: str | None = None
    cited: bool = True
    """False for one that was read and that neither result cites."""


class SourceChanges(FrozenModel):
    """What differs between two results."""

    before: str
    after: str
    sources: tuple[SourceChange, ...]
    answer_changed: bool
    confidence_before: float
    confidence_after: float
    all_read: bool = False
    """Whether everything that the two sessions read was compared, not only what they cite."""

    @property
    def same(self) -> bool:
        """True if no source changed and the answer is the same."""
        return not self.sources and not self.answer_changed


def places_read(sources: Sequence[RecutSource]) -> dict[str, str]:
    """The content hash of every document and page that a session read, by its place."""
    read = (SourceKind.PASSAGE.value, SourceKind.FETCHED.value)
    return {_place(one.locator): one.content_hash for one in sources if one.kind in read}


def changes_between(
    one: ResearchResult,
    other: ResearchResult,
    read_one: Mapping[str, str] | None = None,
    read_other: Mapping[str, str] | None = None,
) -> SourceChanges:
    """The changes from one result to another, by place; a passage that moved within an unchanged document is no
    change. What was read beside the citations is compared where both sessions say it."""
    first, second = _hashes(one.citations), _hashes(other.citations)
    cited = first.keys() | second.keys()
    all_read = read_one is not None and read_other is not None
    if read_one is not None and read_other is not None:
        first, second = {**read_one, **first}, {**read_other, **second}
    found: list[SourceChange] = []
    for place in sorted(first.keys() | second.keys()):
        before, after = first.get(place), second.get(place)
        if before == after:
            continue
        change = "added" if before is None else "removed" if after is None else "content changed"
        found.append(SourceChange(locator=place, change=change, before=before, after=after, cited=place in cited))
    return SourceChanges(
        before=one.trace_id,
        after=other.trace_id,
        sources=tuple(found),
        answer_changed=one.answer != other.answer,
        confidence_before=one.confidence,
        confidence_after=other.confidence,
        all_read=all_read,
    )


def _hashes(citations: tuple[ResultCitation, ...]) -> dict[str, str | None]:
    """The content hash by place; the offsets behind `#` are of the passage, not of the document."""
    found: dict[str, str | None] = {}
    for citation in citations:
        place = _place(citation.locator)
        found.setdefault(place, None if citation.evidence is None else citation.evidence.content_hash)
    return found


def _place(locator: str) -> str:
    return locator.partition("#")[0] if locator.startswith("doc:") else locator
