"""Sources as the console shows them: cut from the store again, marked in their lines of context, or red."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ....archive.recut import RecutSource
from ....capabilities.answers.research_models import NON_TEXT, ResearchResult, ResultCitation
from ....evidence.excerpts import without_marks
from .shown_words import short, visible

__all__ = ["MarkedPassage", "SourcePanel", "panels_of"]

_WEB: Final = re.compile(r"https?://[^\s\x00-\x1f\x7f\"<>]+")
_LINES: Final = 3
_LINE_CHARS: Final = 220
_MARKED_CHARS: Final = 1_200


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """The marked words between up to three lines before and behind."""

    before: str
    marked: str
    after: str


@dataclass(frozen=True, slots=True)
class SourcePanel:
    """One source. `verified` says that it was cut again just now and came out as recorded."""

    number: int
    cited: bool
    title: str
    locator: str
    href: str
    """Only of a web page; nothing else is a link."""
    heading: str
    tool: str
    call_id: str
    verified: bool
    status: str
    withheld: bool
    passages: tuple[MarkedPassage, ...]
    source_id: str
    content_hash: str
    text_hash: str
    place: str
    confidence: str


def panels_of(recut: Sequence[RecutSource], result: ResearchResult | None) -> tuple[SourcePanel, ...]:
    """What the answer cites first, under its numbers; then the rest."""
    citations = () if result is None else result.citations
    panels: list[SourcePanel] = []
    used: set[str] = set()
    for number, citation in enumerate(citations, start=1):
        source = _source_of(citation, recut)
        if source is not None:
            used.add(source.source_id)
        panels.append(_cited(number, citation, source))
    for source in recut:
        if source.source_id not in used:
            panels.append(_uncited(len(panels) + 1, source, answered=result is not None))
    return tuple(panels)


def _source_of(citation: ResultCitation, recut: Sequence[RecutSource]) -> RecutSource | None:
    place = citation.evidence
    if place is None:
        return None
    return next(
        (
            one
            for one in recut
            if (one.content_hash, one.text_hash, one.locator) == (place.content_hash, place.text_hash, citation.locator)
            and one.start <= place.start
            and place.end <= max(one.end, one.start + len(one.text))
        ),
        None,
    )


def _cited(number: int, citation: ResultCitation, source: RecutSource | None) -> SourcePanel:
    place = citation.evidence
    text = "" if source is None else source.text
    low = place.start - source.start if place is not None and source is not None else 0
    high = place.end - source.start if place is not None and source is not None else 0
    as_cited = without_marks(citation.raw_excerpt)
    non_text = citation.raw_excerpt == NON_TEXT
    same = source is not None and (non_text or text[low:high] == as_cited)
    passages = (_passage(text, low, high),) if same and not non_text else (MarkedPassage("", visible(as_cited), ""),)
    why_not = "no stored source has its hashes" if source is None else "the store gives other words at its place"
    return SourcePanel(
        number=number,
        cited=True,
        title=visible(citation.title or citation.locator),
        locator=visible(citation.locator),
        href=_link(citation.locator),
        heading="" if source is None else visible(source.heading),
        tool="" if source is None else source.tool,
        call_id="" if source is None else source.call_id,
        verified=same,
        status=_ok(source) if same and source is not None else f"cannot be cut again: {why_not}",
        withheld=False,
        passages=passages,
        source_id="" if source is None else source.source_id,
        content_hash="" if place is None else place.content_hash,
        text_hash="" if place is None else place.text_hash,
        place="" if place is None else f"characters {place.start:,} to {place.end:,}",
        confidence=f"{citation.confidence:.2f}",
    )


def _uncited(number: int, source: RecutSource, *, answered: bool) -> SourcePanel:
    text = source.text
    shown = MarkedPassage("", visible(text[:_MARKED_CHARS]) + (" ..." if len(text) > _MARKED_CHARS else ""), "")
    return SourcePanel(
        number=number,
        cited=not answered and not source.withheld,
        title=visible(source.title or source.locator) or f"source {short(source.source_id)}",
        locator=visible(source.locator),
        href=_link(source.locator),
        heading=visible(source.heading),
        tool=source.tool,
        call_id=source.call_id,
        verified=not source.why_not,
        status=f"cannot be cut again: {source.why_not}" if source.why_not else _ok(source),
        withheld=source.withheld,
        passages=() if source.why_not else (shown,),
        source_id=source.source_id,
        content_hash=source.content_hash,
        text_hash=source.text_hash,
        place="" if source.why_not else f"characters {source.start:,} to {source.end:,}",
        confidence="",
    )


def _ok(source: RecutSource) -> str:
    return f"re-cut ok, sha256 {short(source.text_hash)}"


def _link(locator: str) -> str:
    return locator if _WEB.fullmatch(locator) else ""


def _passage(text: str, low: int, high: int) -> MarkedPassage:
    head = "\n".join(_kept(text[:low].split("\n"), last=True))
    tail = "\n".join(_kept(text[high:].split("\n"), last=False))
    return MarkedPassage(visible(head), visible(text[low:high]), visible(tail))


def _kept(lines: Sequence[str], *, last: bool) -> list[str]:
    """The three lines that are nearest, each cut to its nearest characters."""
    near = list(lines[-_LINES:] if last else lines[:_LINES])
    if last:
        return [line if len(line) <= _LINE_CHARS else f"... {line[-_LINE_CHARS:]}" for line in near]
    return [line if len(line) <= _LINE_CHARS else f"{line[:_LINE_CHARS]} ..." for line in near]
