"""Crossref: scholarly works by words, and one work by its DOI, with corrections and retractions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote, urlencode

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
from ..parsing.services.service_answers import (
    date_of,
    facts,
    load_records,
    plain_fragment,
    status_fault,
    text_of,
    texts_of,
    total_of,
    web_locator,
)
from ..parsing.text.json_values import at_path

__all__ = ["parse", "request"]

_WORKS: Final = "https://api.crossref.org/works"
_SEARCH: Final = "paper_search"
_PAPER: Final = "paper"
_DOI: Final = re.compile(r"(?i)(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S{1,500})")
_MOST_AUTHORS: Final = 30
_MOST_UPDATES: Final = 20
_NAMED_AUTHORS: Final = 3
_UNREADABLE: Final = ProviderError(fault=Fault.UNREADABLE)


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search (`query`) or for one work (the first of `ids`, a DOI)."""
    if not asked.has_only():
        return ProviderError(fault=Fault.UNSUPPORTED)
    # Who says how to be reached is served from a pool of its own.
    polite = {"mailto": access.mail} if access.mail else {}
    if asked.kind == _SEARCH and asked.query:
        words = {"query": asked.query, "rows": str(asked.limit), **polite}
        return HttpRequest(url=f"{_WORKS}?{urlencode(words)}")
    if asked.kind == _PAPER:
        doi = _DOI.fullmatch(asked.ids[0].strip()) if len(asked.ids) == 1 else None
        if doi is None:
            return ProviderError(fault=Fault.BAD_REQUEST)
        return HttpRequest(url=f"{_WORKS}/{quote(doi.group(1), safe='')}" + (f"?{urlencode(polite)}" if polite else ""))
    return ProviderError(fault=Fault.UNSUPPORTED if asked.kind != _SEARCH else Fault.BAD_REQUEST)


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The works of an answer; a DOI that Crossref does not know is an answer without hits."""
    if kind == _PAPER and answer.status == 404:
        return Parsed(hits=())
    fault = status_fault(answer)
    if fault is not None:
        return fault
    try:
        said = load_records(answer.body)
    except ParseRefused:
        return _UNREADABLE
    if at_path(said, "status") == "failed":
        return ProviderError(fault=Fault.BAD_REQUEST)
    message = at_path(said, "message")
    if kind == _SEARCH and isinstance(at_path(message, "items"), list):
        hits = tuple(hit for hit in map(_hit, message["items"]) if hit is not None)
        cursor = text_of(message.get("next-cursor"), 10_000) or None
        return Parsed(hits=hits, total=total_of(message.get("total-results")), next_page=cursor)
    hit = _hit(message) if kind == _PAPER and at_path(said, "message-type") == "work" else None
    return _UNREADABLE if hit is None else Parsed(hits=(hit,))


def _hit(work: Any) -> ServiceHit | None:
    """A work as a record; None without a DOI, which is its only place."""
    doi = _DOI.fullmatch(text_of(at_path(work, "DOI")))
    locator = web_locator(f"https://doi.org/{quote(doi.group(1), safe='/')}") if doi else ""
    if doi is None or not locator:
        return None
    title = next(texts_of(work.get("title"), 1), "")
    title = " ".join(plain_fragment(title).split())
    journal = next(texts_of(work.get("container-title"), 1), "")
    authors = tuple(_authors(work.get("author")))
    issued = date_of(work.get("issued"))
    about = facts(
        ("doi", doi.group(1)),
        ("type", text_of(work.get("type"))),
        *(("author", author) for author in authors),
        ("journal", journal),
        ("publisher", text_of(work.get("publisher"))),
        ("issued", issued),
        ("volume", text_of(work.get("volume"))),
        ("issue", text_of(work.get("issue"))),
        ("pages", text_of(work.get("page"))),
        ("cited_by", text_of(work.get("is-referenced-by-count"))),
        *_updates("update_to", work.get("update-to")),
        *_updates("updated_by", work.get("updated-by")),
    )
    abstract = plain_fragment(work.get("abstract"))
    named = "; ".join(authors[:_NAMED_AUTHORS]) + (" et al" if len(authors) > _NAMED_AUTHORS else "")
    reference = ". ".join(part for part in (named, title or "Work without a title", journal, issued, locator) if part)
    return ServiceHit(locator=locator, title=title, text=abstract or reference, metadata=about)


def _authors(value: Any) -> Iterator[str]:
    for author in value[:_MOST_AUTHORS] if isinstance(value, list) else ():
        family, given = text_of(at_path(author, "family"), 200), text_of(at_path(author, "given"), 200)
        name = ", ".join(part for part in (family, given) if part) or text_of(at_path(author, "name"), 200)
        if name:
            yield name


def _updates(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Corrections, retractions and the like: type, DOI and date of each, and who says so."""
    for update in value[:_MOST_UPDATES] if isinstance(value, list) else ():
        parts = (
            text_of(at_path(update, "type"), 100),
            text_of(at_path(update, "DOI"), 500),
            date_of(at_path(update, "updated")),
            text_of(at_path(update, "source"), 100),
        )
        yield name, " ".join(part for part in parts if part)
