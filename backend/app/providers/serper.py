"""Serper: Google's results for pages, news and images, by key."""

from __future__ import annotations

import json
from typing import Any, Final

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
from ..parsing.services.service_answers import (
    fault_of_status,
    number_of,
    retry_after_s,
    status_fault,
    text_of,
)
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, json_of, parsed, record
from ..parsing.text.json_values import at_path

__all__ = ["OPTIONS", "parse", "request"]

_API: Final = "https://google.serper.dev"
_KEY: Final = "PORTCULLIS_KEY_SERPER"
_COMMON: Final = ("country", "exact_terms", "exclude_terms", "language", "safe", "sites", "time_range")
OPTIONS: Final = {"images": _COMMON, "news": _COMMON, "web": _COMMON}
_PATHS: Final = {"images": "images", "news": "news", "web": "search"}
_ROWS: Final = {"images": "images", "news": "news", "web": "organic"}
_OTHERS: Final = {"images", "news", "patents", "places", "reviews", "shopping", "suggestions", "text", "videos"}
_RANGES: Final = {"hour": "h", "day": "d", "week": "w", "month": "m", "year": "y"}
_MOST: Final = 100


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search of pages, news or images."""
    options = read_options(asked, OPTIONS)
    if isinstance(options, ProviderError):
        return options
    if asked.kind not in _PATHS:
        return UNSUPPORTED
    if not asked.query:
        return ProviderError(fault=Fault.BAD_REQUEST)
    body: dict[str, Any] = {"q": with_operators(asked.query, options), "num": min(asked.limit, _MOST)}
    if options.country:
        body["gl"] = options.country
    if options.language:
        body["hl"] = options.language
    if options.time_range:
        body["tbs"] = f"qdr:{_RANGES[options.time_range]}"
    if options.safe:
        body["safe"] = "off" if options.safe == "off" else "active"
    headers = (("Content-Type", "application/json"), ("X-API-KEY", access.key(_KEY)))
    return HttpRequest(
        url=f"{_API}/{_PATHS[asked.kind]}", method="POST", headers=headers, body=json.dumps(body).encode()
    )


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The results of a search; a question without results has an empty list."""
    said = json_of(answer)
    message = text_of(at_path(said, "message")).lower()
    if "credits" in message:
        return ProviderError(fault=Fault.QUOTA, retry_after_s=retry_after_s(answer))
    fault = status_fault(answer)
    if fault is not None:
        return fault
    if isinstance(said, ProviderError):
        return said
    if isinstance(said, list):  # several questions at once
        return UNSUPPORTED
    if not isinstance(said, dict):
        return UNREADABLE
    code = number_of(said.get("statusCode"))
    if message and code:
        return ProviderError(fault=fault_of_status(code) or Fault.UNREADABLE)
    # Other searches have lists of the same name, and a search of pages without results leaves its list out.
    named = text_of(at_path(said, "searchParameters", "type"))
    asked = named or ("" if _OTHERS & said.keys() or "searchParameters" not in said else "search")
    name = _ROWS.get(kind, "")
    if name in said and named in ("", _PATHS.get(kind)):
        return parsed(said[name], _image if kind == "images" else _page)
    return parsed([], _page) if asked == _PATHS.get(kind) else UNSUPPORTED


def _page(row: Any) -> ServiceHit | None:
    return record(
        at_path(row, "link"),
        at_path(row, "title"),
        at_path(row, "snippet"),
        ("published", text_of(at_path(row, "date"))),
        ("source", text_of(at_path(row, "source"))),
        ("position", text_of(at_path(row, "position"))),
        ("thumbnail", text_of(at_path(row, "imageUrl"), 2_000)),
    )


def _image(row: Any) -> ServiceHit | None:
    return record(
        at_path(row, "link"),
        at_path(row, "title"),
        "",
        ("image", text_of(at_path(row, "imageUrl"), 2_000)),
        ("thumbnail", text_of(at_path(row, "thumbnailUrl"), 2_000)),
        ("width", text_of(at_path(row, "imageWidth"))),
        ("height", text_of(at_path(row, "imageHeight"))),
        ("source", text_of(at_path(row, "source")) or text_of(at_path(row, "domain"))),
        ("position", text_of(at_path(row, "position"))),
    )
