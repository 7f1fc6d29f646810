"""Search the user's own documents: the ranked passages for a query, without asking whether they answer it."""

from __future__ import annotations

from typing import Final

from ...kernel.calls import ToolCall
from ...kernel.capability import Capability, Example
from ...kernel.models import FrozenModel
from ...kernel.outcome import ResearchOutcome
from ...kernel.request import ResearchRequest
from ...kernel.results import SourceKind
from ..arguments import Limit, OwnedCollection, Question
from ..plans import OneCallPlan
from .passages import PassagesOutput, passages_of

__all__ = ["SEARCH_DOCUMENTS", "SearchDocumentsInput"]


TOOL: Final = "doc_lookup"
_HINTS: Final = ("use fewer words", "use words that the documents would use")


class SearchDocumentsInput(FrozenModel):
    """Words to look for, and how many passages at most."""

    question: Question
    collection: OwnedCollection = "documents"
    limit: Limit = 10


def plan(given: SearchDocumentsInput, request: ResearchRequest) -> OneCallPlan:
    """The one look-up; a search is content with passages and hits (R21)."""
    params = (("query", given.question), ("limit", given.limit))
    call = ToolCall(call_id="search-1", tool=TOOL, params=params)
    return OneCallPlan(call=call, counts=(SourceKind.PASSAGE, SourceKind.HIT))


def result(given: SearchDocumentsInput, outcome: ResearchOutcome) -> PassagesOutput:
    """The passages, best first."""
    return passages_of(outcome, _HINTS)


SEARCH_DOCUMENTS: Final = Capability(
    name="search_documents",
    family="documents",
    title="Search your documents",
    description="Lists the best passages of the user's own documents for a query.\n"
    "Use it to find passages by their words. Not for a question that wants an answer: ask_documents.",
    kind="retrieve",
    input=SearchDocumentsInput,
    output=PassagesOutput,
    example=Example({"question": "rye starter"}, "passages"),
    tools=(TOOL,),
    hints=_HINTS,
    plan=plan,
    result=result,
)
