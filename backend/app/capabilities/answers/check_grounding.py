"""Check a written text against its sources: coverage per claim, and what no cited source holds."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from ...evidence.excerpts import without_marks
from ...evidence.grounding.claims_check import GroundingReport, SourceText, check_grounding
from ...kernel.capability import Capability, Example
from ...kernel.models import FrozenModel, Text
from .research_models import ResearchResult

__all__ = ["CHECK_GROUNDING", "CheckGroundingInput"]


class BundleSource(FrozenModel):
    """A source as a caller has it; its number is its place in the bundle, from 1."""

    text: Text
    title: Text = ""
    locator: Text = ""


class CheckGroundingInput(FrozenModel):
    """A text with markers such as `[1]`, and its sources: a list, or a whole research result."""

    text: Annotated[Text, Field(max_length=100_000)]
    session_or_bundle: Annotated[tuple[BundleSource, ...] | ResearchResult, Field(alias="sessionOrBundle")]


def compute(given: CheckGroundingInput) -> GroundingReport:
    """Coverage and findings, with offsets into the text."""
    bundle = given.session_or_bundle
    if isinstance(bundle, ResearchResult):
        sources = [(without_marks(one.raw_excerpt), one.title or "") for one in bundle.citations]
    else:
        sources = [(one.text, one.title) for one in bundle]
    numbered = [SourceText(number=at, text=text, title=title) for at, (text, title) in enumerate(sources, start=1)]
    return check_grounding(given.text, numbered)


CHECK_GROUNDING: Final = Capability(
    name="check_grounding",
    family="answers",
    title="Check a text against its sources",
    description="Says claim by claim how much of it the cited sources hold; coverage, never a verdict.\n"
    "Use it on a text with [n] marks and its sources. Not to learn whether a claim is true: it compares words.",
    kind="compute",
    input=CheckGroundingInput,
    output=GroundingReport,
    example=Example(
        {"text": "The tide is high in the sound. [1]", "sessionOrBundle": [{"text": "The tide is high."}]}, "claims"
    ),
    compute=compute,
)
