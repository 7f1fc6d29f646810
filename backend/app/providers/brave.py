"""Brave Search: pages, news and images, by key."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

from ..kernel.providers import (
    Access,
    Fault,
    HttpAnswer,
    HttpRequest,
    ProviderError,
    ServiceAnswer,
    ServiceHit,
    ServiceQuery,
)
from ..parsing.services.search_options import SearchOptions, read_options, with_operators
from ..parsing.services.service_answers import (
    fault_of_status,
    flag_of,
    number_of,
    plain_fragment,
    retry_after_s,
    status_fault,
    text_of,
    texts_of,
)
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, json_of, parsed, record
from ..parsing.text.json_values import at_path

__all__ = ["OPTIONS", "parse", "request"]

_API: Final = "https://api.search.brave.com/res/v1"
_KEY: Final = "PORTCULLIS_KEY_BRAVE"
_PAGES: Final = ("country", "exact_terms", "exclude_terms", "language", "safe", "sites", "time_range")
OPTIONS: Final = {"images": ("country", "language", "safe"), "news": _PAGES, "web": _PAGES}
_MOST: Final = {"images": 200, "news": 50, "web": 20}
_FRESH: Final = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
_SAFE: Final = {"off": "off", "medium": "moderate", "high": "strict"}
_LONGEST_QUERY: Final = 400
_MOST_WORDS: Final = 50
_TYPES: Final = {"images": "images", "news": "news", "web": "search"}
# What an error says of itself counts more than its status: a rate passes, a used-up month or a smaller plan does not.
_CODES: Final = {
    "API_VERSION_NOT_FOUND": Fault.BAD_REQUEST,
    "OPTION_NOT_IN_PLAN": Fault.QUOTA,
    "QUOTA_LIMITED": Fault.QUOTA,
    "RATE_LIMITED": Fault.RATE_LIMITED,
    "RESOURCE_NOT_ALLOWED": Fault.AUTH,
    "SUBSCRIPTION_NOT_FOUND": Fault.AUTH,
    "SUBSCRIPTION_TOKEN_INVALID": Fault.AUTH,
    "SUBSCRIPTION_TOKEN_MISSING": Fault.AUTH,
    "USAGE_LIMIT_EXCEEDED": Fault.QUOTA,
    "VALIDATION": Fault.BAD_REQUEST,
}


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search of pages, news or images."""
    options = read_options(asked, OPTIONS)
    if isinstance(options, ProviderError):
        return options
    if asked.kind not in OPTIONS or options.time_range == "hour":
        return UNSUPPORTED
    if not asked.query:
        return ProviderError(fault=Fault.BAD_REQUEST)
    query = with_operators(asked.query, options)
    if len(query) > _LONGEST_QUERY or len(query.split()) > _MOST_WORDS:
        return UNSUPPORTED
    words = {
        "q": query,
        "count": str(min(asked.limit, _MOST[asked.kind])),
        "country": options.country.upper(),
        "search_lang": options.language,
        "safesearch": _safe(asked.kind, options),
        "freshness": _FRESH.get(options.time_range, ""),
    }
    told = urlencode({name: value for name, value in words.items() if value})
    headers = (("Accept", "application/json"), ("X-Subscription-Token", access.key(_KEY)))
    return HttpRequest(url=f"{_API}/{asked.kind}/search?{told}", headers=headers)


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The results of a search; local results, videos and the like are an answer to something else."""
    said = json_of(answer)
    code = text_of(at_path(said, "error", "code"))
    if code:
        status = number_of(at_path(said, "error", "status"))
        told = fault_of_status(answer.status) or fault_of_status(status)
        fault = _CODES.get(code, told or Fault.PROVIDER_DOWN)
        return ProviderError(fault=fault, retry_after_s=retry_after_s(answer))
    plain = status_fault(answer)
    if plain is not None:
        return plain
    if isinstance(said, ProviderError):
        return said
    if not isinstance(said, dict):
        return UNREADABLE
    if said.get("type") != _TYPES.get(kind) or (kind == "web" and "web" not in said and "locations" in said):
        return UNSUPPORTED
    if kind == "web":
        return parsed(at_path(said, "web", "results") if "web" in said else [], _page)
    return parsed(said.get("results"), _image if kind == "images" else _page)


def _safe(kind: str, options: SearchOptions) -> str:
    # For images there is no middle.
    return "strict" if kind == "images" and options.safe == "medium" else _SAFE.get(options.safe, "")


def _page(row: Any) -> ServiceHit | None:
    more = tuple(("excerpt", plain_fragment(text)) for text in texts_of(at_path(row, "extra_snippets"), 5))
    return record(
        at_path(row, "url"),
        at_path(row, "title"),
        at_path(row, "description"),
        ("published", text_of(at_path(row, "page_age")) or text_of(at_path(row, "age"))),
        ("source", text_of(at_path(row, "profile", "name")) or text_of(at_path(row, "meta_url", "hostname"))),
        ("language", text_of(at_path(row, "language"))),
        ("thumbnail", text_of(at_path(row, "thumbnail", "src"), 2_000)),
        ("breaking", flag_of(at_path(row, "breaking"))),
        *more,
    )


def _image(row: Any) -> ServiceHit | None:
    return record(
        at_path(row, "url"),
        at_path(row, "title"),
        at_path(row, "description"),
        ("image", text_of(at_path(row, "properties", "url"), 2_000)),
        ("thumbnail", text_of(at_path(row, "thumbnail", "src"), 2_000)),
        ("width", text_of(at_path(row, "properties", "width"))),
        ("height", text_of(at_path(row, "properties", "height"))),
        ("source", text_of(at_path(row, "source"))),
    )
