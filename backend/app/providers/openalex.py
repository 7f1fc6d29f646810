"""OpenAlex: scholarly works by words, one by its identifier, and the works that cite it or that it cites."""

from __future__ import annotations

import re
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
from ..parsing.services.search_options import SearchOptions, read_options
from ..parsing.services.service_answers import (
    flag_of,
    number_of,
    retry_after_s,
    status_fault,
    text_of,
    texts_of,
    total_of,
)
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, json_of, paper, parsed, people
from ..parsing.text.json_values import at_path, items_of

__all__ = ["OPTIONS", "parse", "request"]

_WORKS: Final = "https://api.openalex.org/works"
_KEY: Final = "PORTCULLIS_KEY_OPENALEX"
OPTIONS: Final = {
    "citations": ("open_access", "sort", "year_from", "year_to"),
    "papers": ("author", "exact_terms", "journal", "language", "open_access", "sort", "source", "year_from", "year_to"),
    "references": ("open_access", "sort", "year_from", "year_to"),
}
_SORTS: Final = {"citations": "cited_by_count:desc", "date": "publication_date:desc"}
_WORK: Final = re.compile(r"(?:https://(?:api\.)?openalex\.org/(?:works/)?)?(W[0-9]{1,12})")
_NAMED: Final = re.compile(r"pmid:[0-9]{1,9}|pmcid:(?:PMC)?[0-9]{1,9}|mag:[0-9]{1,12}")
# What a follow-up asks for: the works that cite one, or those of a list.
_FILTER: Final = re.compile(r"cites:W[0-9]{1,12}|openalex:W[0-9]{1,12}(?:\|W[0-9]{1,12}){0,99}")
_MOST_REFERENCES: Final = 100
_MOST_IDS: Final = 20
# The numbers that two repositories have there, and the prefixes of publishers.
_SOURCES: Final = {
    "arxiv": "locations.source.id:S4306400194",
    "ieee": "doi_starts_with:10.1109",
    "nature": "doi_starts_with:10.1038",
    "pubmed": "locations.source.id:S4306525036",
    "springer": "doi_starts_with:10.1007",
}
_MOST_WORDS: Final = 3_000
_INTEGRITY: Final = "id,doi,title,is_retracted,publication_date"


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search, for one work, or for the first or second half of its citations or references."""
    options = read_options(asked, OPTIONS)
    if isinstance(options, ProviderError):
        return options
    linked = asked.kind in ("citations", "references")
    if asked.kind == "integrity":
        named = [doi_of(one) for one in asked.ids[:_MOST_IDS]]
        if not named or not all(named) or any("|" in doi or "," in doi for doi in named):
            return ProviderError(fault=Fault.BAD_REQUEST)
        few = {"select": _INTEGRITY, "per_page": str(len(named))}
        return _asked(_WORKS, {"filter": f"doi:{'|'.join(named)}", **few}, access)
    if asked.kind == "papers" and asked.query:
        words = {"search": _search(asked.query, options)}
        return _asked(_WORKS, {**words, **_list(asked, options, ())}, access)
    if linked and len(asked.ids) == 1 and _FILTER.fullmatch(asked.ids[0]):
        return _asked(_WORKS, _list(asked, options, (asked.ids[0],)), access)
    if asked.kind == "papers":
        return ProviderError(fault=Fault.BAD_REQUEST)
    if asked.kind != "paper" and not linked:
        return UNSUPPORTED
    name = _name(asked.ids[0]) if len(asked.ids) == 1 else ""
    if not name:
        return ProviderError(fault=Fault.BAD_REQUEST)
    few = {"select": "id,doi,title,referenced_works"} if linked else {}
    return _asked(f"{_WORKS}/{quote(name, safe=':/')}", few, access)


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The works of an answer; for citations and references a single work says what to ask for next."""
    said = json_of(answer)
    fault = status_fault(answer, Fault.BLOCKED)
    if fault is not None:
        return ProviderError(fault=_fault(fault.fault, said), retry_after_s=retry_after_s(answer))
    if isinstance(said, ProviderError):
        return said
    if not isinstance(said, dict):
        return UNREADABLE
    if "error" in said and "results" not in said:
        return ProviderError(fault=_fault(_of_text(said), said))
    if "results" in said:
        return _several(kind, said)
    number = _WORK.fullmatch(text_of(said.get("id")))
    # A work of which only some fields were asked for may come without its number.
    if kind == "papers" or (number is None and (kind != "paper" or not doi_of(text_of(said.get("doi"))))):
        return UNSUPPORTED
    if number is not None and kind == "citations":
        return Parsed(hits=(), follow_up=(f"cites:{number.group(1)}",))
    if kind == "references":
        cited = [
            found.group(1)
            for text in texts_of(said.get("referenced_works"), _MOST_REFERENCES)
            if (found := _WORK.fullmatch(text))
        ]
        return Parsed(hits=(), follow_up=(f"openalex:{'|'.join(cited)}",) if cited else ())
    hit = _hit(said)
    return UNREADABLE if hit is None else Parsed(hits=(hit,))


def _several(kind: str, said: dict[str, Any]) -> ServiceAnswer:
    rows = said["results"]
    if not isinstance(rows, list):
        return UNREADABLE
    # Authors, sources and the like have the same envelope, and so have counts by group.
    if kind == "paper" or (not rows and items_of(said.get("group_by"), 1)):
        return UNSUPPORTED
    if rows and not any(_WORK.fullmatch(text_of(at_path(row, "id"))) or at_path(row, "doi") for row in rows):
        return UNSUPPORTED
    total, cursor = total_of(at_path(said, "meta", "count")), text_of(at_path(said, "meta", "next_cursor"))
    return parsed(rows, _hit, total, cursor or None)


def _search(query: str, options: SearchOptions) -> str:
    return f'{query} "{options.exact_terms}"' if options.exact_terms else query


def _list(asked: ServiceQuery, options: SearchOptions, filters: tuple[str, ...]) -> dict[str, str]:
    years = f"{options.year_from or ''}-{options.year_to or ''}"
    named = (
        ("publication_year:", years.strip("-") if options.year_from == options.year_to else years),
        ("language:", options.language),
        ("open_access.is_oa:", "true" if options.open_access else ""),
        ("raw_author_name.search:", _escaped(options.author)),
        ("primary_location.source.display_name.search:", _escaped(options.journal)),
    )
    source = (_SOURCES[options.source],) if options.source else ()
    chosen = (*filters, *source, *(f"{name}{value}" for name, value in named if value.strip("-")))
    words = {"filter": ",".join(chosen), "per_page": str(asked.limit), "sort": _SORTS.get(options.sort, "")}
    return {name: value for name, value in words.items() if value}


def _escaped(text: str) -> str:
    """A comma, a bar and a colon would be read as filters of their own."""
    return " ".join(re.sub(r"[,|:!]", " ", text).split())


def _asked(place: str, words: dict[str, str], access: Access) -> HttpRequest:
    # Who says how to be reached is served from a pool of its own.
    told = {**words, **({"mailto": access.mail} if access.mail else {})}
    key = access.key(_KEY)
    return HttpRequest(
        url=f"{place}?{urlencode(told)}" if told else place,
        secret_query=(("api_key", SecretStr(key)),) if key else (),
    )


def _name(text: str) -> str:
    doi, work = doi_of(text), _WORK.fullmatch(text.strip())
    if work is not None:
        return work.group(1)
    return f"doi:{doi}" if doi else text.strip() if _NAMED.fullmatch(text.strip()) else ""


def _of_text(said: Any) -> Fault:
    """An error without its status."""
    text = f"{text_of(at_path(said, 'error'))} {text_of(at_path(said, 'message'))}".lower()
    if "rate limit" in text or "too many requests" in text or "daily" in text:
        return Fault.RATE_LIMITED
    if "api key" in text or "api_key" in text or "unauthorized" in text:
        return Fault.AUTH
    if "not found" in text:
        return Fault.NOT_FOUND
    return Fault.PROVIDER_DOWN if "internal" in text or "unavailable" in text else Fault.BAD_REQUEST


def _fault(plain: Fault, said: Any) -> Fault:
    """Wrong parameters come with 403; a day that is used up comes with 429."""
    text = f"{text_of(at_path(said, 'error'))} {text_of(at_path(said, 'message'))}".lower()
    if plain is Fault.BLOCKED and ("invalid query" in text or "not a valid" in text):
        return Fault.BAD_REQUEST
    if plain is Fault.RATE_LIMITED and any(word in text for word in ("daily", "per day", "budget", "credit")):
        return Fault.QUOTA
    return plain


def _hit(row: Any) -> ServiceHit | None:
    place, best = at_path(row, "primary_location"), at_path(row, "best_oa_location")
    authors = (at_path(one, "author", "display_name") for one in items_of(at_path(row, "authorships"), 100))
    work = _WORK.fullmatch(text_of(at_path(row, "id")))
    return paper(
        at_path(row, "title") or at_path(row, "display_name"),
        _abstract(at_path(row, "abstract_inverted_index")),
        at_path(row, "id") or at_path(place, "landing_page_url"),
        at_path(row, "doi"),
        ("id", work.group(1) if work else ""),
        *people(authors),
        ("journal", text_of(at_path(place, "source", "display_name"))),
        ("published", text_of(at_path(row, "publication_date")) or text_of(at_path(row, "publication_year"))),
        ("type", text_of(at_path(row, "type"))),
        ("language", text_of(at_path(row, "language"))),
        ("cited_by", text_of(at_path(row, "cited_by_count"))),
        ("open_access", flag_of(at_path(row, "open_access", "is_oa"))),
        ("open_access_status", text_of(at_path(row, "open_access", "oa_status"))),
        ("pdf", text_of(at_path(best, "pdf_url"), 2_000) or text_of(at_path(place, "pdf_url"), 2_000)),
        ("retracted", flag_of(at_path(row, "is_retracted"))),
        ("pmid", text_of(at_path(row, "ids", "pmid")).rpartition("/")[2]),
    )


def _abstract(index: Any) -> str:
    """The words of an abstract in order; it comes as a list of places for each word."""
    words = dict(_placed(index)) if isinstance(index, dict) else {}
    return " ".join(words[place] for place in sorted(words)[:_MOST_WORDS])


def _placed(index: dict[str, Any]) -> Iterator[tuple[int, str]]:
    for word, places in index.items():
        for place in items_of(places, _MOST_WORDS):
            if total_of(place) is not None:
                yield number_of(place), word
