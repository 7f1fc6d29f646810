"""The XML of PubMed and PMC as records: article sets, summaries, and full texts by their front matter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from ...kernel.providers import ServiceHit
from ..text.xml_tree import XmlNode
from .service_records import MOST_RECORDS, paper, people

__all__ = ["has_records", "pmc_papers", "pubmed_papers", "summary_papers"]

_PAGE: Final = "https://pubmed.ncbi.nlm.nih.gov/"
_PMC: Final = "https://pmc.ncbi.nlm.nih.gov/articles/"
_ID: Final = re.compile(r"[1-9][0-9]{0,8}")
_RETRACTED: Final = "Retracted Publication"
# Every summary of an article has a date; those of proteins, journals or taxa do not.
_OF_ARTICLES: Final = ("PubDate", "EPubDate", "ArticleIds", "PubTypeList", "PubType")
_RECORDS: Final = ("DocSum", "DocumentSummary", "PubmedArticle", "PubmedBookArticle", "article")


def pubmed_papers(root: XmlNode) -> tuple[ServiceHit, ...]:
    """The articles and book chapters of a `PubmedArticleSet`."""
    return _made([*root.all("PubmedArticle"), *root.all("PubmedBookArticle")], _article)


def summary_papers(root: XmlNode) -> tuple[ServiceHit, ...] | None:
    """The articles of an `eSummaryResult`; None where it is one of another database."""
    if newer := root.all("DocumentSummarySet", "DocumentSummary"):
        if not any(child.name in _OF_ARTICLES for one in newer for child in one.children) and not all(
            map(_gone, newer)
        ):
            return None
        return _made([one for one in newer if not _gone(one)], _newer_summary)
    summaries = root.all("DocSum")
    items = [{node.attributes.get("Name", ""): node for node in one.all("Item")} for one in summaries]
    if summaries and not any(name in found for found in items for name in _OF_ARTICLES):
        return None
    return _made(summaries, _summary)


def has_records(root: XmlNode) -> bool:
    """True if something stands there that is not the sentence in the place of a record that does not exist."""
    sets = [root, *root.all("DocumentSummarySet")]
    return any(not _gone(child) for one in sets for child in one.children if child.name in _RECORDS)


def pmc_papers(root: XmlNode) -> tuple[ServiceHit, ...]:
    """The articles of a `pmc-articleset`, by their front matter."""
    return _made(root.all("article"), _full_text)


def _made(nodes: list[XmlNode], make: Callable[[XmlNode], ServiceHit | None]) -> tuple[ServiceHit, ...]:
    hits = (make(node) for node in nodes[:MOST_RECORDS])
    return tuple({hit.locator: hit for hit in hits if hit is not None}.values())


def _article(node: XmlNode) -> ServiceHit | None:
    citation = node.first("MedlineCitation") or node.first("BookDocument") or node
    article = citation.first("Article") or citation
    number = citation.said("PMID")
    ids = {one.attributes.get("IdType", ""): one.text.strip() for one in _ids(node, citation)}
    places = {one.attributes.get("EIdType", ""): one.text.strip() for one in article.all("ELocationID")}
    dated = article.first("Journal", "JournalIssue", "PubDate") or article.first("Book", "PubDate")
    types = [" ".join(one.text.split()) for one in article.all("PublicationTypeList", "PublicationType")]
    notices = [
        one.said("PMID") or one.said("RefSource")
        for one in citation.all("CommentsCorrectionsList", "CommentsCorrections")
        if one.attributes.get("RefType") == "RetractionIn"
    ]
    return paper(
        article.said("ArticleTitle") or article.said("Book", "BookTitle") or article.said("VernacularTitle"),
        "\n".join(_abstract(article)),
        f"{_PAGE}{number}/" if _ID.fullmatch(number) else "",
        places.get("doi") or ids.get("doi", ""),
        ("id", number),
        ("pmid", number),
        ("pmcid", ids.get("pmc", "")),
        *people(_names(article)),
        ("journal", article.said("Journal", "Title") or article.said("Book", "BookTitle")),
        ("volume", article.said("Journal", "JournalIssue", "Volume")),
        ("issue", article.said("Journal", "JournalIssue", "Issue")),
        ("pages", article.said("Pagination", "MedlinePgn")),
        ("published", "" if dated is None else _date(dated)),
        *(("type", text) for text in types[:3]),
        ("language", article.said("Language")),
        ("retracted", "true" if _RETRACTED in types or notices else ""),
        *(("retraction_notice", text) for text in notices[:3]),
    )


def _ids(node: XmlNode, citation: XmlNode) -> list[XmlNode]:
    lists = (("PubmedData", "ArticleIdList"), ("PubmedBookData", "ArticleIdList"))
    return [
        *(one for path in lists for one in node.all(*path, "ArticleId")),
        *citation.all("ArticleIdList", "ArticleId"),
    ]


def _names(article: XmlNode) -> Iterator[str]:
    for author in article.all("AuthorList", "Author"):
        parts = (author.said("LastName"), author.said("ForeName") or author.said("Initials"))
        yield ", ".join(part for part in parts if part) or author.said("CollectiveName")


def _abstract(article: XmlNode) -> Iterator[str]:
    for part in article.all("Abstract", "AbstractText"):
        label, text = part.attributes.get("Label", ""), " ".join(part.text.split())
        if text:
            yield f"{label}: {text}" if label else text


def _date(node: XmlNode) -> str:
    """`2012 Jul 12`, as far as it is said; a free text such as `1998 Dec-1999 Jan` by its year."""
    words = " ".join(filter(None, (node.said("Year"), node.said("Month"), node.said("Day"))))
    if re.fullmatch(r"\d{4} \d{1,2}(?: \d{1,2})?", words):
        return "-".join(f"{int(part):02d}" for part in words.split())
    return words or node.said("MedlineDate")[:4]


def _summary(node: XmlNode) -> ServiceHit | None:
    items = {one.attributes.get("Name", ""): one for one in node.all("Item")}
    number = node.said("Id")

    def said(name: str) -> str:
        return " ".join(items[name].text.split()) if name in items else ""

    def listed(name: str) -> list[XmlNode]:
        return items[name].all("Item") if name in items else []

    ids = {one.attributes.get("Name", ""): one.text.strip() for one in listed("ArticleIds")}
    types = [" ".join(one.text.split()) for one in listed("PubTypeList")]
    return paper(
        said("Title"),
        "",
        f"{_PAGE}{number}/" if _ID.fullmatch(number) else "",
        said("DOI") or ids.get("doi", ""),
        ("id", number),
        ("pmid", number),
        ("pmcid", ids.get("pmc", "")),
        *people(one.text for one in listed("AuthorList")),
        ("journal", said("FullJournalName") or said("Source")),
        ("volume", said("Volume")),
        ("issue", said("Issue")),
        ("pages", said("Pages")),
        ("published", said("PubDate")),
        *(("type", text) for text in types[:3]),
        ("retracted", "true" if _RETRACTED in types else ""),
    )


def _gone(node: XmlNode) -> bool:
    return node.first("error") is not None


def _newer_summary(node: XmlNode) -> ServiceHit | None:
    """A summary of version 2.0, with an element for each field."""
    number = node.attributes.get("uid", "")
    ids = {one.said("IdType"): one.said("Value") for one in node.all("ArticleIds", "ArticleId")}
    types = [" ".join(one.text.split()) for one in node.all("PubType", "flag")]
    return paper(
        node.said("Title") or node.said("BookTitle"),
        "",
        f"{_PAGE}{number}/" if _ID.fullmatch(number) else "",
        ids.get("doi", ""),
        ("id", number),
        ("pmid", number),
        ("pmcid", ids.get("pmc", "")),
        *people(one.said("Name") for one in node.all("Authors", "Author")),
        ("journal", node.said("FullJournalName") or node.said("Source")),
        ("volume", node.said("Volume")),
        ("issue", node.said("Issue")),
        ("pages", node.said("Pages")),
        ("published", node.said("SortPubDate").partition(" ")[0] or node.said("PubDate")),
        *(("type", text) for text in types[:3]),
        ("retracted", "true" if _RETRACTED in types else ""),
    )


def _full_text(node: XmlNode) -> ServiceHit | None:
    meta = node.first("front", "article-meta") or node
    ids = {one.attributes.get("pub-id-type", ""): one.text.strip() for one in meta.all("article-id")}
    number = (ids.get("pmcid") or ids.get("pmc", "")).removeprefix("PMC")
    authors = [
        one for one in meta.all("contrib-group", "contrib") if one.attributes.get("contrib-type", "author") == "author"
    ]
    names = (", ".join(filter(None, (one.said("name", "surname"), one.said("name", "given-names")))) for one in authors)
    dated = meta.first("pub-date")
    said = [] if dated is None else [dated.said(name) for name in ("year", "month", "day")]
    return paper(
        meta.said("title-group", "article-title"),
        meta.said("abstract"),
        f"{_PMC}PMC{number}/" if _ID.fullmatch(number) else "",
        ids.get("doi", ""),
        ("id", f"PMC{number}" if number else ""),
        ("pmcid", f"PMC{number}" if number else ""),
        ("pmid", ids.get("pmid", "")),
        *people(names),
        ("journal", node.said("front", "journal-meta", "journal-title-group", "journal-title")),
        ("published", "-".join(part.rjust(2, "0") for part in said if part)),
        ("type", node.attributes.get("article-type", "")),
        ("open_access", "true"),
    )
