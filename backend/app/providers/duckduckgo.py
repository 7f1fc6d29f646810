"""DuckDuckGo: pages, from its HTML search for browsers without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

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
from ..parsing.services.search_options import read_options, with_operators
from ..parsing.services.service_answers import retry_after_s, status_fault
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, json_of, record, records

__all__ = ["OPTIONS", "parse", "request"]

_SEARCH: Final = "https://html.duckduckgo.com/html/"
OPTIONS: Final = {"web": ("country", "exact_terms", "exclude_terms", "language", "safe", "sites", "time_range")}
_RANGES: Final = {"day": "d", "week": "w", "month": "m", "year": "y"}
_SAFE: Final = {"off": "-2", "medium": "-1", "high": "1"}
_LARGEST: Final = 5_000_000
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}")
_NOTHING: Final = re.compile(rb"(?i)>\s*no\s+(?:more\s+)?results\b")
_CHALLENGE: Final = re.compile(rb"(?i)anomaly-modal|anomaly\.js|captcha|verify you are human|unusual traffic")


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search; a region needs both a country and a language."""
    options = read_options(asked, OPTIONS)
    if isinstance(options, ProviderError):
        return options
    if asked.kind != "web" or options.time_range == "hour" or bool(options.country) is not bool(options.language):
        return UNSUPPORTED
    if not asked.query:
        return ProviderError(fault=Fault.BAD_REQUEST)
    words = {
        "q": with_operators(asked.query, options),
        "kl": f"{options.country}-{options.language}" if options.country else "",
        "df": _RANGES.get(options.time_range, ""),
        "kp": _SAFE.get(options.safe, ""),
    }
    told = urlencode({name: value for name, value in words.items() if value})
    return HttpRequest(url=f"{_SEARCH}?{told}", headers=(("Accept", "text/html"),))


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The results of a page; a page that asks whether we are a person is not one without results."""
    fault = status_fault(answer, Fault.BLOCKED)
    if fault is not None:
        return ProviderError(fault=Fault.BLOCKED) if answer.status == 418 else fault
    if kind != "web":
        return UNSUPPORTED
    if len(answer.body) > _LARGEST:
        return UNREADABLE
    if answer.body.lstrip()[:1] == b"{":  # its instant answers
        return UNSUPPORTED if {"AbstractText", "RelatedTopics"} & set(_names(answer)) else UNREADABLE
    found = LexborHTMLParser(answer.body.decode("utf-8", "replace"))
    rows = found.css("div.result")
    if answer.status == 202 or (not rows and _CHALLENGE.search(answer.body)):
        return ProviderError(fault=Fault.BLOCKED, retry_after_s=retry_after_s(answer))
    hits = records(rows, _page)
    nothing = found.css_first(".no-results, .result--no-result, #no_results") is not None or _NOTHING.search(
        answer.body
    )
    if hits or nothing:
        return Parsed(hits=hits)
    # The page for the smallest browsers has other names.
    return UNSUPPORTED if found.css_first("a.result-link") is not None else UNREADABLE


def _names(answer: HttpAnswer) -> Iterable[str]:
    said = json_of(answer)
    return said if isinstance(said, dict) else ()


def _page(row: LexborNode) -> ServiceHit | None:
    classes = (row.attributes.get("class") or "").split()
    link = row.css_first("a.result__a")
    if link is None or "result--ad" in classes or "result--no-result" in classes:
        return None
    snippet, extras = row.css_first(".result__snippet"), row.css_first(".result__extras__url")
    date = _DATE.search(extras.text()) if extras is not None else None
    shown = row.css_first("a.result__url")
    return record(
        _target(link.attributes.get("href") or ""),
        link.text(),
        snippet.text() if snippet is not None else "",
        ("published", date.group() if date else ""),
        ("source", shown.text().strip().partition("/")[0] if shown is not None else ""),
    )


def _target(href: str) -> str:
    """Where a link leads: straight, or by way of a redirect that has the URL in its query, escaped once."""
    try:
        parts = urlsplit(urljoin(_SEARCH, href) if href.startswith("/") else href)
        if (parts.hostname or "").endswith("duckduckgo.com"):
            named = parse_qs(parts.query).get("uddg", [""]) if parts.path == "/l/" else [""]
            return named[0]
    except ValueError:  # brackets that no host has
        return ""
    return href
