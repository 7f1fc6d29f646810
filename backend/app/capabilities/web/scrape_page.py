"""Read one page: a single call, and its answer in the shape that the specification gives `scrape_page`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, JsonValue, TypeAdapter, ValidationError, model_validator

from ...evidence.citing import Citation, cite
from ...evidence.content_size import DEFAULT_BYTES, SizeCategory, allowed_bytes, estimated_tokens, size_category
from ...evidence.page_facts import PageFacts, facts_from_pairs
from ...kernel.calls import ToolCall
from ...kernel.capability import Capability, Example
from ...kernel.failure import Failure
from ...kernel.models import FrozenModel, Text, WireModel
from ...kernel.outcome import ResearchOutcome
from ...kernel.request import ResearchRequest
from ...kernel.results import TRUST_MARKER, CallOutcome, Source, SourceKind
from ...parsing.html.source_kind import ForumSignals
from ...parsing.text.text_cuts import utf8_length
from ...screen.carriers import strip_carriers
from ..cache_meta import CacheMeta, cache_meta
from ..plans import OneCallPlan
from .scrape_failure import scrape_failure

__all__ = [
    "SCRAPE_PAGE",
    "Mode",
    "ScrapeOutput",
    "ScrapePageInput",
]

Mode = Literal["full", "preview", "raw"]
TOOL: Final = "scrape_page"
CALL: Final = "scrape-1"
URL_CHARS_MAX: Final = 2_048
"""As long as the address of a source may be."""
LENGTH_MIN: Final = 40
"""Half of it may be lost to a good end, and less than twenty characters are no evidence."""
_JSON: Final = TypeAdapter[JsonValue](JsonValue)


def _address(url: str) -> str:
    if not url.strip():
        raise ValueError("is empty")
    if len(url) > URL_CHARS_MAX:
        raise ValueError(f"is longer than {URL_CHARS_MAX} characters")
    if strip_carriers(url).removed:
        raise ValueError("holds characters that cannot be seen")
    return url


class ScrapePageInput(FrozenModel):
    """What is to be read, how, and how much of it."""

    url: Annotated[Text, AfterValidator(_address)]
    mode: Mode = "full"
    max_length: Annotated[int, Field(ge=LENGTH_MIN)] = DEFAULT_BYTES
    """Bytes; more than the cap is the cap, and a preview has a length of its own."""
    form: Literal["text", "markdown"] = "text"

    @model_validator(mode="after")
    def _raw_has_no_form(self) -> ScrapePageInput:
        if self.mode == "raw" and self.form == "markdown":
            raise ValueError("raw is as it came, there is no Markdown of it")
        return self

    @property
    def length(self) -> int:
        """What is really asked of the tool."""
        return allowed_bytes(self.mode, self.max_length)


class PageMetadata(WireModel):
    """What the page calls itself."""

    title: str
    author: str


class StructuredData(WireModel):
    """What the page embeds for machines; untrusted like the rest."""

    json_ld: tuple[JsonValue, ...] | None = None
    open_graph: dict[str, str] | None = None
    citation: dict[str, str] | None = None


class Forum(WireModel):
    """How a forum's readers met a post."""

    platform: str
    upvotes: int
    comments: int
    date_published: str | None = None
    author_name: str | None = None
    credibility_note: str | None = None


class ScrapeOutput(WireModel):
    """A page as a caller gets it; fields that say nothing are left out."""

    url: str
    content: str
    content_type: str
    trust: Literal["untrusted-external-content"]
    content_length: int
    truncated: bool
    estimated_tokens: int
    size_category: SizeCategory
    citation: Citation
    raw: Literal[True] | None = None
    extracted_by: str | None = None
    extraction_quality: str | None = None
    metadata: PageMetadata | None = None
    structured_data: StructuredData | None = None
    forum_signals: Forum | None = None
    source_type: str
    authority_tier: str
    domain_category: str
    detected_doi: Annotated[str | None, Field(alias="detectedDoi")] = None
    meta: Annotated[CacheMeta | None, Field(alias="_meta")] = None


def plan(given: ScrapePageInput, request: ResearchRequest) -> OneCallPlan:
    """The one call; a page that was fetched is a success (R21)."""
    form = "raw" if given.mode == "raw" else given.form
    params = (("url", given.url), ("form", form), ("max_length", given.length))
    return OneCallPlan(call=ToolCall(call_id=CALL, tool=TOOL, params=params), counts=(SourceKind.FETCHED,))


def result(given: ScrapePageInput, outcome: ResearchOutcome) -> ScrapeOutput | Failure:
    """What a caller is told: the page, or why there is none."""
    if not outcome.bundle.sources:
        return scrape_failure(given.url, outcome)
    return _output(given, outcome.bundle.sources[0], outcome.outcomes[0], outcome.started_at_ms)


def _output(asked: ScrapePageInput, source: Source, call: CallOutcome, now_ms: int) -> ScrapeOutput:
    facts = facts_from_pairs(source.metadata)
    raw = asked.mode == "raw"
    content_length = utf8_length(source.text)
    return ScrapeOutput(
        url=source.locator,
        content=source.text,
        content_type=facts.content_type,
        trust=TRUST_MARKER,
        content_length=content_length,
        truncated=call.truncated,
        estimated_tokens=estimated_tokens(content_length),
        size_category=size_category(content_length),
        citation=cite(
            source.locator,
            now_ms,
            title=source.title,
            author=facts.author,
            site=facts.site,
            date=facts.published,
        ),
        raw=True if raw else None,
        extracted_by=facts.extracted_by or None,
        extraction_quality=facts.extraction_quality or None,
        metadata=None if raw or not source.title else PageMetadata(title=source.title, author=facts.author),
        structured_data=_structured(facts),
        forum_signals=_forum(facts.forum),
        source_type=facts.source_type,
        authority_tier=facts.authority_tier,
        domain_category=facts.domain_category,
        detected_doi=facts.detected_doi or None,
        meta=cache_meta(call),
    )


def _structured(facts: PageFacts) -> StructuredData | None:
    blocks = tuple(_values(facts.json_ld))
    if not (blocks or facts.open_graph or facts.citation):
        return None
    return StructuredData(
        json_ld=blocks or None,
        open_graph=dict(facts.open_graph) or None,
        citation=dict(facts.citation) or None,
    )


def _values(blocks: Iterable[str]) -> Iterator[JsonValue]:
    for block in blocks:
        try:
            yield _bare(_JSON.validate_json(block))
        except ValidationError:  # nested deeper than a caller's reader would like
            continue


def _bare(value: JsonValue) -> JsonValue:
    """Without invisible carriers, which the block may have spelled as escapes; the screen has seen and counted them."""
    match value:
        case str():
            return strip_carriers(value).text
        case list():
            return [_bare(one) for one in value]
        case dict():
            return {strip_carriers(name).text: _bare(one) for name, one in value.items()}
    return value


def _forum(signals: ForumSignals | None) -> Forum | None:
    if signals is None:
        return None
    return Forum(
        platform=signals.platform,
        upvotes=signals.upvotes,
        comments=signals.comments,
        date_published=signals.date_published or None,
        author_name=signals.author_name or None,
        credibility_note=signals.credibility_note or None,
    )


SCRAPE_PAGE: Final = Capability(
    name=TOOL,
    family="web",
    title="Read a page",
    description="Reads one public web page or document and says what kind of source it is.\n"
    "Use it when the address is known. Not to find pages: web_search.",
    kind="retrieve",
    input=ScrapePageInput,
    output=ScrapeOutput,
    example=Example({"url": "https://kelder-power.example/station"}, "content"),
    tools=(TOOL,),
    plan=plan,
    result=result,
)
