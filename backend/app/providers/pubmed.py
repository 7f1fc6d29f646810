"""PubMed: biomedical works by words (found first, then fetched), and by their numbers."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import urlencode

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
from ..parsing.refusal import ParseRefused
from ..parsing.services.pubmed_xml import has_records, pmc_papers, pubmed_papers, summary_papers
from ..parsing.services.search_options import SearchOptions, read_options
from ..parsing.services.service_answers import load_records, retry_after_s, status_fault, text_of, texts_of, total_of
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, paper, parsed, people, record, records
from ..parsing.text.json_values import at_path, items_of
from ..parsing.text.xml_tree import XmlNode, read_tree

__all__ = ["OPTIONS", "parse", "request"]

_API: Final = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
_PAGE: Final = "https://pubmed.ncbi.nlm.nih.gov/"
_PMC: Final = "https://pmc.ncbi.nlm.nih.gov/articles/"
# Every summary of an article has a date; those of genes, proteins or taxa do not.
_OF_ARTICLES: Final = {"articleids", "epubdate", "pubdate", "pubtype", "sortpubdate", "title"}
_KEY: Final = "PORTCULLIS_KEY_PUBMED"
_TERMS: Final = ("author", "exact_terms", "exclude_terms", "journal")
OPTIONS: Final = {"papers": (*_TERMS, "open_access", "sort", "source", "year_from", "year_to")}
# The name of its field stands in the answer to too many requests, too.
_WRONG_KEY: Final = re.compile(rb"(?i)api key (?:is )?(?:invalid|not ?(?:valid|well-?formed))")
_BROKEN: Final = re.compile(r"(?i)backend|try again|forwarding|unavailable|timed? ?out|internal")
_TOO_MANY: Final = re.compile(r"(?i)rate limit|too many requests")
# Formats that are not XML: FASTA, GenBank, MEDLINE, RIS, ASN.1, a list of numbers, numbered abstracts.
_OTHER_FORMATS: Final = re.compile(
    rb"\s*(?:>\S|LOCUS\s|PMID\s*- |TY\s+- |[A-Z][\w-]+ ?::= ?\{|[0-9]+(?:\s+[0-9]+)*\s*\Z|1[.:] \S)"
)
_ID: Final = re.compile(r"(?i:pmid:\s*)?([1-9][0-9]{0,8})")


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for the numbers behind a search, or for the works with these numbers."""
    options = read_options(asked, OPTIONS)
    if isinstance(options, ProviderError):
        return options
    elsewhere = options.source not in ("", "pubmed")
    if asked.kind not in ("paper", "papers") or options.sort == "citations" or elsewhere:
        return UNSUPPORTED
    if asked.kind == "papers" and asked.query and not asked.ids:
        words = {"db": "pubmed", "term": _term(asked.query, options), "retmode": "json", "retmax": str(asked.limit)}
        order = "pub_date" if options.sort == "date" else "relevance"
        return _asked("esearch", {**words, "sort": order}, access)
    numbers = [_ID.fullmatch(one.strip()) for one in asked.ids]
    named = [found.group(1) for found in numbers if found is not None]
    if not named or len(named) != len(numbers):
        return ProviderError(fault=Fault.BAD_REQUEST)
    return _asked("efetch", {"db": "pubmed", "id": ",".join(named), "retmode": "xml"}, access)


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The numbers that a search found, or the works themselves; the text of an error is never passed on."""
    fault = status_fault(answer, Fault.BLOCKED)
    if fault is not None:
        return ProviderError(fault=Fault.AUTH) if _WRONG_KEY.search(answer.body[:1_000]) else fault
    if kind not in ("paper", "papers"):
        return UNSUPPORTED
    try:
        if answer.body.lstrip()[:1] in (b"{", b"["):
            return _of_json(kind, load_records(answer.body), answer)
        if _OTHER_FORMATS.match(answer.body):
            return UNSUPPORTED
        return _of_xml(kind, read_tree(answer.body))
    except ParseRefused:
        return UNREADABLE


def _of_json(kind: str, said: Any, answer: HttpAnswer) -> ServiceAnswer:
    if not isinstance(said, dict):
        return UNREADABLE
    error = text_of(said.get("error"))
    if _WRONG_KEY.search(error.encode()):
        return ProviderError(fault=Fault.AUTH)
    # The address of the caller stands in more than one error; a count beside its limit stands in one.
    if _TOO_MANY.search(error) or {"api-key", "count", "limit"} <= said.keys():
        return ProviderError(fault=Fault.RATE_LIMITED, retry_after_s=retry_after_s(answer))
    if "esearchresult" in said:
        found = said["esearchresult"]
        if failed := text_of(at_path(found, "ERROR")):
            return _refused(failed)
        if isinstance(found, dict) and "idlist" not in found and total_of(found.get("count")) is not None:
            return UNSUPPORTED  # asked how many there are
        if not isinstance(at_path(found, "idlist"), list):
            return UNREADABLE
        return _found(kind, tuple(texts_of(found["idlist"], 1_000)), at_path(found, "count"))
    if "result" in said:
        if not isinstance(said["result"], dict):
            return UNREADABLE
        rows = [said["result"].get(uid) for uid in texts_of(said["result"].get("uids"), 1_000)]
        # A number that does not exist has a sentence in the place of its summary.
        known = [row for row in rows if not text_of(at_path(row, "error"))]
        if known and all(_is_of_another(row) for row in known):
            return UNSUPPORTED
        return parsed(known, _summary)
    return _refused(error) if error or "error" in said else UNSUPPORTED


def _is_of_another(row: Any) -> bool:
    """True for the summary of a gene, a taxon or the like; sequences have titles, too, and captions."""
    return isinstance(row, dict) and ("caption" in row or not _OF_ARTICLES & row.keys())


def _of_xml(kind: str, root: XmlNode) -> ServiceAnswer:
    if root.said("ERROR") or root.name == "ERROR":
        return _refused(root.said("ERROR"))
    if root.name == "eSearchResult":
        return _found(kind, tuple(node.text.strip() for node in root.all("IdList", "Id")), root.said("Count"))
    if root.name.lower() == "html":
        return UNREADABLE
    read = {"PubmedArticleSet": pubmed_papers, "eSummaryResult": summary_papers, "pmc-articleset": pmc_papers}.get(
        root.name
    )
    hits = None if read is None else read(root)
    if hits is None:
        return UNSUPPORTED
    return UNREADABLE if not hits and has_records(root) else Parsed(hits=hits)


def _refused(error: str) -> ProviderError:
    return ProviderError(fault=Fault.PROVIDER_DOWN if _BROKEN.search(error) else Fault.BAD_REQUEST)


def _found(kind: str, numbers: tuple[str, ...], total: Any) -> ServiceAnswer:
    """The numbers, each as a record of its own until the follow-up has fetched the works."""
    known = tuple(dict.fromkeys(number for number in numbers if _ID.fullmatch(number)))
    if kind == "paper" and known:
        return UNSUPPORTED
    if numbers and not known:
        return UNREADABLE
    hits = records(list(known), lambda one: record(f"{_PAGE}{one}/", f"PubMed {one}", "", ("id", one), ("pmid", one)))
    return Parsed(hits=hits, total=total_of(total), follow_up=known)


def _term(query: str, options: SearchOptions) -> str:
    years = f"{options.year_from or 1000}:{options.year_to or 3000}[dp]" if options.year_from or options.year_to else ""
    parts = (
        f"({query})",
        f'"{options.exact_terms}"[tiab]' if options.exact_terms else "",
        f"{options.author}[au]" if options.author else "",
        f'"{options.journal}"[ta]' if options.journal else "",
        "free full text[sb]" if options.open_access else "",
        years,
    )
    return " AND ".join(part for part in parts if part) + "".join(f" NOT {word}" for word in options.exclude_terms)


def _asked(name: str, words: dict[str, str], access: Access) -> HttpRequest:
    told = {**words, "tool": "portcullis", **({"email": access.mail} if access.mail else {})}
    key = access.key(_KEY)
    return HttpRequest(
        url=f"{_API}/{name}.fcgi?{urlencode(told, safe=',')}",
        secret_query=(("api_key", SecretStr(key)),) if key else (),
    )


def _summary(row: Any) -> ServiceHit | None:
    number = text_of(at_path(row, "uid"))
    if not _ID.fullmatch(number):
        return None
    ids = {
        text_of(at_path(one, "idtype")): text_of(at_path(one, "value"))
        for one in items_of(at_path(row, "articleids"), 20)
    }
    types = tuple(texts_of(at_path(row, "pubtype"), 10))
    of_pmc = "pmclivedate" in row
    return paper(
        at_path(row, "title"),
        "",
        f"{_PMC}PMC{number}/" if of_pmc else f"{_PAGE}{number}/",
        ids.get("doi", ""),
        ("id", f"PMC{number}" if of_pmc else number),
        ("pmid", ids.get("pmid", "") if of_pmc else number),
        ("pmcid", f"PMC{number}" if of_pmc else ids.get("pmc", "")),
        *people(at_path(one, "name") for one in items_of(at_path(row, "authors"), 100)),
        ("journal", text_of(at_path(row, "fulljournalname")) or text_of(at_path(row, "source"))),
        ("published", text_of(at_path(row, "sortpubdate")).partition(" ")[0] or text_of(at_path(row, "pubdate"))),
        *(("type", text) for text in types[:3]),
        ("retracted", "true" if "Retracted Publication" in types else ""),
    )
