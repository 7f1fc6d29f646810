"""The answerer: words a grounded result through a model, and gives the extractive text where that does not hold."""

from __future__ import annotations

from dataclasses import dataclass

from ..capabilities.answers.research_models import CostMetadata, ResearchResult
from ..kernel.canonical import sha256_hex
from ..kernel.models import FrozenModel, Text
from ..kernel.ports import Ids
from .evidence_sentences import evidence_of
from .model_endpoint import ModelClient, ModelUnavailable
from .prompt import messages_for
from .written_lines import judge_lines

__all__ = ["Answerer", "WrittenAnswer", "worded_from"]


class WrittenAnswer(FrozenModel):
    """What became of a result: its text by the model, or the extractive text and why."""

    result: ResearchResult
    by_model: bool
    why_not: Text = ""
    """Why the extractive text stayed: no citation, the endpoint's fault, or too many lines that do not hold."""
    kept_lines: int = 0
    dropped: tuple[tuple[Text, int], ...] = ()
    """How many lines were dropped, by reason."""
    written: Text = ""
    """The digest of what the model wrote; empty where it wrote nothing."""
    said: str = ""
    """What the model wrote, for who keeps it under its digest."""
    code: Text = ""
    """Why the extractive text stayed, in one word: for meters."""


@dataclass(frozen=True, slots=True)
class Answerer:
    """Asks the operator's model once per answer, after the verdict."""

    client: ModelClient
    ids: Ids

    async def write(self, question: str, result: ResearchResult) -> WrittenAnswer:
        """The result with the model's sentences as its answer; citations and everything else stay as they are."""
        evidence = evidence_of(result)
        if not evidence:
            return WrittenAnswer(result=result, by_model=False, why_not="nothing to write from", code="no_evidence")
        mark = f"<<{sha256_hex(self.ids.session_id().encode())[:24]}>>"
        try:
            said = await self.client.complete(messages_for(question, evidence, mark))
        except ModelUnavailable as exc:
            why = f"the model was not available ({exc.kind})"
            return WrittenAnswer(result=result, by_model=False, why_not=why, code=exc.kind)
        return worded_from(said, self.client.name, result)


def worded_from(said: str, model: str, result: ResearchResult) -> WrittenAnswer:
    """What becomes of a result by what a model has written: the same each time, and judged each time."""
    judged = judge_lines(said, evidence_of(result))
    digest = sha256_hex(said.encode())
    if not judged.usable:
        return WrittenAnswer(
            result=result,
            by_model=False,
            why_not="too many lines of the model do not hold",
            kept_lines=len(judged.kept),
            dropped=judged.dropped,
            written=digest,
            said=said,
            code="lines_dropped",
        )
    cost = CostMetadata.model_validate({**dict(result.cost_metadata), "model_id": model})
    worded = ResearchResult.model_validate({**dict(result), "answer": judged.text, "cost_metadata": cost})
    return WrittenAnswer(
        result=worded,
        by_model=True,
        kept_lines=len(judged.kept),
        dropped=judged.dropped,
        written=digest,
        said=said,
    )
