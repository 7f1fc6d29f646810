"""Asking: what a question may cost, its progress in words, and the answer in pieces with its chips."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from ....capabilities.answers.research_input import Depth, ResearchInput, limits_of
from ....capabilities.answers.research_models import ResearchConstraints, ResearchResult
from ....capabilities.answers.research_plan import DOCUMENTS, PAGES, PRICES, SEARCH
from ....front.researcher import ResearchEvent
from ....kernel.caps import PolicyCaps
from .shown_words import millis, visible

__all__ = [
    "AnswerLine",
    "AnswerPiece",
    "AnswerView",
    "GapRow",
    "answer_of",
    "constraints_for",
    "depth_of",
    "estimate_text",
    "step_text",
]

_MARK: Final = re.compile(r"\[(\d{1,3})\]")
_DEPTHS: Final[tuple[Depth, ...]] = ("shallow", "balanced", "deep")
_PAGES_PER_FACET: Final = 3
_TOOLS: Final = {
    DOCUMENTS: "looked into the documents",
    SEARCH: "searched the web",
    PAGES: "read a page",
}


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """Words, or the chip of a source."""

    text: str
    chip: int | None = None


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One line of the answer; `kind` is `text`, `head` or `note`."""

    kind: str
    pieces: tuple[AnswerPiece, ...]


@dataclass(frozen=True, slots=True)
class GapRow:
    """What was not resolved."""

    topic: str
    category: str
    detail: str
    next_action: str


@dataclass(frozen=True, slots=True)
class AnswerView:
    """What came out."""

    lines: tuple[AnswerLine, ...]
    gaps: tuple[GapRow, ...]
    confidence: str
    tokens: str
    rounds: int
    cited: int


def depth_of(text: str) -> Depth:
    """The depth that was chosen; balanced where none was."""
    return next((one for one in _DEPTHS if one == text), "balanced")


def constraints_for(depth: Depth, *, documents_only: bool) -> ResearchConstraints | None:
    """The limits of a depth, narrowed to documents where that was asked for."""
    if not documents_only:
        return None
    return ResearchConstraints.model_validate({**limits_of(depth), "source_filter": "documents"})


def estimate_text(question: str, depth: Depth, caps: PolicyCaps | None, *, documents_only: bool, web: bool) -> str:
    """What it costs at least and at most, before it is asked."""
    if caps is None:
        return "Your tier has no research here; the request would stop before the first call."
    cap = caps.budget_units_clamp
    try:
        given = ResearchInput(
            question=question,
            depth=depth,
            constraints=constraints_for(depth, documents_only=documents_only),
        )
    except ValidationError:
        return f"At most {cap:,} units and {caps.max_tool_calls_total} calls."
    plan = given.plan()
    parts = sum(not facet.known for facet in plan.facets)
    per_round = PRICES[DOCUMENTS]
    if web and not documents_only:
        per_round += PRICES[SEARCH] + _PAGES_PER_FACET * PRICES[PAGES]
    least, most = parts * PRICES[DOCUMENTS], min(cap, parts * per_round * plan.max_iterations)
    said = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    noun = "unit" if said == "1" else "units"
    what = "1 part" if parts == 1 else f"{parts} parts"
    return (
        f"Estimate: {said} {noun} for {what}, in at most {millis(caps.total_research_timeout_ms)} (cap {cap:,} units)."
    )


def step_text(event: ResearchEvent) -> str:
    """One step of the progress; numbers and tools, never a word of a source (R14)."""
    match event.kind:
        case "started":
            return f"Started: up to {event.calls_left} calls, {event.units_left:,} units, {millis(event.remaining_ms)}"
        case "batch":
            left = f"{event.calls_left} calls, {event.units_left:,} units, {millis(event.remaining_ms)} left"
            return f"Next batch: {left}"
        case "call":
            did = _TOOLS.get(event.tool, event.tool)
            found = "1 source" if event.accepted == 1 else f"{event.accepted} sources"
            part = f"Round {event.iteration}, part {event.facet}: " if event.iteration else ""
            ended = event.status.replace("_", " ")
            return f"{part}{did}: {ended}, {found}"
        case "result":
            return "Ended"


def answer_of(result: ResearchResult) -> AnswerView:
    """The answer, cut at its markers; a marker without a citation stays text."""
    return AnswerView(
        lines=tuple(_line(line, len(result.citations)) for line in result.answer.split("\n") if line.strip()),
        gaps=tuple(
            GapRow(
                visible(gap.topic),
                gap.category.value.replace("_", " "),
                visible(gap.detail),
                visible(gap.next_action or ""),
            )
            for gap in result.gaps
        ),
        confidence=f"{result.confidence:.2f}",
        tokens=f"{result.cost_metadata.tokens_used:,}",
        rounds=result.cost_metadata.iterations_run,
        cited=len(result.citations),
    )


def _line(line: str, citations: int) -> AnswerLine:
    pieces = tuple(_pieces(line, citations))
    if any(piece.chip is not None for piece in pieces):
        return AnswerLine("text", pieces)
    return AnswerLine("head" if line.rstrip().endswith((":", "?")) else "note", pieces)


def _pieces(line: str, citations: int) -> Iterator[AnswerPiece]:
    at = 0
    for match in _MARK.finditer(line):
        number = int(match[1])
        if not 1 <= number <= citations:
            continue
        if match.start() > at:
            yield AnswerPiece(visible(line[at : match.start()]).rstrip(" "))
        yield AnswerPiece("", number)
        at = match.end()
    if at < len(line):
        yield AnswerPiece(visible(line[at:]))
