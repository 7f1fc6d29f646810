"""Search images: one call over the operator's providers, the links of pictures with their thumbnails and pages."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from ...evidence.merging import MergedHit, image_keys, merge_hits
from ...kernel.capability import Capability, Example
from ...kernel.failure import Failure
from ...kernel.models import WireModel
from ...kernel.outcome import ResearchOutcome
from ...kernel.request import ResearchRequest
from ...kernel.results import TRUST_MARKER
from ..cache_meta import CacheMeta, cache_meta
from ..searching.search_calls import SERVICES, SearchPlan, options_of, search_call, search_outcome
from ..searching.search_failures import NO_SESSIONS, search_failure
from ..searching.search_hits import display_link, left_out_notes
from ..searching.search_inputs import Country, Language, LensName, Safe, SearchInput, provider_name

__all__ = ["IMAGE_SEARCH", "ImageResult", "ImageSearchInput", "ImageSearchOutput"]

KIND: Final = "images"
MAX_AGE_S: Final = 1_800
# The specification: providers that do not know one of these ignore it; what was ignored is told.
_WISHES: Final = ("dominant_color", "color_type", "file_type", "type", "size", "country", "language", "safe")
_MOST_PIXELS: Final = 1_000_000


class ImageSearchInput(SearchInput):
    """What the pictures show, and of which kind they are."""

    num_results: Annotated[int, Field(ge=1, le=200)] = 5
    size: Literal["huge", "icon", "large", "medium", "small", "xlarge", "xxlarge"] | None = None
    type: Literal["clipart", "face", "lineart", "stock", "photo", "animated"] | None = None
    color_type: Literal["color", "gray", "mono", "trans"] | None = None
    dominant_color: (
        Literal["black", "blue", "brown", "gray", "green", "orange", "pink", "purple", "red", "teal", "white", "yellow"]
        | None
    ) = None
    file_type: Literal["jpg", "gif", "png", "bmp", "svg", "webp"] | None = None
    safe: Safe = "medium"
    country: Country | None = None
    language: Language | None = None
    lens: LensName | None = None
    """A named list of sites."""


class ImageResult(WireModel):
    """One picture; fields that its provider does not report are left out, never made up."""

    title: str
    link: str
    thumbnail_link: str | None = None
    display_link: str
    context_link: str | None = None
    width: int | None = None
    height: int | None = None
    file_size: str | None = None
    trust: Literal["untrusted-external-content"]


class ImageSearchOutput(WireModel):
    """The pictures, best first."""

    images: tuple[ImageResult, ...]
    query: str
    result_count: int
    notes: tuple[str, ...] | None = None
    trust: Literal["untrusted-external-content"]
    meta: Annotated[CacheMeta | None, Field(alias="_meta")] = None


def plan(given: ImageSearchInput, request: ResearchRequest) -> SearchPlan:
    """One search; a hit is what is wanted (R21)."""
    if given.session_id is not None:
        return SearchPlan(call=None)
    options = options_of(
        color_type=given.color_type,
        country=given.country,
        dominant_color=given.dominant_color,
        file_type=given.file_type,
        language=given.language,
        safe=given.safe,
        size=given.size,
        type=given.type,
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


def result(given: ImageSearchInput, outcome: ResearchOutcome) -> ImageSearchOutput | Failure:
    """The pictures, or why there are none."""
    if given.session_id is not None:
        return NO_SESSIONS
    call = search_outcome(outcome)
    failed = search_failure(call, KIND, provider=given.provider, lens=given.lens)
    if failed is not None:
        return failed
    hits = (hit for hit in merge_hits(outcome.bundle.sources, image_keys) if hit.fact("image"))
    images = tuple(map(_image, hits))[: given.num_results]
    return ImageSearchOutput(
        images=images,
        query=given.query,
        result_count=len(images),
        notes=left_out_notes(given, call, {}),
        trust=TRUST_MARKER,
        meta=None if call is None else cache_meta(call),
    )


def _image(hit: MergedHit) -> ImageResult:
    link, page = hit.fact("image"), hit.best.locator
    return ImageResult(
        title=hit.best.title,
        link=link,
        thumbnail_link=hit.fact("thumbnail") or None,
        display_link=display_link(page),
        context_link=page if page != link else None,
        width=_pixels(hit.fact("width")),
        height=_pixels(hit.fact("height")),
        trust=TRUST_MARKER,
    )


def _pixels(text: str) -> int | None:
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
    return number if 0 < number <= _MOST_PIXELS else None


IMAGE_SEARCH: Final = Capability(
    name="image_search",
    family="web",
    title="Search images",
    description="Searches images with the operator's providers and lists their links, thumbnails and pages.\n"
    "Use it to find pictures. Not for the pictures themselves: it gives links.",
    kind="retrieve",
    input=ImageSearchInput,
    output=ImageSearchOutput,
    example=Example({"query": "loaf"}, "images"),
    tools=(SERVICES,),
    max_age_s=MAX_AGE_S,
    plan=plan,
    result=result,
)
