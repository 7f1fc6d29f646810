"""Ask the user's own documents: one ranked look-up, one broader look-up when the first finds nothing."""

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

__all__ = ["ASK_DOCUMENTS", "AskDocumentsInput", "AskDocumentsPlan"]

TOOL: Final = "doc_lookup"
# A page that holds three fifths of the question's weighted words is about it. One that holds two fifths may still
# help; below that, one shared word out of three would make any page an answer.
_COVERAGE_STEPS_MILLI: Final = (600, 400)
_WORST_UNITS_PER_CALL: Final = 1


class AskDocumentsInput(Noun):
    """Arguments beyond the question."""

    limit: Annotated[int, Field(ge=1, le=20)] = 5


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


def _plan(request: ResearchRequest) -> AskDocumentsPlan:
    owned_collection(request)
    given = read_arguments(AskDocumentsInput, request)
    return AskDocumentsPlan(question=request.question, limit=given.limit)


ASK_DOCUMENTS: Final = Capability(
    name="ask_documents",
    kind="retrieve",
    effect="none",
    description="Finds passages in the user's own documents that speak to a question.",
    plan=_plan,
)
