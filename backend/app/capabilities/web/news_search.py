"""Search the news: one call over the operator's providers, articles with their dates in UTC."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from ...evidence.merging import MergedHit, merge_hits
from ...kernel.capability import Capability, Example
from ...kernel.failure import Failure
from ...kernel.models import WireModel
from ...kernel.outcome import ResearchOutcome
from ...kernel.request import ResearchRequest
from ...kernel.results import TRUST_MARKER
from ..cache_meta import CacheMeta, cache_meta
from ..searching.search_calls import SERVICES, SearchPlan, options_of, search_call, search_outcome
from ..searching.search_failures import NO_SESSIONS, search_failure
from ..searching.search_hits import display_link, left_out_notes, published_at, short_text
from ..searching.search_inputs import Country, Domain, Language, LensName, SearchInput, provider_name
from ..searching.zero_results import ZeroResultHints, zero_result_hints

__all__ = ["NEWS_SEARCH", "NewsArticle", "NewsSearchInput", "NewsSearchOutput"]

KIND: Final = "news"
MAX_AGE_S: Final = 900
_WISHES: Final = ("sort", "safe", "country", "language")
_SAFE: Final = {"off": "off", "moderate": "medium", "strict": "high"}


class NewsSearchInput(SearchInput):
    """What is searched for, how recent, and from whom."""

    num_results: Annotated[int, Field(ge=1, le=50)] = 5
    time_range: Literal["hour", "day", "week", "month", "year"] = "week"
    sort_by: Literal["relevance", "date"] = "relevance"
    news_source: Domain | None = None
    """Articles of this domain only; not together with `lens`."""
    country: Country | None = None
    language: Language | None = None
    safe: Literal["off", "moderate", "strict"] | None = None
    lens: LensName | None = None
    """A named list of sites; not together with `news_source`."""

    @model_validator(mode="after")
    def _one_restriction(self) -> NewsSearchInput:
        if self.news_source is not None and self.lens is not None:
            raise ValueError("`news_source` and `lens` exclude each other")
        return self


class NewsArticle(WireModel):
    """One article; `publishedAt` is missing where the provider gives no date that can be read."""

    title: str
    url: str
    source: str
    published_at: str | None = None
    snippet: str
    trust: Literal["untrusted-external-content"]


class NewsSearchOutput(WireModel):
    """The articles, best or newest first; `hints` only where there are none."""

    articles: tuple[NewsArticle, ...]
    query: str
    result_count: int
    hints: ZeroResultHints | None = None
    notes: tuple[str, ...] | None = None
    trust: Literal["untrusted-external-content"]
    meta: Annotated[CacheMeta | None, Field(alias="_meta")] = None


def plan(given: NewsSearchInput, request: ResearchRequest) -> SearchPlan:
    """One search; a hit is what is wanted (R21)."""
    if given.session_id is not None:
        return SearchPlan(call=None)
    options = options_of(
        country=given.country,
        language=given.language,
        safe=None if given.safe is None else _SAFE[given.safe],
        sites=None if given.news_source is None else (given.news_source,),
        sort=given.sort_by if given.sort_by != "relevance" else None,
        time_range=given.time_range,
    )
    call = search_call(
        KIND,
        given.query,
        given.num_results,
        options,
        max_age_s=MAX_AGE_S,
        wishes=_WISHES,
        provider=provider_name(given.provider),
        lens=given.lens,
    )
    return SearchPlan(call=call)


def result(given: NewsSearchInput, outcome: ResearchOutcome) -> NewsSearchOutput | Failure:
    """The articles, or why there are none."""
    if given.session_id is not None:
        return NO_SESSIONS
    call = search_outcome(outcome)
    failed = search_failure(call, KIND, provider=given.provider, lens=given.lens)
    if failed is not None:
        return failed
    articles = [_article(hit, outcome.started_at_ms) for hit in merge_hits(outcome.bundle.sources)]
    if given.sort_by == "date":  # also where the provider cannot sort; what has no date comes last
        articles.sort(key=lambda one: one.published_at or "", reverse=True)
    articles = articles[: given.num_results]
    named = {"lens": given.lens, "country": given.country, "language": given.language}
    filters = (
        "time_range",
        *(("news_source",) if given.news_source else ()),
        *(name for name, value in named.items() if value),
    )
    return NewsSearchOutput(
        articles=tuple(articles),
        query=given.query,
        result_count=len(articles),
        hints=None if articles else zero_result_hints(filters, call, KIND),
        notes=left_out_notes(given, call, {"sort": ""}),
        trust=TRUST_MARKER,
        meta=None if call is None else cache_meta(call),
    )


def _article(hit: MergedHit, now_ms: int) -> NewsArticle:
    return NewsArticle(
        title=hit.best.title,
        url=hit.best.locator,
        source=hit.fact("source") or display_link(hit.best.locator),
        published_at=published_at(hit, now_ms),
        snippet=short_text(hit),
        trust=TRUST_MARKER,
    )


NEWS_SEARCH: Final = Capability(
    name="news_search",
    family="web",
    title="Search the news",
    description="Searches recent news articles with the operator's providers.\n"
    "Use it for recent events. Not for background or older pages: web_search.",
    kind="retrieve",
    input=NewsSearchInput,
    output=NewsSearchOutput,
    example=Example({"query": "railway line"}, "articles"),
    tools=(SERVICES,),
    max_age_s=MAX_AGE_S,
    plan=plan,
    result=result,
)
