"""SearchAPI: Google's results for pages, news and images, by key."""

from __future__ import annotations

import re
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
from ..parsing.services.search_options import read_options, with_operators
from ..parsing.services.service_answers import retry_after_s, status_fault, text_of, total_of
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, json_of, parsed, record
from ..parsing.text.json_values import at_path

__all__ = ["OPTIONS", "parse", "request"]

_SEARCH: Final = "https://www.searchapi.io/api/v1/search"
_KEY: Final = "PORTCULLIS_KEY_SEARCHAPI"
_COMMON: Final = ("country", "exact_terms", "exclude_terms", "language", "safe", "sites", "time_range")
_PICTURES: Final = ("color_type", "dominant_color", "size")
OPTIONS: Final = {"images": (*_COMMON, *_PICTURES), "news": (*_COMMON, "sort"), "web": _COMMON}
_ENGINES: Final = {"images": "google_images", "news": "google_news", "web": "google"}
_ROWS: Final = {"images": "images", "news": "organic_results", "web": "organic_results"}
_SIZES: Final = {"icon": "icon", "large": "large", "medium": "medium"}
_COLORS: Final = {"gray": "black_and_white", "trans": "transparent"}
_MOST: Final = 100
_NOTHING: Final = re.compile(r"(?i)(?:did ?n[o'\u2019]t|not) return any results|no results")
# Which of the two it is decides who waits: a rate passes by itself, whatever plan is offered beside it.
_TOO_FAST: Final = re.compile(
    r"(?i)per hour|hourly|per minute|per second|concurren|at once|throughput|too many requests"
)
_BROKEN: Final = re.compile(r"(?i)try again|get valid results|temporar|timed? ?out|internal|unavailable")
_USED_UP: Final = re.compile(r"(?i)credits|plan|month|all of the searches|run out|upgrade")


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search of pages, news or images."""
    options = read_options(asked, OPTIONS)
    if isinstance(options, ProviderError):
        return options
    odd = options.size not in ("", *_SIZES) or options.color_type not in ("", *_COLORS) or options.sort == "citations"
    if asked.kind not in _ENGINES or odd or (options.color_type and options.dominant_color):
        return UNSUPPORTED
    if not asked.query:
        return ProviderError(fault=Fault.BAD_REQUEST)
    words = {
        "engine": _ENGINES[asked.kind],
        "q": with_operators(asked.query, options),
        "num": str(min(asked.limit, _MOST)),
        "gl": options.country,
        "hl": options.language,
        "safe": "" if not options.safe else "off" if options.safe == "off" else "active",
        "time_period": f"last_{options.time_range}" if options.time_range else "",
        "sort_by": "most_recent" if options.sort == "date" else "",
        "size": _SIZES.get(options.size, ""),
        "color": _COLORS.get(options.color_type, "") or options.dominant_color,
    }
    told = urlencode({name: value for name, value in words.items() if value})
    return HttpRequest(url=f"{_SEARCH}?{told}", headers=(("Authorization", f"Bearer {access.key(_KEY)}"),))


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The results of a search."""
    said = json_of(answer)
    error = text_of(at_path(said, "error"))
    fault = status_fault(answer)
    if fault is not None:
        if fault.fault is Fault.RATE_LIMITED and _USED_UP.search(error) and not _TOO_FAST.search(error):
            return ProviderError(fault=Fault.QUOTA, retry_after_s=retry_after_s(answer))
        return fault
    if isinstance(said, ProviderError):
        return said
    if not isinstance(said, dict):
        return UNREADABLE
    if error and not _NOTHING.search(error):
        return ProviderError(fault=_of_text(error))
    engine = text_of(at_path(said, "search_parameters", "engine"))
    rows = said.get(_ROWS.get(kind, ""), [] if error or engine == _ENGINES.get(kind) else None)
    if rows is None or (engine and engine != _ENGINES.get(kind)):
        return UNSUPPORTED
    total = total_of(at_path(said, "search_information", "total_results"))
    return parsed(rows, _image if kind == "images" else _page, total)


def _of_text(error: str) -> Fault:
    """An error without its status."""
    if re.search(r"(?i)api.?key|unauthori[sz]ed|authenticat", error):
        return Fault.AUTH
    if _TOO_FAST.search(error):
        return Fault.RATE_LIMITED
    if _USED_UP.search(error):
        return Fault.QUOTA
    return Fault.PROVIDER_DOWN if _BROKEN.search(error) else Fault.BAD_REQUEST


def _page(row: Any) -> ServiceHit | None:
    return record(
        at_path(row, "link"),
        at_path(row, "title"),
        at_path(row, "snippet"),
        ("published", text_of(at_path(row, "iso_date")) or text_of(at_path(row, "date"))),
        ("source", text_of(at_path(row, "source")) or text_of(at_path(row, "source", "name"))),
        ("position", text_of(at_path(row, "position"))),
        ("thumbnail", text_of(at_path(row, "thumbnail"), 2_000)),
    )


def _image(row: Any) -> ServiceHit | None:
    original = at_path(row, "original")
    return record(
        at_path(row, "source", "link") or at_path(row, "link"),
        at_path(row, "title"),
        "",
        ("image", text_of(at_path(original, "link"), 2_000) or text_of(original, 2_000)),
        ("thumbnail", text_of(at_path(row, "thumbnail"), 2_000)),
        ("width", text_of(at_path(original, "width"))),
        ("height", text_of(at_path(original, "height"))),
        ("source", text_of(at_path(row, "source", "name")) or text_of(at_path(row, "source"))),
        ("position", text_of(at_path(row, "position"))),
    )
