"""Ask the user's own documents: one ranked look-up, one broader look-up when the first finds nothing."""

from __future__ import annotations

from typing import Final

from ...kernel.calls import Batch, Done, ToolCall
from ...kernel.capability import Capability
from ...kernel.noun import Noun
from ...kernel.outcome import ResearchOutcome, SoFar
from ...kernel.request import Grant, ResearchRequest
from ...kernel.results import SourceKind
from ..arguments import Limit, OwnedCollection, Question
from .passages import PassagesOutput, passages_of

__all__ = ["ASK_DOCUMENTS", "AskDocumentsInput", "AskDocumentsPlan"]

TOOL: Final = "doc_lookup"
# A page that holds three fifths of the question's weighted words is about it. One that holds two fifths may still
# help; below that, one shared word out of three would make any page an answer.
_COVERAGE_STEPS_MILLI: Final = (600, 400)
_WORST_UNITS_PER_CALL: Final = 1
_HINTS: Final = (
    "use words that the documents would use",
    "name the topic, the period or the kind of source",
)


class AskDocumentsInput(Noun):
    """A question, and how many passages at most."""

    question: Question
    collection: OwnedCollection = "documents"
    limit: Limit = 5


class AskDocumentsPlan(Noun):
    """At most two calls, fixed beforehand: the second only when the first brought nothing."""

    question: str
    limit: int

    @property
    def counts(self) -> tuple[SourceKind, ...]:
        """Passages make the answer (R21)."""
        return (SourceKind.PASSAGE, SourceKind.FETCHED)

    def next_step(self, grant: Grant, so_far: SoFar) -> Batch | Done:
        """The next look-up, or the end."""
        if so_far.sources:
            return Done(why="complete")
        done = len(so_far.outcomes)
        if done == len(_COVERAGE_STEPS_MILLI):
            return Done(why="no_gain")
        # R4: near its limits a plan ends itself; the first call is asked for in any case.
        if done and (so_far.calls_left < 1 or so_far.units_left < _WORST_UNITS_PER_CALL):
            return Done(why="limit")
        call = ToolCall(
            call_id=f"lookup-{done + 1}",
            tool=TOOL,
            params=(
                ("query", self.question),
                ("limit", self.limit),
                ("min_coverage_milli", _COVERAGE_STEPS_MILLI[done]),
            ),
        )
        return Batch(calls=(call,))


def plan(given: AskDocumentsInput, request: ResearchRequest) -> AskDocumentsPlan:
    """The look-ups for a question."""
    return AskDocumentsPlan(question=given.question, limit=given.limit)


def result(given: AskDocumentsInput, outcome: ResearchOutcome) -> PassagesOutput:
    """The passages that speak to the question."""
    return passages_of(outcome, _HINTS)


ASK_DOCUMENTS: Final = Capability(
    name="ask_documents",
    family="documents",
    title="Ask your documents",
    description="Finds passages in the user's own documents that speak to a question.",
    kind="retrieve",
    input=AskDocumentsInput,
    output=PassagesOutput,
    tools=(TOOL,),
    hints=_HINTS,
    plan=plan,
    result=result,
)
