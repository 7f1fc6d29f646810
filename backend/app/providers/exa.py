"""Exa: pages, news and papers by meaning, and the contents of pages by their URLs, by key."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from ..kernel.providers import (
    Access,
    Fault,
    HttpAnswer,
    HttpRequest,
    Parsed,
    ProviderError,
    ServiceAnswer,
    ServiceHit,
    ServiceQuery,
)
from ..parsing.services.published import rfc3339_of_ms
from ..parsing.services.search_options import SearchOptions, read_options
from ..parsing.services.service_answers import lines_of, retry_after_s, status_fault, text_of, texts_of
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, json_of, record, records, url_of
from ..parsing.text.json_values import at_path, items_of

__all__ = ["OPTIONS", "parse", "request"]

_API: Final = "https://api.exa.ai"
_KEY: Final = "PORTCULLIS_KEY_EXA"
_COMMON: Final = ("exact_terms", "exclude_terms", "sites", "time_range")
OPTIONS: Final = {"news": _COMMON, "papers": ("sites", "year_from", "year_to"), "web": ("country", *_COMMON)}
_CATEGORIES: Final = {"news": "news", "papers": "research paper"}
_MOST: Final = 100
_MOST_WORDS: Final = 5
_HOUR_MS: Final = 3_600_000
_RANGES: Final = {"hour": 1, "day": 24, "week": 7 * 24, "month": 30 * 24, "year": 365 * 24}
_LONGEST: Final = 10_000
_TAGS: Final = {
    "API_KEY_BUDGET_EXCEEDED": Fault.QUOTA,
    "INVALID_API_KEY": Fault.AUTH,
    "NO_MORE_CREDITS": Fault.QUOTA,
    "PROHIBITED_CONTENT": Fault.BAD_REQUEST,
    "ROBOTS_FILTER_FAILED": Fault.BLOCKED,
}
_TOO_MANY: Final = re.compile(r"(?i)rate.?limit|too.?many.?requests")
_BROKEN: Final = re.compile(r"(?i)internal|default_error|unavailable|time.?out|unable_to|overloaded")
# What became of one URL, inside an answer that is fine as a whole.
_STATUSES: Final = {
    "CRAWL_NOT_FOUND": Fault.NOT_FOUND,
    "CRAWL_TIMEOUT": Fault.SLOW,
    "CRAWL_LIVECRAWL_TIMEOUT": Fault.SLOW,
    "SOURCE_NOT_AVAILABLE": Fault.BLOCKED,
    "UNSUPPORTED_URL": Fault.BAD_REQUEST,
}


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search, or for the contents of pages (URLs in `ids`)."""
    options = read_options(asked, OPTIONS)
    if isinstance(options, ProviderError):
        return options
    if asked.kind == "contents":
        urls = [url_of(one) for one in asked.ids]
        if not urls or not all(urls):
            return ProviderError(fault=Fault.BAD_REQUEST)
        return _posted("contents", {"urls": urls, "text": {"maxCharacters": _LONGEST}}, access)
    if asked.kind not in OPTIONS:
        return UNSUPPORTED
    if not asked.query:
        return ProviderError(fault=Fault.BAD_REQUEST)
    filters = _filters(options, asked.now_ms)
    if filters is None:
        return UNSUPPORTED
    body = {
        "query": asked.query,
        "numResults": min(asked.limit, _MOST),
        **({"category": _CATEGORIES[asked.kind]} if asked.kind in _CATEGORIES else {}),
        **filters,
        "contents": {"text": {"maxCharacters": 2_000}, "highlights": True},
    }
    return _posted("search", body, access)


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The results; where every URL of `contents` failed, why the first one did."""
    said = json_of(answer)
    tag = text_of(at_path(said, "tag"))
    fault = status_fault(answer)
    if tag in _TAGS:
        return ProviderError(fault=_TAGS[tag], retry_after_s=retry_after_s(answer))
    if fault is not None:
        return fault
    if isinstance(said, ProviderError):
        return said
    if not isinstance(said, dict):
        return UNREADABLE
    if "error" in said and "results" not in said:
        return ProviderError(fault=_of_error(tag, text_of(said["error"])))
    if "results" not in said or ("statuses" in said and kind != "contents"):
        return UNSUPPORTED
    if not isinstance(said["results"], list):
        return UNREADABLE
    hits = records(said["results"], _contents if kind == "contents" else _page)
    failed = [row for row in items_of(said.get("statuses"), 100) if at_path(row, "status") == "error"]
    if not hits and failed:
        return ProviderError(fault=_of_status(failed[0]))
    return UNREADABLE if said["results"] and not hits else Parsed(hits=hits)


def _posted(path: str, body: dict[str, Any], access: Access) -> HttpRequest:
    headers = (("Content-Type", "application/json"), ("x-api-key", access.key(_KEY)))
    return HttpRequest(url=f"{_API}/{path}", method="POST", headers=headers, body=json.dumps(body).encode())


def _filters(options: SearchOptions, now_ms: int) -> dict[str, Any] | None:
    """Its names for the options; None where it cannot hold one."""
    found: dict[str, Any] = {}
    phrases = (("includeText", options.exact_terms), ("excludeText", " ".join(options.exclude_terms)))
    for name, phrase in phrases:
        if len(phrase.split()) > _MOST_WORDS:
            return None
        if phrase:
            found[name] = [phrase]
    if options.time_range:
        since = rfc3339_of_ms(now_ms - _RANGES[options.time_range] * _HOUR_MS)
        if not now_ms or not since:
            return None
        found["startPublishedDate"] = since
    if options.year_from:
        found["startPublishedDate"] = f"{options.year_from:04d}-01-01T00:00:00Z"
    if options.year_to:
        found["endPublishedDate"] = f"{options.year_to:04d}-12-31T23:59:59Z"
    if options.sites:
        found["includeDomains"] = list(options.sites)
    if options.country:
        found["userLocation"] = options.country.upper()
    return found


def _of_error(tag: str, text: str) -> Fault:
    """An error without its status; only the older ones have no tag."""
    if _TOO_MANY.search(tag) or _TOO_MANY.search(text):
        return Fault.RATE_LIMITED
    return Fault.PROVIDER_DOWN if not tag or _BROKEN.search(tag) else Fault.BAD_REQUEST


def _of_status(row: Any) -> Fault:
    return _STATUSES.get(text_of(at_path(row, "error", "tag")), Fault.PROVIDER_DOWN)


def _page(row: Any) -> ServiceHit | None:
    """A result of a search: its highlights say more about the question than its first words."""
    return _made(row, " ... ".join(texts_of(at_path(row, "highlights"), 5)) or _whole(row))


def _contents(row: Any) -> ServiceHit | None:
    return _made(row, _whole(row))


def _whole(row: Any) -> str:
    return lines_of(at_path(row, "text")) or lines_of(at_path(row, "summary"))


def _made(row: Any, text: str) -> ServiceHit | None:
    return record(
        at_path(row, "url"),
        at_path(row, "title"),
        text,
        ("id", text_of(at_path(row, "id"))),
        ("published", text_of(at_path(row, "publishedDate"))),
        ("author", text_of(at_path(row, "author"))),
        ("image", text_of(at_path(row, "image"), 2_000)),
        ("score", text_of(at_path(row, "score"))),
    )
