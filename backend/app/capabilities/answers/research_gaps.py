"""Gaps of a research session: they follow from facets, outcomes and the end of the plan, by fixed rules (R18)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...evidence.answering.contradictions import Contradiction
from ...evidence.grounding.facets import Facet
from ...kernel.calls import Ended
from ...kernel.outcome import ResearchOutcome
from ...kernel.results import CallOutcome, UnavailableKind
from .research_models import GapCategory, ResultGap
from .research_plan import DOCUMENTS, PAGES, PRICES, SEARCH, ResearchPlan, facet_of, iteration_of

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
_MORE: Final = "ask this part again by itself, or allow {}"
_WEB: Final = PRICES[SEARCH] + 3 * PRICES[PAGES]
_ONE_MORE_ROUND: Final = PRICES[DOCUMENTS] + _WEB


def was_tried(facet: Facet, outcomes: Sequence[CallOutcome]) -> bool:
    """True if at least one call was made for a facet."""
    return any(facet_of(one.call_id) == facet.number for one in outcomes)


def gaps_of_session(
    outcome: ResearchOutcome,
    plan: ResearchPlan,
    missing: Sequence[Facet],
    contradictions: Sequence[Contradiction],
) -> tuple[ResultGap, ...]:
    """Every facet without an answer, every place that could not be read, every contradiction; each once."""
    labels = {facet.number: facet.label for facet in plan.facets}
    open_numbers = {facet.number for facet in missing}
    price = _price_of_a_round(plan, outcome)
    gaps: dict[tuple[str, str, str], ResultGap] = {}
    for facet in missing:
        gap = _facet_gap(facet, outcome, plan, price)
        gaps[gap.topic, gap.category.value, gap.detail] = gap
    for call in outcome.outcomes:
        if call.unavailable is None or (call.tool == SEARCH and facet_of(call.call_id) not in open_numbers):
            continue  # a search that failed leaves no gap where the facet was answered all the same
        gap = _call_gap(call, labels.get(facet_of(call.call_id), outcome.capability), price)
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


def _price_of_a_round(plan: ResearchPlan, outcome: ResearchOutcome) -> int:
    """The worst case of one more round for one facet, in the places that this question may ask."""
    no_search = any(
        one.tool == SEARCH and one.unavailable in (UnavailableKind.AUTH, UnavailableKind.PROVIDER_DOWN)
        for one in outcome.outcomes
    )
    documents = PRICES[DOCUMENTS] if plan.rules.documents else 0
    return documents + (_WEB if plan.rules.web and not no_search else 0)


def _what_ended(plan: ResearchPlan, outcome: ResearchOutcome) -> str:
    """The limit that a plan came to, as its caller could raise it."""
    chars, sources = plan.left_to_read(outcome.bundle.sources)
    if chars < plan.least_to_read:
        return "more tokens (`token_budget`)"
    if sources <= 0:
        return "more sources (`max_sources`)"
    if max((iteration_of(one.call_id) for one in outcome.outcomes), default=0) >= plan.max_iterations:
        return "more rounds (`max_iterations`)"
    return "more calls"


def _facet_gap(facet: Facet, outcome: ResearchOutcome, plan: ResearchPlan, price: int) -> ResultGap:
    if outcome.ended is Ended.FINISHED_EARLY:
        tried = was_tried(facet, outcome.outcomes)
        detail = "looked up until the caller asked to finish" if tried else "not looked up: the caller asked to finish"
        action = "ask this part again by itself, and let it run to its end"
        return _gap(facet.label, GapCategory.BUDGET_EXHAUSTED, detail, price, action)
    if was_tried(facet, outcome.outcomes) and outcome.ended is not Ended.LIMIT:
        return _gap(facet.label, GapCategory.SOURCE_NOT_FOUND, "nothing that was read speaks to it", price)
    tried = was_tried(facet, outcome.outcomes)
    before = (
        "looked up once, and the budget ended before more" if tried else "not looked up: the budget ended before it"
    )
    action = _MORE.format(_what_ended(plan, outcome))
    return _gap(facet.label, GapCategory.BUDGET_EXHAUSTED, before, price, action)


def _call_gap(call: CallOutcome, topic: str, price: int) -> ResultGap:
    kind = call.unavailable or UnavailableKind.UNREADABLE
    if call.tool == SEARCH and kind is UnavailableKind.AUTH:
        action = "set PORTCULLIS_URL_SEARXNG to your own SearXNG, or PORTCULLIS_SEARCH_ROUTING to web=wikipedia"
        detail = "no search provider is set up (auth)"
        return ResultGap(
            topic=topic, category=GapCategory.ACCESS_DENIED, detail=detail, next_action=action, price_units=0
        )
    place = {DOCUMENTS: "the documents", SEARCH: "the web search", PAGES: "a page"}.get(call.tool, "a source")
    return _gap(topic, _CATEGORIES[kind], f"{place} could not be read: {_WORDS[kind]} ({kind.value})", price)


def _gap(topic: str, category: GapCategory, detail: str, price: int = _ONE_MORE_ROUND, action: str = "") -> ResultGap:
    """A gap with what would help; only looking up once more costs something."""
    costs = category in (GapCategory.BUDGET_EXHAUSTED, GapCategory.SOURCE_NOT_FOUND)
    return ResultGap(
        topic=topic,
        category=category,
        detail=detail,
        next_action=action or _ACTIONS[category],
        price_units=price if costs else 0,
    )
