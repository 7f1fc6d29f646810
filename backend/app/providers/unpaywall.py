"""Unpaywall: where a work can be read free of charge, by its DOI, and works by words of their titles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote, urlencode

from pydantic import SecretStr

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
from ..parsing.services.search_options import read_options
from ..parsing.services.service_answers import facts, flag_of, status_fault, text_of
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, json_of, paper, parsed, people
from ..parsing.text.json_values import at_path, items_of

__all__ = ["OPTIONS", "parse", "request"]

_API: Final = "https://api.unpaywall.org/v2"
OPTIONS: Final = {"papers": ("open_access",)}
_MOST_PLACES: Final = 10


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for one DOI, or for a search of titles; it takes no question without an e-mail address."""
    options = read_options(asked, OPTIONS)
    if isinstance(options, ProviderError):
        return options
    if not access.mail:
        return ProviderError(fault=Fault.NOT_CONFIGURED)
    mail = (("email", SecretStr(access.mail)),)
    if asked.kind == "papers" and asked.query:
        words = {"query": asked.query, **({"is_oa": "true"} if options.open_access else {})}
        return HttpRequest(url=f"{_API}/search?{urlencode(words)}", secret_query=mail)
    if asked.kind not in ("open_access", "papers"):
        return UNSUPPORTED
    doi = doi_of(asked.ids[0]) if len(asked.ids) == 1 else ""
    if not doi or asked.kind == "papers":
        return ProviderError(fault=Fault.BAD_REQUEST)
    return HttpRequest(url=f"{_API}/{quote(doi, safe='/')}", secret_query=mail)


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """One work with the places where it is free, or the works of a search."""
    said = json_of(answer)
    if answer.status == 422 and "email" in text_of(at_path(said, "message")).lower():
        return ProviderError(fault=Fault.NOT_CONFIGURED)
    fault = status_fault(answer)
    if fault is not None:
        return fault
    if isinstance(said, ProviderError):
        return said
    if not isinstance(said, dict):
        return UNREADABLE
    if said.get("error") is True:
        code = text_of(said.get("HTTP_status_code"))
        return ProviderError(fault=Fault.NOT_FOUND if code == "404" else Fault.BAD_REQUEST)
    if kind == "papers" and "results" in said:
        return parsed(said["results"], lambda row: _work(at_path(row, "response")))
    if kind != "open_access" or "doi" not in said:
        return UNSUPPORTED
    hit = _work(said)
    return UNREADABLE if hit is None else Parsed(hits=(hit,))


def _work(row: Any) -> ServiceHit | None:
    best = at_path(row, "best_oa_location")
    return paper(
        at_path(row, "title"),
        _where(row, best),
        at_path(row, "doi_url"),
        at_path(row, "doi"),
        *people(map(_name, items_of(at_path(row, "z_authors"), 100))),
        ("journal", text_of(at_path(row, "journal_name"))),
        ("publisher", text_of(at_path(row, "publisher"))),
        ("published", text_of(at_path(row, "published_date")) or text_of(at_path(row, "year"))),
        ("type", text_of(at_path(row, "genre"))),
        ("open_access", flag_of(at_path(row, "is_oa"))),
        ("open_access_status", text_of(at_path(row, "oa_status"))),
        ("pdf", text_of(at_path(best, "url_for_pdf"), 2_000)),
        ("license", text_of(at_path(best, "license"))),
        ("version", text_of(at_path(best, "version"))),
        *_places(row),
    )


def _where(row: Any, best: Any) -> str:
    """Where the work is free, in words: what this service says that no register of works says."""
    if not isinstance(best, dict):
        return f"No free copy is known of {text_of(at_path(row, 'doi'), 500)}."
    told = (text_of(at_path(best, name), 2_000) for name in ("host_type", "version", "license"))
    place = text_of(at_path(best, "url_for_pdf"), 2_000) or text_of(at_path(best, "url"), 2_000)
    about = ", ".join(filter(None, told))
    return f"Free copy of {text_of(at_path(row, 'doi'), 500)}: {place}" + (f" ({about})" if about else "")


def _name(author: Any) -> str:
    parts = (text_of(at_path(author, "family")), text_of(at_path(author, "given")))
    return text_of(at_path(author, "raw_author_name")) or ", ".join(part for part in parts if part)


def _places(row: Any) -> Iterator[tuple[str, str]]:
    """Where it is free: the kind of host, the version, the licence and the URL of each place."""
    for place in items_of(at_path(row, "oa_locations"), _MOST_PLACES):
        names = ("host_type", "version", "license", "url")
        yield from facts(("location", " ".join(filter(None, (text_of(at_path(place, name), 2_000) for name in names)))))
