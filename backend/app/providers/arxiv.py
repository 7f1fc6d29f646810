"""arXiv: preprints by words, and by their numbers."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlencode

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
from ..parsing.refusal import ParseRefused
from ..parsing.services.search_options import SearchOptions, read_options
from ..parsing.services.service_answers import retry_after_s, status_fault, total_of
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, paper, people
from ..parsing.text.xml_tree import XmlNode, read_tree

__all__ = ["OPTIONS", "parse", "request"]

_API: Final = "https://export.arxiv.org/api/query"
OPTIONS: Final = {"papers": ("author", "exact_terms", "exclude_terms", "sort", "source", "year_from", "year_to")}
_ID: Final = re.compile(
    r"(?:(?i:arxiv):|https?://arxiv\.org/(?:abs|pdf)/)?(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(v\d{1,2})?"
)
_ERRORS: Final = "arxiv.org/api/errors"
_TOO_FAST: Final = b"Rate exceeded."
_WORDS: Final = re.compile(r"[^\s\"():]+")
_MOST: Final = 1_000


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search, or for preprints by their numbers."""
    options = read_options(asked, OPTIONS)
    if isinstance(options, ProviderError):
        return options
    if asked.kind == "papers" and asked.query:
        if options.sort == "citations" or options.source not in ("", "arxiv"):
            return UNSUPPORTED
        words = {"search_query": _query(asked.query, options), "start": "0", "max_results": str(asked.limit)}
        order = "submittedDate" if options.sort == "date" else "relevance"
        return HttpRequest(url=f"{_API}?{urlencode({**words, 'sortBy': order, 'sortOrder': 'descending'})}")
    if asked.kind not in ("paper", "papers"):
        return UNSUPPORTED
    numbers = [_ID.fullmatch(one.strip()) for one in asked.ids]
    named = [f"{found.group(1)}{found.group(2) or ''}" for found in numbers if found is not None]
    if asked.kind == "papers" or not named or len(named) != len(numbers):
        return ProviderError(fault=Fault.BAD_REQUEST)
    return HttpRequest(
        url=f"{_API}?{urlencode({'id_list': ','.join(named), 'max_results': str(len(named))}, safe=',/')}"
    )


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The entries of a feed; an error is an entry too, and a number that does not exist is a feed without one."""
    try:
        feed = read_tree(answer.body)
    except ParseRefused:
        if answer.body.strip() == _TOO_FAST:  # under 429, 503 or 200
            return ProviderError(fault=Fault.RATE_LIMITED, retry_after_s=retry_after_s(answer))
        return status_fault(answer, Fault.BLOCKED) or UNREADABLE
    fault = status_fault(answer, Fault.BLOCKED)
    if fault is not None and fault.fault in (Fault.PROVIDER_DOWN, Fault.RATE_LIMITED):  # whatever its entry says
        return fault
    entries = feed.all("entry")
    if any(
        _ERRORS in entry.said("id") or (entry.said("title") == "Error" and not entry.said("published"))
        for entry in entries
    ):
        return ProviderError(fault=Fault.BAD_REQUEST)
    if fault is not None:
        return fault
    if feed.name != "feed" or kind not in ("paper", "papers"):
        return UNREADABLE if feed.name.lower() == "html" and kind in ("paper", "papers") else UNSUPPORTED
    found: dict[str, ServiceHit] = {}
    for entry in entries[:_MOST]:
        hit = _hit(entry)
        if hit is not None:
            found.setdefault(hit.locator, hit)
    if entries and not found:
        return UNREADABLE
    return Parsed(hits=tuple(found.values()), total=total_of(feed.said("totalResults")))


def _query(query: str, options: SearchOptions) -> str:
    """Every word somewhere; a query without a field is read as one of any word."""
    parts = [f"all:{word}" for word in _WORDS.findall(query)] or ["all:none"]
    if options.exact_terms:
        parts.append(f'all:"{options.exact_terms}"')
    if options.author:
        parts.append(f'au:"{options.author}"')
    if options.year_from or options.year_to:
        parts.append(f"submittedDate:[{options.year_from or 1991}01010000 TO {options.year_to or 9999}12312359]")
    return " AND ".join(parts) + "".join(f" ANDNOT all:{word}" for word in options.exclude_terms)


def _hit(entry: XmlNode) -> ServiceHit | None:
    number = _ID.search(entry.said("id"))
    place = entry.said("id").replace("http://", "https://", 1)
    pdf = next(
        (link.attributes.get("href", "") for link in entry.all("link") if link.attributes.get("title") == "pdf"), ""
    )
    category = entry.first("primary_category") or entry.first("category")
    hit = paper(
        entry.said("title"),
        entry.said("summary"),
        place,
        "",
        ("id", f"{number.group(1)}{number.group(2) or ''}" if number else ""),
        ("arxiv", number.group(1) if number else ""),
        ("doi", entry.said("doi")),
        *people(author.said("name") for author in entry.all("author")),
        ("journal", entry.said("journal_ref")),
        ("published", entry.said("published")),
        ("updated", entry.said("updated")),
        ("category", category.attributes.get("term", "") if category is not None else ""),
        ("comment", entry.said("comment")[:500]),
        ("pdf", pdf.replace("http://", "https://", 1)),
        ("open_access", "true"),
    )
    return hit
