"""Google Programmable Search: pages, news and images of the operator's own search engine, by key."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import urlencode

from pydantic import SecretStr

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
from ..parsing.services.search_options import SearchOptions, read_options
from ..parsing.services.service_answers import (
    fault_of_status,
    number_of,
    retry_after_s,
    status_fault,
    text_of,
    total_of,
)
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, json_of, parsed, record
from ..parsing.text.json_values import at_path, items_of

__all__ = ["OPTIONS", "parse", "request"]

_SEARCH: Final = "https://www.googleapis.com/customsearch/v1"
_KEY: Final = "PORTCULLIS_KEY_GOOGLE_CSE"
_ABOUT_KEY: Final = re.compile(r"\bapi key\b", re.IGNORECASE)
_ENGINE: Final = "PORTCULLIS_KEY_GOOGLE_CSE_ID"
_PAGES: Final = ("country", "exact_terms", "exclude_terms", "language", "safe", "sites", "sort", "time_range")
_PICTURES: Final = ("color_type", "dominant_color", "file_type", "size", "type")
# There is no news of its own: news are pages, by date where that is asked for.
OPTIONS: Final = {"images": (*_PAGES, *_PICTURES), "news": _PAGES, "web": _PAGES}
_MOST: Final = 10
_RANGES: Final = {"day": "d1", "week": "w1", "month": "m1", "year": "y1"}
_DATES: Final = ("article:published_time", "datepublished", "date", "og:published_time", "dc.date", "pubdate")
_PER_DAY: Final = re.compile(r"(?i)per ?day|daily|1/d\b")
_REASONS: Final = {
    "accessNotConfigured": Fault.AUTH,
    "API_KEY_INVALID": Fault.AUTH,
    "dailyLimitExceeded": Fault.QUOTA,
    "dailyLimitExceededUnreg": Fault.QUOTA,
    "forbidden": Fault.AUTH,
    "invalid": Fault.BAD_REQUEST,
    "keyInvalid": Fault.AUTH,
    "quotaExceeded": Fault.QUOTA,
    "rateLimitExceeded": Fault.RATE_LIMITED,
    "userRateLimitExceeded": Fault.RATE_LIMITED,
}


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search of pages, news or images; the key goes into the query, as it is taken nowhere else."""
    options = read_options(asked, OPTIONS)
    if isinstance(options, ProviderError):
        return options
    odd = options.time_range == "hour" or options.sort == "citations"  # it sorts by date or not at all
    if asked.kind not in OPTIONS or odd:
        return UNSUPPORTED
    if not asked.query:
        return ProviderError(fault=Fault.BAD_REQUEST)
    told = urlencode({name: value for name, value in _words(asked, options).items() if value})
    keys = (("key", SecretStr(access.key(_KEY))), ("cx", SecretStr(access.key(_ENGINE))))
    return HttpRequest(url=f"{_SEARCH}?{told}", secret_query=keys)


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The items of a search; the list is missing where there are none."""
    said = json_of(answer)
    error = at_path(said, "error")
    if isinstance(error, dict):
        return ProviderError(fault=_fault(error, answer), retry_after_s=retry_after_s(answer))
    fault = status_fault(answer)
    if fault is not None:
        return fault
    if isinstance(said, ProviderError):
        return said
    if not isinstance(said, dict):
        return UNREADABLE
    if said.get("kind") != "customsearch#search" and "items" not in said and "searchInformation" not in said:
        return UNSUPPORTED
    rows = said.get("items", [])
    if not isinstance(rows, list):
        return UNREADABLE
    pictures = [row for row in rows if isinstance(at_path(row, "image"), dict)]
    # A body of pictures answers no other question, and one without any does not answer that for pictures.
    if rows and (not pictures if kind == "images" else len(pictures) == len(rows)):
        return UNSUPPORTED
    rows = pictures if kind == "images" else rows
    total = total_of(at_path(said, "searchInformation", "totalResults"))
    return parsed(rows, _image if kind == "images" else _page, total)


def _words(asked: ServiceQuery, options: SearchOptions) -> dict[str, str]:
    # The parameter for sites takes one; several stand in the query, like everywhere.
    several = len(options.sites) > 1
    return {
        "q": f"{asked.query} ({' OR '.join(f'site:{site}' for site in options.sites)})" if several else asked.query,
        "num": str(min(asked.limit, _MOST)),
        "searchType": "image" if asked.kind == "images" else "",
        "dateRestrict": _RANGES.get(options.time_range, ""),
        "siteSearch": options.sites[0] if len(options.sites) == 1 else "",
        "siteSearchFilter": "i" if len(options.sites) == 1 else "",
        "exactTerms": options.exact_terms,
        "excludeTerms": " ".join(options.exclude_terms),
        "lr": f"lang_{options.language}" if options.language else "",
        "cr": f"country{options.country.upper()}" if options.country else "",
        "safe": "" if not options.safe else "off" if options.safe == "off" else "active",
        "sort": "date" if options.sort == "date" else "",
        "imgSize": options.size,
        "imgType": options.type,
        "imgColorType": options.color_type,
        "imgDominantColor": options.dominant_color,
        "fileType": options.file_type,
    }


def _fault(error: dict[str, Any], answer: HttpAnswer) -> Fault:
    rows = (*items_of(error.get("errors"), 5), *items_of(error.get("details"), 5))
    reasons = [text_of(at_path(row, "reason")) for row in rows]
    named = next((_REASONS[reason] for reason in reasons if reason in _REASONS), None)
    if named is Fault.RATE_LIMITED or error.get("status") == "RESOURCE_EXHAUSTED":
        # The limit of a day has the same code as that of a minute; only the message or the details say which.
        told = (at_path(row, "metadata", name) for row in rows for name in ("quota_limit", "quota_unit"))
        words = (text_of(error.get("message")), *map(text_of, told))
        return Fault.QUOTA if any(_PER_DAY.search(text) for text in words) else Fault.RATE_LIMITED
    if named is not None and named is not Fault.BAD_REQUEST:
        return named
    if _ABOUT_KEY.search(text_of(error.get("message"))):  # said with the status of a bad request
        return Fault.AUTH
    status = number_of(error.get("code")) or answer.status
    return named or fault_of_status(status) or Fault.PROVIDER_DOWN


def _page(row: Any) -> ServiceHit | None:
    tags: Any = next(iter(items_of(at_path(row, "pagemap", "metatags"), 1)), {})
    date = next(filter(None, (text_of(at_path(tags, name)) for name in _DATES)), "")
    thumbnail: Any = next(iter(items_of(at_path(row, "pagemap", "cse_thumbnail"), 1)), {})
    return record(
        at_path(row, "link"),
        at_path(row, "title"),
        at_path(row, "snippet"),
        ("published", date),
        ("source", text_of(at_path(row, "displayLink"))),
        ("thumbnail", text_of(at_path(thumbnail, "src"), 2_000)),
    )


def _image(row: Any) -> ServiceHit | None:
    page = at_path(row, "image", "contextLink")
    return record(
        page or at_path(row, "link"),
        at_path(row, "title"),
        at_path(row, "snippet"),
        ("image", text_of(at_path(row, "link"), 2_000)),
        ("thumbnail", text_of(at_path(row, "image", "thumbnailLink"), 2_000)),
        ("width", text_of(at_path(row, "image", "width"))),
        ("height", text_of(at_path(row, "image", "height"))),
        ("format", text_of(at_path(row, "mime"), 100)),
        ("source", text_of(at_path(row, "displayLink"))),
    )
