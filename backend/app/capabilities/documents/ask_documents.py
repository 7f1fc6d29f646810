"""Ask the user's own documents: the passages that speak to a question, or none."""

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

__all__ = ["ASK_DOCUMENTS", "AskDocumentsInput"]

TOOL: Final = "doc_lookup"
_HINTS: Final = (
    "use words that the documents would use",
    "name the topic, the period or the kind of source",
)


class AskDocumentsInput(FrozenModel):
    """A question, and how many passages at most."""

    question: Question
    collection: OwnedCollection = "documents"
    limit: Limit = 5


def plan(given: AskDocumentsInput, request: ResearchRequest) -> OneCallPlan:
    """One ranked look-up; the gate turns away what is about something else. Passages make the answer (R21)."""
    params = (("query", given.question), ("limit", given.limit))
    call = ToolCall(call_id="lookup-1", tool=TOOL, params=params, about=given.question)
    return OneCallPlan(call=call, counts=(SourceKind.PASSAGE, SourceKind.FETCHED))


def result(given: AskDocumentsInput, outcome: ResearchOutcome) -> PassagesOutput:
    """The passages that speak to the question."""
    return passages_of(outcome, _HINTS)


ASK_DOCUMENTS: Final = Capability(
    name="ask_documents",
    family="documents",
    title="Ask your documents",
    description="Finds passages in the user's own documents that speak to a question.\n"
    "Use it for a question that these documents may answer. Not for all that mentions a word: search_documents.",
    kind="retrieve",
    input=AskDocumentsInput,
    output=PassagesOutput,
    example=Example({"question": "How long should sourdough proof in the fridge?"}, "passages"),
    tools=(TOOL,),
    hints=_HINTS,
    plan=plan,
    result=result,
)
