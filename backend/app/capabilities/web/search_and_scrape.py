"""Search the web and read the best pages: scored sources, their combined text, and what could not be read."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from ...evidence.claim_signals import claim_signal, key_sentences
from ...evidence.content_size import SizeCategory, estimated_tokens, size_category
from ...evidence.page_facts import facts_from_pairs
from ...evidence.paragraphs import without_repeats
from ...evidence.source_quality import SourceQuality, source_quality
from ...kernel.calls import Ended
from ...kernel.capability import Capability, Example
from ...kernel.failure import ErrorKind, Failure, SuggestedAction
from ...kernel.models import WireModel
from ...kernel.outcome import ResearchOutcome
from ...kernel.request import ResearchRequest
from ...kernel.results import TRUST_MARKER, CallOutcome, OutcomeStatus, RejectionCode, Source, SourceKind
from ...parsing.text.text_cuts import cut_text, utf8_length
from ..searching.search_calls import SERVICES, WEB, WEB_MAX_AGE_S, options_of, search_call, search_outcome
from ..searching.search_failures import NO_SESSIONS, search_failure
from ..searching.search_inputs import Claim, SearchInput, provider_name
from .gather_plan import READ_PAGE, GatherPlan, page_calls
from .scrape_failure import page_error

__all__ = ["SEARCH_AND_SCRAPE", "GatheredSource", "SearchAndScrapeInput", "SearchAndScrapeOutput"]

_RELEVANT_MILLI: Final = 400
"""Below this share of the query's words a source is off the subject (`filter_by_query`)."""
_GOOD_MILLI: Final = 650
_MOST_RECOMMENDED: Final = 3
_MOST_SENTENCES: Final = 5
_SEPARATOR: Final = "\n\n---\n\n"
_REPEATED: Final = (RejectionCode.DUPLICATE, RejectionCode.NEAR_DUPLICATE)


class SearchAndScrapeInput(SearchInput):
    """What is searched for, how many pages are read, and how much of them is handed over."""

    num_results: Annotated[int, Field(ge=1, le=10)] = 3
    include_sources: bool = True
    deduplicate: bool = True
    max_length_per_source: Annotated[int, Field(ge=40, le=5_000_000)] = 50_000
    """Bytes."""
    total_max_length: Annotated[int, Field(ge=40, le=5_000_000)] = 300_000
    """Bytes."""
    filter_by_query: bool = False
    claim: Claim | None = None
    """Each source gains the sentences that speak most to this; evidence, never a verdict."""


class QualityScore(WireModel):
    """Measures between 0 and 1: relevance 35 %, freshness 20 %, authority 25 %, content 20 %."""

    overall: float
    relevance: float
    freshness: float
    authority: float
    content_quality: float


class GatheredSource(WireModel):
    """One page that was read; its content is verbatim and comes from outside."""

    url: str
    title: str | None = None
    content: str
    content_type: str
    trust: Literal["untrusted-external-content"]
    scores: QualityScore | None = None
    source_type: str | None = None
    authority_tier: str | None = None
    domain_category: str | None = None
    claim_signal: str | None = None
    """Empty where no sentence speaks to the claim; absent where there was no claim."""
    key_sentences: tuple[str, ...] | None = None


class FailureInfo(WireModel):
    """A page that could not be read, and what to do about it."""

    url: str
    kind: ErrorKind | Literal["budget_exhausted"] | None = None
    reason: str
    retryable: bool
    suggested_action: SuggestedAction | None = None


class PipelineSummary(WireModel):
    """What was done."""

    urls_searched: Annotated[int, Field(alias="urlsSearched")]
    urls_scraped: Annotated[int, Field(alias="urlsScraped")]
    urls_failed: Annotated[int, Field(alias="urlsFailed")]
    processing_time_ms: int


class SizeMetadata(WireModel):
    """How long the combined content is, and what was left out of it."""

    content_length: int
    truncated: bool
    estimated_tokens: int
    size_category: SizeCategory
    paragraphs_dropped: int


class Recommendation(WireModel):
    """A pointer to a source of higher quality among those here; it changes no order."""

    url: str
    title: str | None = None
    score: float
    reason: str


class SearchAndScrapeOutput(WireModel):
    """The pages, best first, and everything that could not be had."""

    query: str
    status: Literal["complete", "partial", "failed"]
    sources: tuple[GatheredSource, ...]
    combined_content: str
    trust: Literal["untrusted-external-content"]
    scrape_failures: tuple[FailureInfo, ...] | None = None
    note: str | None = None
    summary: PipelineSummary
    size_metadata: SizeMetadata
    recommendations: tuple[Recommendation, ...] | None = None


def plan(given: SearchAndScrapeInput, request: ResearchRequest) -> GatherPlan:
    """One search, then the pages."""
    length = given.max_length_per_source
    if given.session_id is not None:
        return GatherPlan(search=None, pages=given.num_results, max_length=length)
    search = search_call(
        WEB,
        given.query,
        given.num_results,
        options_of(safe="medium"),
        max_age_s=WEB_MAX_AGE_S,
        wishes=("safe",),
        provider=provider_name(given.provider),
    )
    return GatherPlan(search=search, pages=given.num_results, max_length=length)


def result(given: SearchAndScrapeInput, outcome: ResearchOutcome) -> SearchAndScrapeOutput | Failure:
    """The sources with their scores; a page that was not read, for whatever reason, is told."""
    if given.session_id is not None:
        return NO_SESSIONS
    call = search_outcome(outcome)
    failed = search_failure(call, WEB, provider=given.provider, lens=None)
    if failed is not None:
        return failed
    asked = page_calls(outcome.bundle.sources, given.num_results, given.max_length_per_source)
    failures = _failures(outcome, {one.call_id: str(one.param("url")) for one in asked})
    rated = _rated(given, outcome)
    kept = [pair for pair in rated if not given.filter_by_query or pair[1].relevance >= _RELEVANT_MILLI]
    combined, size = _combined(given, tuple(source for source, _ in kept))
    sources = tuple(_gathered(given, source, quality) for source, quality in kept)
    return SearchAndScrapeOutput(
        query=given.query,
        status="failed" if not rated else "partial" if failures else "complete",
        sources=sources if given.include_sources else (),
        combined_content=combined,
        trust=TRUST_MARKER,
        scrape_failures=failures or None,
        note=_note(asked != (), bool(rated), bool(kept)),
        summary=PipelineSummary(
            urls_searched=len(asked),
            urls_scraped=len(rated),
            urls_failed=len(failures),
            processing_time_ms=outcome.elapsed_ms,
        ),
        size_metadata=size,
        recommendations=_recommended(kept) or None,
    )


def _rated(given: SearchAndScrapeInput, outcome: ResearchOutcome) -> list[tuple[Source, SourceQuality]]:
    """The pages with their scores, best first; equals in the order of the search."""
    pages = [source for source in outcome.bundle.sources if source.kind is SourceKind.FETCHED]
    rated = []
    for source in pages:
        facts = facts_from_pairs(source.metadata)
        quality = source_quality(
            given.query,
            source.title,
            source.text,
            published=facts.published,
            authority_tier=facts.authority_tier,
            now_ms=outcome.started_at_ms,
        )
        rated.append((source, quality))
    return sorted(rated, key=lambda pair: -pair[1].overall)


def _combined(given: SearchAndScrapeInput, sources: tuple[Source, ...]) -> tuple[str, SizeMetadata]:
    texts = tuple(source.text for source in sources)
    dropped = 0
    if given.deduplicate:
        texts, dropped = without_repeats(texts)
    named = (
        f"{source.title or source.locator}\n{source.locator}\n\n{text}"
        for source, text in zip(sources, texts, strict=True)
        if text.strip()
    )
    combined, cut = cut_text(_SEPARATOR.join(named), given.total_max_length)
    length = utf8_length(combined)
    return combined, SizeMetadata(
        content_length=length,
        truncated=cut,
        estimated_tokens=estimated_tokens(length),
        size_category=size_category(length),
        paragraphs_dropped=dropped,
    )


def _gathered(given: SearchAndScrapeInput, source: Source, quality: SourceQuality) -> GatheredSource:
    facts = facts_from_pairs(source.metadata)
    sentences = () if given.claim is None else key_sentences(given.claim, source.text, _MOST_SENTENCES)
    return GatheredSource(
        url=source.locator,
        title=source.title or None,
        content=source.text,
        content_type=facts.content_type,
        trust=TRUST_MARKER,
        scores=QualityScore(
            overall=quality.overall / 1000,
            relevance=quality.relevance / 1000,
            freshness=quality.freshness / 1000,
            authority=quality.authority / 1000,
            content_quality=quality.content / 1000,
        ),
        source_type=facts.source_type or None,
        authority_tier=facts.authority_tier or None,
        domain_category=facts.domain_category or None,
        claim_signal=None if given.claim is None else claim_signal(given.claim, source.text),
        key_sentences=sentences or None,
    )


def _failures(outcome: ResearchOutcome, urls: dict[str, str]) -> tuple[FailureInfo, ...]:
    """Pages that were asked for and not read, and those that the session could not ask for any more (R4)."""
    done = {call.call_id: call for call in outcome.outcomes if call.tool == READ_PAGE}
    repeated = {one.call_id for one in outcome.rejections if one.code in _REPEATED}
    told = []
    for call_id, url in urls.items():
        call = done.get(call_id)
        if call is None and outcome.ended is Ended.LIMIT:
            reason = "Not read: the session has no calls or budget left. Ask for fewer results."
            told.append(FailureInfo(url=url, kind="budget_exhausted", reason=reason, retryable=False))
        elif call is not None and call_id in repeated:
            reason = f"Left out: {url} has the same content as a result before it."
            told.append(FailureInfo(url=url, kind="content_empty", reason=reason, retryable=False))
        elif call is not None and (failure := _failed(url, call)) is not None:
            told.append(failure)
    return tuple(told)


def _failed(url: str, call: CallOutcome) -> FailureInfo | None:
    if call.status is OutcomeStatus.OK and call.accepted:
        return None
    why = page_error(url, call)
    return FailureInfo(
        url=url,
        kind=why.error.kind,
        reason=why.message,
        retryable=why.error.retryable,
        suggested_action=why.error.suggested_action,
    )


def _note(found: bool, read: bool, kept: bool) -> str | None:
    if not found:
        return "The search found no pages. Use other words, or web_search with fewer filters."
    if not read:
        return "None of the pages could be read. Try scrape_page on another address, or a different query."
    return None if kept else "No source is relevant enough to the query. Leave filter_by_query out."


def _recommended(rated: list[tuple[Source, SourceQuality]]) -> tuple[Recommendation, ...]:
    good = [pair for pair in rated if pair[1].overall >= _GOOD_MILLI][:_MOST_RECOMMENDED]
    return tuple(
        Recommendation(
            url=source.locator,
            title=source.title or None,
            score=quality.overall / 1000,
            reason=_reason(quality),
        )
        for source, quality in good
    )


def _reason(quality: SourceQuality) -> str:
    strong = (
        ("high relevance", quality.relevance >= 700),
        ("recent", quality.freshness >= 800),
        ("high authority", quality.authority >= 900),
        ("substantial content", quality.content >= 850),
    )
    return ", ".join(name for name, holds in strong if holds) or "good in all measures"


SEARCH_AND_SCRAPE: Final = Capability(
    name="search_and_scrape",
    family="web",
    title="Search and read pages",
    description="Searches the web, reads the best pages and scores them as sources.\n"
    "Use it when the text of several pages is needed. Not for one page whose address is known: scrape_page.",
    kind="retrieve",
    input=SearchAndScrapeInput,
    output=SearchAndScrapeOutput,
    example=Example({"query": "heat pump costs"}, "sources"),
    tools=(SERVICES, READ_PAGE),
    plan=plan,
    result=result,
)
