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
from ..parsing.services.dois import doi_of
from ..parsing.services.search_options import SearchOptions, read_options
from ..parsing.services.service_answers import date_of, number_of, status_fault, text_of, texts_of, total_of
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, json_of, paper, parsed, people
from ..parsing.text.json_values import at_path, items_of
from ..parsing.text.xml_tree import read_tree

__all__ = ["OPTIONS", "parse", "request"]

_WORKS: Final = "https://api.crossref.org/works"
OPTIONS: Final = {"papers": ("author", "journal", "sort", "source", "year_from", "year_to")}
# The prefixes of publishers; preprints of arXiv are registered elsewhere.
_PREFIXES: Final = {"ieee": "10.1109", "nature": "10.1038", "springer": "10.1007"}
_MOST_IDS: Final = 20
_SORTS: Final = {"citations": "is-referenced-by-count", "date": "published"}
_MOST_UPDATES: Final = 20
_RETRACTIONS: Final = ("removal", "retraction", "withdrawal")
_MISSING: Final = b"resource not found"
# A text that speaks of trouble is no citation, unless it names a work.
_TROUBLE: Final = re.compile(r"(?i)\b(?:error|unavailable|timed? ?out|try again|overloaded|upstream|gateway)\b")
_NAMES_WORK: Final = re.compile(r"\b10\.\d{4,9}/\S")


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search (`query`) or for one work (the first of `ids`, a DOI)."""
    options = read_options(asked, OPTIONS)
    if isinstance(options, ProviderError):
        return options
    # Who says how to be reached is served from a pool of its own.
    polite = {"mailto": access.mail} if access.mail else {}
    if options.source and options.source not in _PREFIXES:
        return UNSUPPORTED
    if asked.kind == "integrity":
        named = [doi_of(one) for one in asked.ids[:_MOST_IDS]]
        if not named or not all(named) or any("," in doi for doi in named):
            return ProviderError(fault=Fault.BAD_REQUEST)
        words = {"filter": ",".join(f"doi:{doi}" for doi in named), "rows": str(len(named)), **polite}
        return HttpRequest(url=f"{_WORKS}?{urlencode(words)}")
    if asked.kind == "papers" and asked.query:
        words = {"query": asked.query, "rows": str(asked.limit), **_filters(options), **polite}
        return HttpRequest(url=f"{_WORKS}?{urlencode(words)}")
    if asked.kind not in ("paper", "papers"):
        return UNSUPPORTED
    doi = doi_of(asked.ids[0]) if len(asked.ids) == 1 else ""
    if not doi or asked.kind == "papers":
        return ProviderError(fault=Fault.BAD_REQUEST)
    return HttpRequest(url=f"{_WORKS}/{quote(doi, safe='')}" + (f"?{urlencode(polite)}" if polite else ""))


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The works of an answer."""
    said = json_of(answer)
    if at_path(said, "status") == "failed":
        missing = text_of(at_path(said, "message-type")) == "resource-failure"
        return ProviderError(fault=Fault.NOT_FOUND if missing else Fault.BAD_REQUEST)
    fault = status_fault(answer, Fault.BLOCKED)
    if fault is not None:
        return fault
    if isinstance(said, ProviderError):
        if answer.body.strip().lower().startswith(_MISSING):
            return ProviderError(fault=Fault.NOT_FOUND)
        return UNSUPPORTED if _is_citation(answer.body) else said
    if not isinstance(said, dict):
        return UNREADABLE
    message: Any = said.get("message")
    kind_of_message = text_of(said.get("message-type"))
    if kind_of_message == "exception":
        return ProviderError(fault=Fault.PROVIDER_DOWN)
    if "message" not in said and doi_of(text_of(said.get("DOI"))):  # a citation in JSON
        return UNSUPPORTED
    listed = kind_of_message == "work-list" or isinstance(at_path(message, "items"), list)
    if kind in ("integrity", "papers") and listed:
        if kind_of_message not in ("", "work-list"):  # members, journals and the like
            return UNSUPPORTED
        if not isinstance(at_path(message, "items"), list):
            return UNREADABLE
        cursor = text_of(message.get("next-cursor"), 10_000) or None
        total = total_of(message.get("total-results"))
        if text_of(message.get("items-per-page")) == "0" and number_of(total):  # asked how many there are
            return UNSUPPORTED
        return parsed(message["items"], _hit, total, cursor)
    if kind not in ("integrity", "paper") or kind_of_message != "work":
        return UNSUPPORTED if kind_of_message else UNREADABLE
    hit = _hit(message)
    return UNREADABLE if hit is None else Parsed(hits=(hit,))


def _filters(options: SearchOptions) -> dict[str, str]:
    years = (("from-pub-date", options.year_from), ("until-pub-date", options.year_to))
    prefix = _PREFIXES.get(options.source, "")
    words = {
        "query.author": options.author,
        "query.container-title": options.journal,
        "filter": ",".join(f"{name}:{value}" for name, value in (*years, ("prefix", prefix)) if value),
        "sort": _SORTS.get(options.sort, ""),
        "order": "desc" if options.sort in _SORTS else "",
    }
    return {name: value for name, value in words.items() if value}


def _is_citation(body: bytes) -> bool:
    """True for a work in another format: BibTeX, RIS, a line of text, Turtle, or XML that is not a web page."""
    try:
        text = body.decode("utf-8-sig").strip()
        if text.startswith("<") and not text.startswith("<http"):
            return read_tree(body).name.lower() != "html"
    except (UnicodeDecodeError, ParseRefused):
        return False
    if not text or text[0] in '{["' or "\x00" in text:
        return False
    return bool(_NAMES_WORK.search(text)) or not _TROUBLE.search(text)


def _hit(work: Any) -> ServiceHit | None:
    """A work as a record; None without a DOI, which is its only place."""
    doi = doi_of(text_of(at_path(work, "DOI"))) or doi_of(text_of(at_path(work, "URL"), 2_000))
    if not doi:
        return None
    updates = (*_updates("update_to", work.get("update-to")), *_updates("updated_by", work.get("updated-by")))
    retracted = any(name == "updated_by" and value.startswith(_RETRACTIONS) for name, value in updates)
    return paper(
        next(texts_of(work.get("title"), 1), ""),
        work.get("abstract"),
        "",
        doi,
        ("type", text_of(work.get("type"))),
        *people(map(_name, items_of(work.get("author"), 100))),
        ("journal", next(texts_of(work.get("container-title"), 1), "")),
        ("publisher", text_of(work.get("publisher"))),
        ("published", date_of(work.get("issued"))),
        ("volume", text_of(work.get("volume"))),
        ("issue", text_of(work.get("issue"))),
        ("pages", text_of(work.get("page"))),
        ("cited_by", text_of(work.get("is-referenced-by-count"))),
        ("retracted", "true" if retracted else ""),
        *updates,
    )


def _name(author: Any) -> str:
    parts = (text_of(at_path(author, "family"), 200), text_of(at_path(author, "given"), 200))
    return ", ".join(part for part in parts if part) or text_of(at_path(author, "name"), 200)


def _updates(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Corrections, retractions and the like: type, DOI and date of each, and who says so."""
    for update in items_of(value, _MOST_UPDATES):
        parts = (
            text_of(at_path(update, "type"), 100),
            text_of(at_path(update, "DOI"), 500),
            date_of(at_path(update, "updated")),
            text_of(at_path(update, "source"), 100),
        )
        yield name, " ".join(part for part in parts if part)
