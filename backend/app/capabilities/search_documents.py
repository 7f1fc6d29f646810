"""Search the user's own documents: the ranked passages for a query, without asking whether they answer it."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from ..kernel.calls import Batch, Done, ToolCall
from ..kernel.capability import Capability
from ..kernel.noun import Noun
from ..kernel.outcome import SoFar
from ..kernel.request import Grant, ResearchRequest
from ..kernel.results import SourceKind
from .arguments import owned_collection, read_arguments

__all__ = ["SEARCH_DOCUMENTS", "SearchDocumentsInput", "SearchDocumentsPlan"]


class SearchDocumentsInput(Noun):
    """Arguments beyond the query."""

    limit: Annotated[int, Field(ge=1, le=20)] = 10


class SearchDocumentsPlan(Noun):
    """One call, whatever it finds."""

    query: str
    limit: int

    @property
    def counts(self) -> tuple[SourceKind, ...]:
        """A search is content with passages and hits (R21)."""
        return (SourceKind.PASSAGE, SourceKind.HIT)

    def next_step(self, grant: Grant, so_far: SoFar) -> Batch | Done:
        """The look-up, then the end."""
        if so_far.outcomes:
            return Done(why="complete")
        params = (("query", self.query), ("limit", self.limit), ("min_coverage_milli", 0))
        return Batch(calls=(ToolCall(call_id="search-1", tool="doc_lookup", params=params),))


def _plan(request: ResearchRequest) -> SearchDocumentsPlan:
    owned_collection(request)
    given = read_arguments(SearchDocumentsInput, request)
    return SearchDocumentsPlan(query=request.question, limit=given.limit)


SEARCH_DOCUMENTS: Final = Capability(
    name="search_documents",
    kind="retrieve",
    effect="none",
    description="Lists the best passages of the user's own documents for a query.",
    plan=_plan,
)
