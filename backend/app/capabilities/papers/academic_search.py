"""Search scholarly works: in registers, or else on scholarly sites of the web, with open copies and integrity."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from ...evidence.merging import MergedHit
from ...kernel.calls import Ended, ToolCall
from ...kernel.capability import Capability, Example
from ...kernel.failure import Failure
from ...kernel.models import WireModel
from ...kernel.outcome import ResearchOutcome
from ...kernel.request import ResearchRequest
from ...kernel.results import TRUST_MARKER, CallOutcome, OutcomeStatus, Source, UnavailableKind
from ...kernel.rungs import Fault
from ...parsing.services.dois import doi_of
from ...parsing.text.dates import known_date
from ...parsing.url.canonical_url import doi_in_url
from ..cache_meta import CacheMeta, cache_meta
from ..searching.search_calls import SERVICES, options_of, search_call, search_outcome
from ..searching.search_failures import NO_SESSIONS, search_failure
from ..searching.search_hits import short_text
from ..searching.search_inputs import LensName, SearchInput, provider_name
from ..searching.zero_results import ZeroResultHints, zero_result_hints
from .academic_plan import INTEGRITY, OPEN_ACCESS, PAPERS_CALL, WEB_CALL, AcademicPlan, found_works
from .integrity import RetractionStatus, retraction_status

__all__ = ["ACADEMIC_SEARCH", "AcademicSearchInput", "AcademicSearchOutput", "Paper"]

KIND: Final = "papers"
MAX_AGE_S: Final = 3_600
ABSTRACT_BYTES: Final = 500
_MOST_ASKED: Final = 20
SITE_POOL: Final = (
    "arxiv.org", "pubmed.ncbi.nlm.nih.gov", "scholar.google.com", "ieeexplore.ieee.org", "dl.acm.org", "nature.com",
    "sciencedirect.com", "link.springer.com", "researchgate.net", "plos.org", "frontiersin.org", "mdpi.com",
    "wiley.com", "jstor.org", "semanticscholar.org", "biorxiv.org", "medrxiv.org",
)  # fmt: skip
"""Where the web is searched if no register answers."""
_LONGEST_SEARCH: Final = 400
_FEWEST_SITES: Final = 6
_SOURCES: Final = {
    "arxiv": ("arxiv.org",),
    "pubmed": ("pubmed.ncbi.nlm.nih.gov",),
    "ieee": ("ieeexplore.ieee.org",),
    "nature": ("nature.com",),
    "springer": ("link.springer.com",),
}
_WEB_PROVIDERS: Final = ("brave", "duckduckgo", "google_cse", "searchapi", "serper", "tavily")
_WEB: Final = "web_search"
_NOT_ASKED: Final = (Fault.NOT_CONFIGURED, Fault.NOT_ROUTED, Fault.UNSUPPORTED)


class AcademicSearchInput(SearchInput):
    """What is searched for, from when, where, and how free it has to be."""

    num_results: Annotated[int, Field(ge=1, le=10)] = 5
    year_from: Annotated[int, Field(ge=1900, le=2030)] | None = None
    year_to: Annotated[int, Field(ge=1900, le=2030)] | None = None
    source: Literal["all", "arxiv", "pubmed", "ieee", "nature", "springer"] = "all"
    pdf_only: bool = False
    sort_by: Literal["relevance", "date"] = "relevance"
    open_access: bool = False
    lens: LensName | None = None
    """A named list of sites."""

    @model_validator(mode="after")
    def _years_in_order(self) -> AcademicSearchInput:
        if self.year_from is not None and self.year_to is not None and self.year_from > self.year_to:
            raise ValueError("`year_from` is later than `year_to`")
        return self


class Paper(WireModel):
    """One work; a field that its provider does not say is left out."""

    title: str
    url: str
    source: str
    doi: str | None = None
    authors: tuple[str, ...] | None = None
    journal: str | None = None
    year: int | None = None
    abstract: str | None = None
    citation_count: int | None = None
    open_access: bool | None = None
    pdf_url: str | None = None
    tldr: str | None = None
    """Written by a machine (Semantic Scholar), not by the authors."""
    is_influential: bool | None = None
    citation_intents: tuple[str, ...] | None = None
    retraction_status: RetractionStatus | None = None
    """What Crossref, OpenAlex or PubMed record; evidence, never a verdict."""
    trust: Literal["untrusted-external-content"]


class AcademicSearchOutput(WireModel):
    """The works, best or newest first; `hints` only where there are none."""

    papers: tuple[Paper, ...]
    query: str
    total_results: int
    result_count: int
    source: str
    hints: ZeroResultHints | None = None
    notes: tuple[str, ...] | None = None
    trust: Literal["untrusted-external-content"]
    meta: Annotated[CacheMeta | None, Field(alias="_meta")] = None


def plan(given: AcademicSearchInput, request: ResearchRequest) -> AcademicPlan:
    """A forced provider alone; else the operator's registers, and the web where none of them answers."""
    most = _asked_for(given)
    if given.session_id is not None:
        return AcademicPlan(first=None, fallback=None, most=most)
    forced = provider_name(given.provider)
    if forced in _WEB_PROVIDERS:
        return AcademicPlan(first=_web_call(given, forced), fallback=None, most=most)
    options = options_of(
        open_access=given.open_access,
        sort=given.sort_by if given.sort_by != "relevance" else None,
        source=given.source if given.source != "all" else None,
        year_from=given.year_from,
        year_to=given.year_to,
    )
    call = search_call(
        KIND,
        given.query,
        most,
        options,
        max_age_s=MAX_AGE_S,
        call_id=PAPERS_CALL,
        wishes=("sort", "open_access"),
        provider=forced,
        lens=given.lens,
        offers=(OPEN_ACCESS, INTEGRITY, "web"),
    )
    return AcademicPlan(first=call, fallback=_web_call(given, None) if forced is None else None, most=most)


def result(given: AcademicSearchInput, outcome: ResearchOutcome) -> AcademicSearchOutput | Failure:
    """The works, or why there are none."""
    if given.session_id is not None:
        return NO_SESSIONS
    register, web = search_outcome(outcome, PAPERS_CALL), search_outcome(outcome, WEB_CALL)
    call = web if web is not None and web.status is not OutcomeStatus.UNAVAILABLE else register or web
    failed = _failure(given, register, web)
    if failed is not None:
        return failed
    hits = found_works(outcome.bundle.sources)
    papers = [_paper(hit, _about(hit, outcome.bundle.sources)) for hit in hits]
    kept = _filtered(given, papers)
    total = next((number for hit in hits if (number := _number(hit, "service:total"))), 0)
    kind = "web" if call is web else KIND
    return AcademicSearchOutput(
        papers=tuple(kept),
        query=given.query,
        total_results=max(total, len(papers)),
        result_count=len(kept),
        source=_WEB if call is web else _answered(call),
        hints=None if kept else zero_result_hints(_filters(given), call, kind),
        notes=_notes(given, outcome, call is web) or None,
        trust=TRUST_MARKER,
        meta=None if call is None else cache_meta(call),
    )


def _asked_for(given: AcademicSearchInput) -> int:
    """More than is shown where some will be filtered out afterwards."""
    later = given.pdf_only or given.open_access
    return min(_MOST_ASKED, 2 * given.num_results) if later else given.num_results


def _web_call(given: AcademicSearchInput, provider: str | None) -> ToolCall:
    sites = _SOURCES.get(given.source) or _pool(given.query)
    return search_call(
        "web",
        given.query,
        _asked_for(given),
        options_of(sites=None if given.lens is not None else sites),
        max_age_s=MAX_AGE_S,
        call_id=WEB_CALL,
        provider=provider,
        lens=given.lens,
    )


def _pool(query: str) -> tuple[str, ...]:
    """As many sites as the strictest search takes in one question, in the order of the pool."""
    kept: list[str] = []
    room = _LONGEST_SEARCH - len(query) - len(" ()")
    for site in SITE_POOL:
        room -= len(f"site:{site}") + (len(" OR ") if kept else 0)
        if room < 0 and len(kept) >= _FEWEST_SITES:
            break
        kept.append(site)
    return tuple(kept)


def _failure(given: AcademicSearchInput, register: CallOutcome | None, web: CallOutcome | None) -> Failure | None:
    """Why neither register nor web answered; the one that could be asked at all has the word."""
    if any(call is not None and call.status is not OutcomeStatus.UNAVAILABLE for call in (register, web)):
        return None
    # A web search that cannot keep to scholarly sites is none for papers.
    asked = web is not None and any(rung.fault not in _NOT_ASKED for rung in web.rungs)
    if register is None or (asked and register.unavailable is UnavailableKind.AUTH):
        return search_failure(web, "web", provider=given.provider, lens=given.lens)
    return search_failure(register, KIND, provider=given.provider, lens=given.lens)


def _about(hit: MergedHit, sources: tuple[Source, ...]) -> tuple[Source, ...]:
    """What was looked up about a work: records with its DOI that are no results of the search."""
    doi = doi_of(hit.fact("doi")).lower()
    return tuple(
        source
        for source in sources
        if doi
        and source.call_id not in (PAPERS_CALL, WEB_CALL)
        and doi_of(dict(source.metadata).get("doi", "")).lower() == doi
    )


def _paper(hit: MergedHit, about: tuple[Source, ...]) -> Paper:
    own = tuple(pair for one in (hit.best, *hit.others) for pair in one.metadata)
    facts = (*own, *(pair for one in about for pair in one.metadata))
    known = dict(reversed(facts))
    year, _, _ = known_date(hit.fact("published"))
    web = hit.best.call_id == WEB_CALL
    influential = hit.fact("influential_citations")
    doi = doi_of(known.get("doi", "")) or (doi_in_url(hit.best.locator) if web else "")
    free = {value for name, value in facts if name == "open_access"}
    pdf = hit.fact("pdf") or known.get("pdf", "")
    return Paper(
        title=hit.best.title,
        url=hit.best.locator,
        source=hit.fact("service:provider"),
        doi=doi or None,
        authors=hit.facts("author") or None,
        journal=hit.fact("journal") or None,
        year=year or None,
        abstract=_abstract(hit) or None,
        citation_count=_number(hit, "cited_by"),
        open_access=True if pdf or "true" in free else False if "false" in free else None,
        pdf_url=pdf or None,
        tldr=hit.fact("tldr") or None,
        is_influential=influential not in ("", "0") if influential else None,
        citation_intents=hit.facts("intent") or None,
        retraction_status=retraction_status(facts),
        trust=TRUST_MARKER,
    )


def _abstract(hit: MergedHit) -> str:
    """The abstract; a register without one gives the reference of the work instead, which is none."""
    text = hit.best.text
    return (
        "" if text.endswith(hit.best.locator) and hit.best.call_id == PAPERS_CALL else short_text(hit, ABSTRACT_BYTES)
    )


def _number(hit: MergedHit, name: str) -> int | None:
    text = hit.fact(name)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None


def _filtered(given: AcademicSearchInput, papers: list[Paper]) -> list[Paper]:
    """What providers cannot filter or sort by; open copies were looked up before."""
    kept = [
        one
        for one in papers
        if (one.pdf_url is not None or not given.pdf_only)
        and (one.open_access is True or not given.open_access)
        and (one.year is None or (given.year_from or 0) <= one.year <= (given.year_to or 9999))
    ]
    if given.sort_by == "date":
        kept.sort(key=lambda one: one.year or 0, reverse=True)
    return kept[: given.num_results]


def _answered(call: CallOutcome | None) -> str:
    used = (rung.provider for rung in call.rungs if rung.fault is None) if call is not None else iter(())
    return next(used, "router")


def _filters(given: AcademicSearchInput) -> tuple[str, ...]:
    wanted = (
        ("year_from", given.year_from is not None),
        ("year_to", given.year_to is not None),
        ("source", given.source != "all"),
        ("pdf_only", given.pdf_only),
        ("open_access", given.open_access),
        ("lens", given.lens is not None),
    )
    return tuple(name for name, is_set in wanted if is_set)


def _notes(given: AcademicSearchInput, outcome: ResearchOutcome, web: bool) -> tuple[str, ...]:
    """What a reader has to know: another strategy answered, a filter could not be asked for, look-ups are missing."""
    years = web and (given.year_from is not None or given.year_to is not None)
    said = (
        "no register of works answered: these are pages of scholarly sites, found by a web search" if web else "",
        "`year_from` and `year_to` were applied to pages with a known date only" if years else "",
        "open copies or integrity were not looked up for every work: the limit of this session was reached"
        if outcome.ended is Ended.LIMIT
        else "",
    )
    return tuple(filter(None, said))


ACADEMIC_SEARCH: Final = Capability(
    name="academic_search",
    family="papers",
    title="Search scholarly works",
    description="Searches scholarly works in registers such as OpenAlex, with open copies and retractions.\n"
    "Use it for papers, and for whether they were retracted. Not for other pages: web_search.",
    kind="retrieve",
    input=AcademicSearchInput,
    output=AcademicSearchOutput,
    example=Example({"query": "seagrass recovery"}, "papers"),
    tools=(SERVICES,),
    max_age_s=MAX_AGE_S,
    plan=plan,
    result=result,
)
