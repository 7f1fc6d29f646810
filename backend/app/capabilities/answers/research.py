"""`research()`: one question over documents and the web, answered with citations that carry their proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, assert_never

from ...evidence.answering.answer_templates import NOTHING_TO_CITE
from ...evidence.answering.composer import COMPOSER, ComposedAnswer, compose
from ...evidence.answering.picked_sentences import PickedSentence, facts_in
from ...evidence.confidence import ConfidenceInput, citation_confidence_milli, confidence_milli
from ...evidence.excerpts import Excerpt
from ...evidence.grounding.coverage import bearing_on, documents_held_milli
from ...evidence.grounding.facets import Facet
from ...evidence.page_facts import facts_from_pairs
from ...kernel.calls import Ended
from ...kernel.capability import Capability, Example
from ...kernel.outcome import ResearchOutcome
from ...kernel.request import ResearchRequest
from ...kernel.results import Source, SourceKind
from ...kernel.stops import StopReason
from ...parsing.text.dates import iso_date_of_ms, known_date
from ...research.audience import for_caller
from .research_gaps import gaps_of_session, stop_gap, was_tried
from .research_input import ResearchInput
from .research_leads import discoveries_of, open_questions_of
from .research_models import (
    ConfidenceFactors,
    CostMetadata,
    EvidencePointer,
    GapCategory,
    ResearchResult,
    ResultCitation,
    ResultGap,
)
from .research_plan import DOCUMENTS, PAGES, RECALL, SEARCH, ResearchPlan, iteration_of

__all__ = ["RESEARCH", "confidence_input", "key", "plan", "result", "stopped"]

_READ: Final = (SourceKind.PASSAGE, SourceKind.FETCHED)
_CHARS_PER_TOKEN: Final = 4
_SNIPPET_MIN, _SNIPPET_MAX = 50, 200
_HINTS: Final = ("use words that the sources would use", "name the topic, the period or the kind of source")


def plan(given: ResearchInput, request: ResearchRequest) -> ResearchPlan:
    """The facets of the question, each with its share of the calls."""
    return given.plan()


def key(given: ResearchInput) -> str | None:
    """A numbered turn of a conversation is asked once; asked again, it gives the same answer."""
    return given.session_key


def result(given: ResearchInput, outcome: ResearchOutcome) -> ResearchResult:
    """The answer of a session that found sources, or the text of its action where it found none."""
    planned = given.plan()
    facets = planned.facets
    sources = tuple(source for source in outcome.bundle.sources if source.kind in _READ)
    first = compose(facets, sources)
    missing = [facet for facet in facets if not facet.known and facet.number not in first.covered]
    notes = [(facet, was_tried(facet, outcome.outcomes)) for facet in missing]
    composed = compose(facets, sources, notes) if first.covered and notes else first
    gaps = gaps_of_session(outcome, planned, missing, composed.contradictions)
    if not composed.excerpts:
        return _without_answer(outcome, gaps, sources)
    given_confidence = confidence_input(facets, composed, sources, outcome.ended)
    citations = tuple(_citation(excerpt, composed, facets) for excerpt in composed.excerpts)
    return ResearchResult(
        answer=composed.text,
        citations=citations,
        gaps=gaps,
        discovery_events=discoveries_of(composed, facets, outcome.bundle.sources),
        open_questions=open_questions_of(facets, missing, composed, sources),
        confidence=confidence_milli(given_confidence) / 1000,
        confidence_factors=_factors(given_confidence, composed, outcome),
        cost_metadata=_cost(outcome, sources, composed.text),
        trace_id=outcome.session_id,
    )


def stopped(given: ResearchInput, outcome: ResearchOutcome) -> ResearchResult:
    """The result of a session that a stop ended: a fixed text, no citation, one gap (R18)."""
    category = _category(outcome.verdict.stop)
    failed = for_caller(outcome).error
    wait = None if failed is None else failed.retry_after_seconds
    gap = stop_gap(given.question, category, wait)
    # INVARIANT 3.6: stops of one group look alike from outside, also in what they cost.
    spent = _cost(outcome, (), "") if category is GapCategory.BUDGET_EXHAUSTED else None
    return ResearchResult(
        answer=outcome.text,
        citations=(),
        gaps=(gap,),
        discovery_events=(),
        open_questions=(),
        confidence=0.0,
        confidence_factors=_no_factors(budget_exhausted=False),
        cost_metadata=spent
        or CostMetadata(
            tokens_used=0,
            iterations_run=0,
            wall_time_sec=outcome.elapsed_ms / 1000,
            budget_exhausted=False,
            model_id=COMPOSER,
        ),
        trace_id=outcome.session_id,
    )


def confidence_input(
    facets: Sequence[Facet], composed: ComposedAnswer, sources: Sequence[Source], ended: Ended
) -> ConfidenceInput:
    """The factors of the confidence formula, from what was read and composed."""
    asked = [facet for facet in facets if not facet.known]
    rows: list[tuple[int, ...]] = []
    for facet in asked:
        held = documents_held_milli(facet.text, sources) or (0,)
        best, second, *_ = (*sorted(held, reverse=True), 0)
        wanted = facts_in(facet.text)
        said = [len(wanted & facts_in(one.text)) for one in composed.sentences if one.facet == facet.number]
        share = 1000 * max(said, default=0) // max(1, len(wanted))
        rows.append((best, held[0], 1000 * (held[0] == best), best - second, share, best * len(wanted) // 1000))
    match, first, is_best, margin, sentence, words = (sum(column) // len(rows) for column in zip(*rows, strict=True))
    return ConfidenceInput(
        match_milli=match,
        first_milli=first,
        first_is_best_milli=is_best,
        margin_milli=margin,
        sentence_milli=sentence,
        words_held=words,
        speaking=_corroborating(composed),
        covered_milli=1000 * len(composed.covered) // max(1, len(asked)),
        contradiction=bool(composed.contradictions),
        budget_exhausted=ended is Ended.LIMIT,
    )


def _corroborating(composed: ComposedAnswer) -> int:
    """How many documents agree: those that speak to a facet by themselves and do not differ from its first one. Of
    several facets the one with the fewest counts: an answer is corroborated where all of it is."""
    counts: list[int] = []
    apart = {(pair.one.source.text_hash, pair.other.source.text_hash) for pair in composed.contradictions}
    for number in composed.covered:
        here = [one.source.text_hash for one in composed.sentences if one.facet == number and one.speaks]
        agreeing = {one for one in here if (one, here[0]) not in apart and (here[0], one) not in apart}
        counts.append(len(agreeing))
    return min(counts, default=0)


def _category(stop: StopReason) -> GapCategory:
    match stop:
        case (
            StopReason.INTERNAL_INCONSISTENCY
            | StopReason.SANDBOX_VIOLATION
            | StopReason.INJECTION_DETECTED
            | StopReason.ENTITLEMENT_CAP
            | StopReason.POLICY_DISABLED
        ):
            return GapCategory.ACCESS_DENIED
        case StopReason.RATE_LIMITED | StopReason.BUDGET_EXHAUSTED | StopReason.TIMEOUT:
            return GapCategory.BUDGET_EXHAUSTED
        case StopReason.VALIDATION_FAIL | StopReason.NO_SOURCE | StopReason.SUCCESS_COMPLETED:
            return GapCategory.SOURCE_NOT_FOUND
        case other:
            assert_never(other)


def _without_answer(
    outcome: ResearchOutcome, gaps: tuple[ResultGap, ...], sources: tuple[Source, ...]
) -> ResearchResult:
    """Nothing to cite: the fixed text of the action, or where sources came without a sentence, that of UNKNOWN."""
    text = NOTHING_TO_CITE if outcome.verdict.stop is StopReason.SUCCESS_COMPLETED else outcome.text
    return ResearchResult(
        answer=text,
        citations=(),
        gaps=gaps,
        discovery_events=(),
        open_questions=(),
        confidence=0.0,
        confidence_factors=_no_factors(budget_exhausted=outcome.ended is Ended.LIMIT),
        cost_metadata=_cost(outcome, sources, text),
        trace_id=outcome.session_id,
    )


def _no_factors(*, budget_exhausted: bool) -> ConfidenceFactors:
    return ConfidenceFactors(
        num_corroborating_sources=0,
        source_authority="low",
        contradiction_detected=False,
        query_specificity_match=0.0,
        budget_exhausted=budget_exhausted,
        recency=None,
    )


def _citation(excerpt: Excerpt, composed: ComposedAnswer, facets: Sequence[Facet]) -> ResultCitation:
    source = excerpt.source
    texts = {facet.number: facet.text for facet in facets}
    inside = [one for one in composed.sentences if _within(one, excerpt)]
    # The row with the headings of a table can stand apart from the row that is quoted.
    best = max(inside or [one for one in composed.sentences if _is_of(one, excerpt)], key=lambda one: one.score)
    said = best.text if inside else source.text[excerpt.low : excerpt.high]
    snippet = said if len(said) <= _SNIPPET_MAX else said[: _SNIPPET_MAX - 4].rpartition(" ")[0] + " ..."
    held = bearing_on(texts[best.facet], source).held_milli
    milli = citation_confidence_milli(held, best.speaks, _authority(source))
    return ResultCitation(
        source="web" if _is_page(source) else "file",
        locator=source.locator,
        title=source.title or None,
        snippet=snippet if len(snippet) >= _SNIPPET_MIN else None,
        raw_excerpt=excerpt.shown,
        confidence=milli / 1000,
        evidence=EvidencePointer(
            content_hash=source.content_hash, text_hash=source.text_hash, start=excerpt.start, end=excerpt.end
        ),
    )


def _is_page(source: Source) -> bool:
    """True for a page of the web, also where it was recalled from an earlier turn."""
    return not source.locator.startswith("doc:")


def _is_of(one: PickedSentence, excerpt: Excerpt) -> bool:
    return one.source.source_id == excerpt.source.source_id


def _within(one: PickedSentence, excerpt: Excerpt) -> bool:
    return _is_of(one, excerpt) and excerpt.low <= one.low and one.high <= max(excerpt.high, one.low + 1)


def _authority(source: Source) -> str:
    """What is known of who says it; a document of the user's own is neither high nor low."""
    tier = facts_from_pairs(source.metadata).authority_tier if _is_page(source) else ""
    return tier if tier in ("high", "medium", "low") else "medium"


def _factors(given: ConfidenceInput, composed: ComposedAnswer, outcome: ResearchOutcome) -> ConfidenceFactors:
    ranks = {"high": 0, "medium": 1, "low": 2}
    cited = [excerpt.source for excerpt in composed.excerpts]
    authority = min((_authority(source) for source in cited), key=lambda tier: ranks[tier])
    return ConfidenceFactors(
        num_corroborating_sources=given.speaking,
        source_authority="high" if authority == "high" else "low" if authority == "low" else "medium",
        contradiction_detected=given.contradiction,
        query_specificity_match=min(1000, given.match_milli) / 1000,
        budget_exhausted=given.budget_exhausted,
        recency=_recency(cited, outcome.started_at_ms),
    )


def _recency(cited: Sequence[Source], now_ms: int) -> Literal["current", "recent", "dated"] | None:
    """How old the newest dated source is, from the journalled start of the session."""
    dates = [known_date(facts_from_pairs(source.metadata).published) for source in cited]
    newest = max((date for date in dates if date[0]), default=None)
    today = known_date(iso_date_of_ms(now_ms))
    if newest is None or not today[0]:
        return None
    months = (today[0] - newest[0]) * 12 + (today[1] - (newest[1] or 1))
    return "current" if months < 12 else "recent" if months <= 36 else "dated"


def _cost(outcome: ResearchOutcome, sources: Sequence[Source], answer: str) -> CostMetadata:
    """Tokens are characters of derived text read and of the answer, four each."""
    chars = sum(len(source.text) for source in sources) + (len(answer) if sources else 0)
    return CostMetadata(
        tokens_used=chars // _CHARS_PER_TOKEN,
        iterations_run=max((iteration_of(one.call_id) for one in outcome.outcomes), default=0),
        wall_time_sec=outcome.elapsed_ms / 1000,
        budget_exhausted=outcome.ended is Ended.LIMIT or outcome.verdict.stop in _BUDGET_STOPS,
        model_id=COMPOSER,
    )


_BUDGET_STOPS: Final = (StopReason.RATE_LIMITED, StopReason.BUDGET_EXHAUSTED, StopReason.TIMEOUT)


RESEARCH: Final = Capability(
    name="research",
    family="answers",
    title="Research a question",
    description="Searches, reads and selects evidence for a question; answers with citations, gaps and cost.\n"
    "Use it for a question that needs several sources. Not for one page whose address is known: scrape_page.",
    kind="retrieve",
    input=ResearchInput,
    output=ResearchResult,
    example=Example({"question": "How long should sourdough proof in the fridge?"}, "citations"),
    tools=(DOCUMENTS, RECALL, SEARCH, PAGES),
    hints=_HINTS,
    key=key,
    plan=plan,
    result=result,
    stopped=stopped,
)
