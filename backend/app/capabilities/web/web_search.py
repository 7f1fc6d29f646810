"""Search the web: one call over the operator's providers, and its results in the shape of the specification."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from ...evidence.claim_signals import claim_signal
from ...evidence.merging import MergedHit, merge_hits
from ...kernel.capability import Capability, Example
from ...kernel.failure import Failure
from ...kernel.models import WireModel
from ...kernel.outcome import ResearchOutcome
from ...kernel.request import ResearchRequest
from ...kernel.results import TRUST_MARKER
from ..cache_meta import CacheMeta, cache_meta, fresh_meta
from ..searching.search_calls import SERVICES, WEB, WEB_MAX_AGE_S, SearchPlan, options_of, search_call, search_outcome
from ..searching.search_failures import NO_SESSIONS, search_failure
from ..searching.search_hits import DomainReputation, display_link, left_out_notes, reputation_of, short_text
from ..searching.search_inputs import (
    Claim,
    Country,
    Domain,
    Language,
    LensName,
    Phrase,
    Safe,
    SearchInput,
    provider_name,
)
from ..searching.zero_results import ZeroResultHints, zero_result_hints

__all__ = ["WEB_SEARCH", "WebResult", "WebSearchInput", "WebSearchOutput"]

_WISHES: Final = ("safe", "country", "language")


class WebSearchInput(SearchInput):
    """What is searched for, and within which bounds."""

    num_results: Annotated[int, Field(ge=1, le=10)] = 5
    time_range: Literal["day", "week", "month", "year"] | None = None
    safe: Safe = "medium"
    language: Language | None = None
    site: Domain | None = None
    """Results of this domain only; not together with `lens`."""
    exact_terms: Phrase | None = None
    exclude_terms: Phrase | None = None
    country: Country | None = None
    lens: LensName | None = None
    """A named list of sites; not together with `site`."""
    claim: Claim | None = None
    """Each result gains the sentence of its snippet that speaks most to this; evidence, never a verdict."""

    @model_validator(mode="after")
    def _one_restriction(self) -> WebSearchInput:
        if self.site is not None and self.lens is not None:
            raise ValueError("`site` and `lens` exclude each other")
        return self


class WebResult(WireModel):
    """One result; everything in it comes from outside."""

    title: str
    url: str
    snippet: str
    display_link: str
    source_reputation: DomainReputation | None = None
    claim_signal: str | None = None
    """Empty where no sentence of the snippet speaks to the claim; absent where there was no claim."""
    trust: Literal["untrusted-external-content"]


class WebSearchOutput(WireModel):
    """The results, best first; `hints` only where there are none."""

    urls: tuple[str, ...]
    query: str
    result_count: int
    results: tuple[WebResult, ...]
    hints: ZeroResultHints | None = None
    notes: tuple[str, ...] | None = None
    trust: Literal["untrusted-external-content"]
    meta: Annotated[CacheMeta | None, Field(alias="_meta")] = None


def plan(given: WebSearchInput, request: ResearchRequest) -> SearchPlan:
    """One search; a hit is what is wanted (R21)."""
    if given.session_id is not None:
        return SearchPlan(call=None)
    options = options_of(
        country=given.country,
        exact_terms=given.exact_terms,
        exclude_terms=given.exclude_terms,
        language=given.language,
        safe=given.safe,
        sites=None if given.site is None else (given.site,),
        time_range=given.time_range,
    )
    call = search_call(
        WEB,
        given.query,
        given.num_results,
        options,
        max_age_s=WEB_MAX_AGE_S,
        wishes=_WISHES,
        provider=provider_name(given.provider),
        lens=given.lens,
    )
    return SearchPlan(call=call)


def result(given: WebSearchInput, outcome: ResearchOutcome) -> WebSearchOutput | Failure:
    """The results, or why there are none; an outage is a failure and not an empty list (R3)."""
    if given.session_id is not None:
        return NO_SESSIONS
    call = search_outcome(outcome)
    failed = search_failure(call, WEB, provider=given.provider, lens=given.lens)
    if failed is not None:
        return failed
    hits = merge_hits(outcome.bundle.sources)[: given.num_results]
    results = tuple(_result(hit, given.claim) for hit in hits)
    return WebSearchOutput(
        urls=tuple(one.url for one in results),
        query=given.query,
        result_count=len(results),
        results=results,
        hints=None if results else zero_result_hints(_filters(given), call, WEB),
        notes=left_out_notes(given, call, {"sites": "site"}),
        trust=TRUST_MARKER,
        meta=(cache_meta(call) if call is not None else None) or fresh_meta(WEB_MAX_AGE_S),
    )


def _filters(given: WebSearchInput) -> tuple[str, ...]:
    values = (
        ("site", given.site),
        ("lens", given.lens),
        ("time_range", given.time_range),
        ("country", given.country),
        ("language", given.language),
        ("exact_terms", given.exact_terms),
        ("exclude_terms", given.exclude_terms),
    )
    return tuple(name for name, value in values if value is not None)


def _result(hit: MergedHit, claim: str | None) -> WebResult:
    snippet = short_text(hit)
    return WebResult(
        title=hit.best.title,
        url=hit.best.locator,
        snippet=snippet,
        display_link=display_link(hit.best.locator),
        source_reputation=reputation_of(hit),
        claim_signal=None if claim is None else claim_signal(claim, snippet),
        trust=TRUST_MARKER,
    )


WEB_SEARCH: Final = Capability(
    name="web_search",
    family="web",
    title="Search the web",
    description="Searches the web with the operator's providers and lists pages with their snippets.\n"
    "Use it to find pages. Not for their text: scrape_page, or search_and_scrape for both at once.",
    kind="retrieve",
    input=WebSearchInput,
    output=WebSearchOutput,
    example=Example({"query": "drinking water price"}, "results"),
    tools=(SERVICES,),
    max_age_s=WEB_MAX_AGE_S,
    plan=plan,
    result=result,
)
