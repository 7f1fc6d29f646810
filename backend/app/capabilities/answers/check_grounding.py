"""Check a written text against its sources: coverage per claim, and what no cited source holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final

from pydantic import Field

from ...evidence.answering.answer_templates import differ, fixed_texts, is_template
from ...evidence.excerpts import without_marks
from ...evidence.grounding.claims_check import GroundingReport, SourceText, check_grounding
from ...kernel.capability import Capability, Example, Ports
from ...kernel.failure import ErrorDetail, Failure
from ...kernel.models import FrozenModel, Text
from ...kernel.ports import ShownSources
from ...kernel.request import Principal
from .research_models import ResearchResult

__all__ = ["CHECK_GROUNDING", "CheckGroundingInput"]


class BundleSource(FrozenModel):
    """A source as a caller has it; its number is its place in the bundle, from 1."""

    text: Text
    title: Text = ""
    locator: Text = ""


class CheckGroundingInput(FrozenModel):
    """A text with markers such as `[1]`, and its sources: a list, a whole research result, or the id of a session."""

    text: Annotated[Text, Field(max_length=100_000)]
    session_or_bundle: Annotated[
        tuple[BundleSource, ...] | ResearchResult | Annotated[str, Field(min_length=1, max_length=128)],
        Field(alias="sessionOrBundle"),
    ]


async def serve(given: CheckGroundingInput, ports: Ports, principal: Principal) -> GroundingReport | Failure:
    """Coverage and findings, with offsets into the text; a session is one of the caller's own that has ended."""
    bundle = given.session_or_bundle
    fixed: Callable[[str], bool] = is_template
    if isinstance(bundle, str):
        shown: ShownSources | None = ports["sessions"](bundle)
        if shown is None:
            return _NO_SESSION
        sources = shown.texts
        if shown.labels:
            fixed = _one_of(fixed_texts(shown.labels))
    elif isinstance(bundle, ResearchResult):
        sources = tuple((without_marks(one.raw_excerpt), one.title or "") for one in bundle.citations)
    else:
        sources = tuple((one.text, one.title) for one in bundle)
    numbered = [SourceText(number=at, text=text, title=title) for at, (text, title) in enumerate(sources, start=1)]
    return check_grounding(given.text, numbered, fixed=fixed, lead=differ())


def _one_of(texts: frozenset[str]) -> Callable[[str], bool]:
    def is_one(sentence: str) -> bool:
        return sentence in texts

    return is_one


_NO_SESSION: Final = Failure(
    message="there is no finished session of yours with this id",
    error=ErrorDetail(kind="not_found", retryable=False, suggested_action="fix_arguments"),
)
CHECK_GROUNDING: Final = Capability(
    name="check_grounding",
    family="answers",
    title="Check a text against its sources",
    description="Says claim by claim how much of it the cited sources hold; coverage, never a verdict.\n"
    "Use it on a text with [n] marks and its sources. Not to learn whether a claim is true: it compares words.",
    kind="store",
    needs=("sessions",),
    input=CheckGroundingInput,
    output=GroundingReport,
    example=Example(
        {"text": "The tide is high in the sound. [1]", "sessionOrBundle": [{"text": "The tide is high."}]}, "claims"
    ),
    serve=serve,
)
