"""Tavily: pages and news with longer excerpts, by key."""

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
from ..parsing.services.search_options import read_options
from ..parsing.services.service_answers import retry_after_s, status_fault, text_of
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, json_of, parsed, record
from ..parsing.text.json_values import at_path

__all__ = ["OPTIONS", "parse", "request"]

_SEARCH: Final = "https://api.tavily.com/search"
_KEY: Final = "PORTCULLIS_KEY_TAVILY"
OPTIONS: Final = {"news": ("sites", "time_range"), "web": ("sites", "time_range")}
_TOPICS: Final = {"news": "news", "web": "general"}
_MOST: Final = 20
# The limit of a plan, and of paying as one goes.
_PLAN_LIMITS: Final = (432, 433)


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search of pages or news."""
    options = read_options(asked, OPTIONS)
    if isinstance(options, ProviderError):
        return options
    if asked.kind not in _TOPICS or options.time_range == "hour":
        return UNSUPPORTED
    if not asked.query:
        return ProviderError(fault=Fault.BAD_REQUEST)
    body: dict[str, Any] = {
        "query": asked.query,
        "topic": _TOPICS[asked.kind],
        "search_depth": "basic",
        "max_results": min(asked.limit, _MOST),
    }
    if options.time_range:
        body["time_range"] = options.time_range
    if options.sites:
        body["include_domains"] = list(options.sites)
    headers = (("Content-Type", "application/json"), ("Authorization", f"Bearer {access.key(_KEY)}"))
    return HttpRequest(url=_SEARCH, method="POST", headers=headers, body=json.dumps(body).encode())


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The results of a search."""
    if answer.status in _PLAN_LIMITS:
        return ProviderError(fault=Fault.QUOTA, retry_after_s=retry_after_s(answer))
    said = json_of(answer)
    fault = status_fault(answer)
    if fault is not None:
        used_up = fault.fault is Fault.RATE_LIMITED and _of_detail(at_path(said, "detail")) is Fault.QUOTA
        return ProviderError(fault=Fault.QUOTA, retry_after_s=retry_after_s(answer)) if used_up else fault
    if isinstance(said, ProviderError):
        return said
    if not isinstance(said, dict):
        return UNREADABLE
    if "detail" in said and "results" not in said:
        return ProviderError(fault=_of_detail(said["detail"]))
    if "results" not in said or "query" not in said:
        return UNSUPPORTED
    return parsed(said["results"], _page)


def _of_detail(detail: Any) -> Fault:
    """An error without its status."""
    text = (text_of(at_path(detail, "error")) or text_of(detail)).lower()
    if "unauthorized" in text or "api key" in text:
        return Fault.AUTH
    if "limit" in text and any(word in text for word in ("plan", "usage", "pay-as-you-go", "paygo")):
        return Fault.QUOTA
    return Fault.RATE_LIMITED if "excessive requests" in text or "rate" in text.split() else Fault.BAD_REQUEST


def _page(row: Any) -> ServiceHit | None:
    return record(
        at_path(row, "url"),
        at_path(row, "title"),
        at_path(row, "content"),
        ("published", text_of(at_path(row, "published_date"))),
        ("score", text_of(at_path(row, "score"))),
    )
