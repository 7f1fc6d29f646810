"""Gaps of a research session: they follow from facets, outcomes and the end of the plan, by fixed rules (R18)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...evidence.answering.contradictions import Contradiction
from ...evidence.facets import Facet
from ...kernel.calls import Ended
from ...kernel.outcome import ResearchOutcome
from ...kernel.results import CallOutcome, UnavailableKind
from .research_models import GapCategory, ResultGap
from .research_plan import DOCUMENTS, PAGES, PRICES, SEARCH, facet_of

__all__ = ["gaps_of_session", "stop_gap", "was_tried"]

_WORDS: Final = {
    UnavailableKind.AUTH: "a login or a key is needed",
    UnavailableKind.PAYWALL: "behind a paywall",
    UnavailableKind.ROBOTS: "robots.txt does not allow it",
    UnavailableKind.BLOCKED: "the site refused us",
    UnavailableKind.REFUSED_DESTINATION: "the address is not public",
    UnavailableKind.UNREACHABLE: "unreachable",
    UnavailableKind.SLOW: "too slow",
    UnavailableKind.RATE_LIMITED: "rate limited",
    UnavailableKind.PROVIDER_DOWN: "the search provider is down",
    UnavailableKind.TOO_LARGE: "too large to be read",
    UnavailableKind.UNREADABLE: "cannot be read",
}
_CATEGORIES: Final = {
    UnavailableKind.AUTH: GapCategory.ACCESS_DENIED,
    UnavailableKind.PAYWALL: GapCategory.ACCESS_DENIED,
    UnavailableKind.ROBOTS: GapCategory.ACCESS_DENIED,
    UnavailableKind.BLOCKED: GapCategory.ACCESS_DENIED,
    UnavailableKind.REFUSED_DESTINATION: GapCategory.ACCESS_DENIED,
    UnavailableKind.UNREACHABLE: GapCategory.SOURCE_NOT_FOUND,
    UnavailableKind.SLOW: GapCategory.SOURCE_NOT_FOUND,
    UnavailableKind.RATE_LIMITED: GapCategory.SOURCE_NOT_FOUND,
    UnavailableKind.PROVIDER_DOWN: GapCategory.SOURCE_NOT_FOUND,
    UnavailableKind.TOO_LARGE: GapCategory.SCOPE_EXCEEDED,
    UnavailableKind.UNREADABLE: GapCategory.SCOPE_EXCEEDED,
}
_ACTIONS: Final = {
    GapCategory.SOURCE_NOT_FOUND: "ask with other words, or add documents or a search provider",
    GapCategory.ACCESS_DENIED: "open the source yourself, or give access to it",
    GapCategory.BUDGET_EXHAUSTED: "ask this part again by itself, or allow more calls",
    GapCategory.CONTRADICTORY_SOURCES: "compare the cited passages and decide which one holds",
    GapCategory.SCOPE_EXCEEDED: "read the source with a tool for its format",
}
_ONE_MORE_ROUND: Final = PRICES[DOCUMENTS] + PRICES[SEARCH] + 3 * PRICES[PAGES]


def was_tried(facet: Facet, outcomes: Sequence[CallOutcome]) -> bool:
    """True if at least one call was made for a facet."""
    return any(facet_of(one.call_id) == facet.number for one in outcomes)


def gaps_of_session(
    outcome: ResearchOutcome,
    facets: Sequence[Facet],
    missing: Sequence[Facet],
    contradictions: Sequence[Contradiction],
) -> tuple[ResultGap, ...]:
    """Every facet without an answer, every place that could not be read, every contradiction; each once."""
    labels = {facet.number: facet.label for facet in facets}
    open_numbers = {facet.number for facet in missing}
    gaps: dict[tuple[str, str, str], ResultGap] = {}
    for facet in missing:
        gap = _facet_gap(facet, outcome)
        gaps[gap.topic, gap.category.value, gap.detail] = gap
    for call in outcome.outcomes:
        if call.unavailable is None or (call.tool == SEARCH and facet_of(call.call_id) not in open_numbers):
            continue  # a search that failed leaves no gap where the facet was answered all the same
        gap = _call_gap(call, labels.get(facet_of(call.call_id), outcome.capability))
        gaps.setdefault((gap.topic, gap.category.value, gap.detail), gap)
    for pair in contradictions:
        detail = f"{pair.one.source.locator} and {pair.other.source.locator} differ ({pair.kind})"
        gap = _gap(labels[pair.one.facet], GapCategory.CONTRADICTORY_SOURCES, detail)
        gaps.setdefault((gap.topic, gap.category.value, gap.detail), gap)
    return tuple(gaps.values())


def stop_gap(topic: str, category: GapCategory, retry_after_s: int | None = None) -> ResultGap:
    """The one gap of a session that was stopped; it says nothing about why (R14)."""
    if category is GapCategory.ACCESS_DENIED:
        return ResultGap(topic=topic, category=category, detail="research could not be completed")
    wait = f"; try again in {retry_after_s} s" if retry_after_s is not None else ""
    return _gap(topic, category, f"research ended before it was complete{wait}")


def _facet_gap(facet: Facet, outcome: ResearchOutcome) -> ResultGap:
    if not was_tried(facet, outcome.outcomes):
        return _gap(facet.label, GapCategory.BUDGET_EXHAUSTED, "not looked up: the budget ended before it")
    if outcome.ended is Ended.LIMIT:
        return _gap(facet.label, GapCategory.BUDGET_EXHAUSTED, "looked up once, and the budget ended before more")
    if outcome.ended is Ended.FINISHED_EARLY:
        return _gap(facet.label, GapCategory.BUDGET_EXHAUSTED, "looked up until the caller asked to finish")
    return _gap(facet.label, GapCategory.SOURCE_NOT_FOUND, "nothing that was read speaks to it")


def _call_gap(call: CallOutcome, topic: str) -> ResultGap:
    kind = call.unavailable or UnavailableKind.UNREADABLE
    if call.tool == SEARCH and kind is UnavailableKind.AUTH:
        action = "set PORTCULLIS_SEARCH_ROUTING to a provider of kind web"
        detail = "no search provider is set up (auth)"
        return ResultGap(
            topic=topic, category=GapCategory.ACCESS_DENIED, detail=detail, next_action=action, price_units=0
        )
    place = {DOCUMENTS: "the documents", SEARCH: "the web search", PAGES: "a page"}.get(call.tool, "a source")
    return _gap(topic, _CATEGORIES[kind], f"{place} could not be read: {_WORDS[kind]} ({kind.value})")


def _gap(topic: str, category: GapCategory, detail: str) -> ResultGap:
    price = _ONE_MORE_ROUND if category in (GapCategory.BUDGET_EXHAUSTED, GapCategory.SOURCE_NOT_FOUND) else 0
    return ResultGap(topic=topic, category=category, detail=detail, next_action=_ACTIONS[category], price_units=price)
