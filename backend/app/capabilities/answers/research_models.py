"""The models of the research contract v1, exactly; our additions are optional fields (docs/research.md)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, model_validator

from ...evidence.excerpts import EXCERPT_CHARS_MAX, without_marks
from ...kernel.models import Digest, FrozenModel, Text

__all__ = [
    "CONTRACT_VERSION",
    "NON_TEXT",
    "ConfidenceFactors",
    "CostMetadata",
    "DiscoveryEvent",
    "EvidencePointer",
    "GapCategory",
    "OpenQuestion",
    "ResearchConstraints",
    "ResearchResult",
    "ResultCitation",
    "ResultGap",
]

CONTRACT_VERSION: Final = "v1"
NON_TEXT: Final = "[non-text source]"
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class ResearchConstraints(FrozenModel):
    """What a caller allows at most; it only narrows the grant."""

    model_config = ConfigDict(json_schema_extra={"x-contract-version": CONTRACT_VERSION})

    max_iterations: Annotated[int, Field(ge=1, le=25)] = 5
    token_budget: Annotated[int, Field(ge=1, le=1_000_000)] = 20_000
    max_sources: Annotated[int, Field(ge=0, le=100)] = 10
    source_filter: Annotated[Text, Field(max_length=1_000)] | None = None
    """Domains to search, `-host` to exclude one before anything is read, or `documents` for documents only."""


class EvidencePointer(FrozenModel):
    """Where an excerpt stands: the slice from `start` to `end` of a derived text, and the bytes of that text."""

    content_hash: Digest
    text_hash: Digest
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]


class ResultCitation(FrozenModel):
    """A source that was read, with a verbatim excerpt."""

    model_config = ConfigDict(title="Citation")

    source: Text
    locator: Text
    title: Text | None
    snippet: Text | None
    raw_excerpt: Annotated[Text, Field(max_length=EXCERPT_CHARS_MAX)]
    confidence: Share
    evidence: EvidencePointer | None = None

    @model_validator(mode="after")
    def _as_long_as_its_place(self) -> ResultCitation:
        place = self.evidence
        if place is None or self.raw_excerpt == NON_TEXT:
            return self
        if place.end - place.start != len(without_marks(self.raw_excerpt)):
            raise ValueError("the excerpt is not as long as its place")
        return self


class GapCategory(StrEnum):
    """Why something was not resolved."""

    SOURCE_NOT_FOUND = "source_not_found"
    ACCESS_DENIED = "access_denied"
    BUDGET_EXHAUSTED = "budget_exhausted"
    CONTRADICTORY_SOURCES = "contradictory_sources"
    SCOPE_EXCEEDED = "scope_exceeded"


class ResultGap(FrozenModel):
    """What was not resolved, why, and what would help at which price."""

    model_config = ConfigDict(title="Gap")

    topic: Text
    category: GapCategory
    detail: Text
    next_action: Text | None = None
    price_units: Annotated[int, Field(ge=0)] | None = None


class DiscoveryEvent(FrozenModel):
    """Something read that belongs to another researcher."""

    type: Literal["related_research", "new_source", "contradiction"]
    suggested_researcher: Text | None
    query: Text
    reason: Text
    source_locator: Text | None


class OpenQuestion(FrozenModel):
    """A question that something read has raised."""

    question: Text
    context: Text
    priority: Literal["high", "medium", "low"]
    source_locator: Text | None


class ConfidenceFactors(FrozenModel):
    """What the confidence was made of."""

    num_corroborating_sources: Annotated[int, Field(ge=0)]
    source_authority: Literal["high", "medium", "low"]
    contradiction_detected: bool
    query_specificity_match: Share
    budget_exhausted: bool
    recency: Literal["current", "recent", "dated"] | None


class CostMetadata(FrozenModel):
    """What it cost."""

    tokens_used: Annotated[int, Field(ge=0)]
    iterations_run: Annotated[int, Field(ge=0)]
    wall_time_sec: Annotated[float, Field(ge=0.0)]
    budget_exhausted: bool
    model_id: Text


class ResearchResult(FrozenModel):
    """What `research()` returns."""

    model_config = ConfigDict(json_schema_extra={"x-contract-version": CONTRACT_VERSION})

    answer: Text
    citations: tuple[ResultCitation, ...]
    gaps: tuple[ResultGap, ...]
    discovery_events: tuple[DiscoveryEvent, ...]
    open_questions: tuple[OpenQuestion, ...]
    confidence: Share
    confidence_factors: ConfidenceFactors
    cost_metadata: CostMetadata
    trace_id: Text
