"""Semantic Scholar: scholarly works by words or identifiers, and the works that cite one or that it cites."""

from __future__ import annotations

import json
import re
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
from ..parsing.services.dois import doi_of
from ..parsing.services.search_options import SearchOptions, read_options
from ..parsing.services.service_answers import flag_of, status_fault, text_of, texts_of, total_of
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, json_of, paper, parsed, people
from ..parsing.text.json_values import at_path, items_of

__all__ = ["OPTIONS", "parse", "request"]

_API: Final = "https://api.semanticscholar.org/graph/v1/paper"
_PAGE: Final = "https://www.semanticscholar.org/paper/"
_KEY: Final = "PORTCULLIS_KEY_SEMANTICSCHOLAR"
OPTIONS: Final = {"papers": ("journal", "open_access", "sort", "year_from", "year_to")}
_LINKS: Final = {"citations": "citingPaper", "references": "citedPaper"}
_FIELDS: Final = (
    "title,abstract,authors,citationCount,externalIds,influentialCitationCount,isOpenAccess,journal,openAccessPdf,"
    "publicationDate,publicationTypes,url,venue,year"
)
_SEARCH_FIELDS: Final = f"{_FIELDS},tldr"
_LINK_FIELDS: Final = f"isInfluential,intents,contexts,{_FIELDS}"
_SORTS: Final = {"citations": "citationCount:desc", "date": "publicationDate:desc"}
_MOST: Final = 100
_ID: Final = re.compile(r"[0-9a-f]{40}")
_NAMED: Final = re.compile(r"(?i)(?:corpusid|mag|pmid|pmcid):[0-9]{1,12}|(?:arxiv|acl):[A-Za-z0-9./-]{4,40}")


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search, for works by their ids, or for citations or references of one."""
    options = read_options(asked, OPTIONS)
    if isinstance(options, ProviderError):
        return options
    key = access.key(_KEY)
    headers = (("x-api-key", key),) if key else ()
    if asked.kind == "papers" and asked.query:
        return HttpRequest(url=_search(asked, options), headers=headers)
    if asked.kind not in ("paper", "papers", *_LINKS):
        return UNSUPPORTED
    names = [_name(one) for one in asked.ids]
    if not names or not all(names) or asked.kind == "papers" or (asked.kind in _LINKS and len(names) > 1):
        return ProviderError(fault=Fault.BAD_REQUEST)
    if len(names) > 1:
        body = json.dumps({"ids": names}).encode()
        headers = (("Content-Type", "application/json"), *headers)
        return HttpRequest(url=f"{_API}/batch?fields={_FIELDS}", method="POST", headers=headers, body=body)
    place = f"{_API}/{quote(names[0], safe=':/')}"
    if asked.kind == "paper":
        return HttpRequest(url=f"{place}?fields={_FIELDS}", headers=headers)
    words = urlencode({"fields": _LINK_FIELDS, "limit": str(min(asked.limit, _MOST))}, safe=",")
    return HttpRequest(url=f"{place}/{asked.kind}?{words}", headers=headers)


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The works of an answer; a list of works by their ids has a hole for each that is unknown."""
    said = json_of(answer)
    fault = status_fault(answer)
    if fault is not None:
        return fault
    if isinstance(said, ProviderError):
        return said
    if kind == "paper" and isinstance(said, list):
        return _batch(said)
    if not isinstance(said, dict):
        return UNREADABLE if isinstance(said, str | bool) or said is None else UNSUPPORTED
    error = text_of(said.get("error")) or (text_of(said.get("message")) if "data" not in said else "")
    if error and "data" not in said:
        return ProviderError(fault=_of_text(error))
    if kind == "paper":
        hit = _hit(said)
        return UNSUPPORTED if "paperId" not in said else UNREADABLE if hit is None else Parsed(hits=(hit,))
    rows = said.get("data", said.get("recommendedPapers"))
    if rows is None and "data" not in said:
        # A search without results leaves its list out.
        nothing = kind == "papers" and text_of(said.get("total")) == "0"
        return Parsed(hits=(), total="0") if nothing else UNSUPPORTED
    if rows is None and {"citingPaperInfo", "citedPaperInfo"} & said.keys():  # its publisher keeps them back
        return ProviderError(fault=Fault.BLOCKED)
    if not isinstance(rows, list):
        return UNREADABLE
    return _listed(kind, rows, said)


def _listed(kind: str, rows: list[Any], said: dict[str, Any]) -> ServiceAnswer:
    name = _LINKS.get(kind, "paperId")
    # Authors and snippets come in the same envelope.
    if rows and not any(isinstance(row, dict) and name in row for row in rows):
        return UNSUPPORTED
    make = _link if kind in _LINKS else _hit
    # A reference that it could not resolve has a title and no number, and no place to show.
    rows = [
        row for row in rows if kind not in _LINKS or at_path(row, name, "paperId") or not at_path(row, name, "title")
    ]
    after = text_of(said.get("next")) or text_of(said.get("token"))
    return parsed(rows, make, total_of(said.get("total")), after or None)


def _batch(rows: list[Any]) -> ServiceAnswer:
    if not all(row is None or isinstance(row, dict) for row in rows):
        return UNSUPPORTED
    known = [row for row in rows if row is not None]
    if known and not any("paperId" in row for row in known):  # authors
        return UNSUPPORTED
    return parsed(known, _hit)


def _search(asked: ServiceQuery, options: SearchOptions) -> str:
    words = {"query": asked.query, "fields": _SEARCH_FIELDS, "limit": str(min(asked.limit, _MOST))}
    if options.year_from or options.year_to:
        years = (str(options.year_from or ""), str(options.year_to or ""))
        words["year"] = years[0] if years[0] == years[1] else "-".join(years)
    if options.journal:
        words["venue"] = options.journal
    # Only the bulk search can sort; it takes no limit and gives a thousand, of which the first are kept.
    order = _SORTS.get(options.sort, "")
    if order:
        words["sort"] = order
        words["fields"] = _FIELDS  # the summary is not among those of the bulk search
        del words["limit"]
    told = urlencode(words, safe=",") + ("&openAccessPdf" if options.open_access else "")
    return f"{_API}/search{'/bulk' if order else ''}?{told}"


def _name(text: str) -> str:
    said = text.strip()
    doi = doi_of(said)
    if doi:
        return f"DOI:{doi}"
    return said if _ID.fullmatch(said) or _NAMED.fullmatch(said) else ""


def _of_text(error: str) -> Fault:
    """An error without its status."""
    said = error.lower()
    if "not found" in said:
        return Fault.NOT_FOUND
    if "too many requests" in said or "rate limit" in said:
        return Fault.RATE_LIMITED
    if "forbidden" in said or "unauthorized" in said:
        return Fault.AUTH
    return Fault.PROVIDER_DOWN if "internal" in said or "timed out" in said else Fault.BAD_REQUEST


def _link(row: Any) -> ServiceHit | None:
    work = at_path(row, "citingPaper") or at_path(row, "citedPaper")
    hit = _hit(work)
    if hit is None:
        return None
    more = (
        *(("intent", text) for text in texts_of(at_path(row, "intents"), 10)),
        *(("context", text) for text in texts_of(at_path(row, "contexts"), 3)),
    )
    influential = flag_of(at_path(row, "isInfluential"))
    about = (*hit.metadata, *((("influential", influential),) if influential else ()), *more)
    return ServiceHit(locator=hit.locator, title=hit.title, text=hit.text, metadata=about)


def _hit(row: Any) -> ServiceHit | None:
    number, ids = text_of(at_path(row, "paperId")), at_path(row, "externalIds")
    page = f"{_PAGE}{number}" if _ID.fullmatch(number) else ""
    authors = (at_path(one, "name") for one in items_of(at_path(row, "authors"), 100))
    return paper(
        at_path(row, "title"),
        at_path(row, "abstract") or at_path(row, "tldr", "text"),
        page or at_path(row, "url"),
        at_path(ids, "DOI"),
        ("id", number),
        *people(authors),
        ("journal", text_of(at_path(row, "journal", "name")) or text_of(at_path(row, "venue"))),
        ("published", text_of(at_path(row, "publicationDate")) or text_of(at_path(row, "year"))),
        *(("type", text) for text in texts_of(at_path(row, "publicationTypes"), 3)),
        ("cited_by", text_of(at_path(row, "citationCount"))),
        ("influential_citations", text_of(at_path(row, "influentialCitationCount"))),
        ("open_access", flag_of(at_path(row, "isOpenAccess"))),
        ("pdf", text_of(at_path(row, "openAccessPdf", "url"), 2_000)),
        ("tldr", text_of(at_path(row, "tldr", "text"))),
        ("pmid", text_of(at_path(ids, "PubMed"))),
        ("arxiv", text_of(at_path(ids, "ArXiv"))),
    )
