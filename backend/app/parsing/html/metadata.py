"""Reads what a page says about itself: title, byline, dates, language, address, and its machine-readable parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from ..text.clean_text import cleaned
from .json_ld import LinkedData, read_json_ld
from .links import absolute_url, host_of

__all__ = ["DeclaredMetadata", "EmbeddedData", "read_metadata"]

_LONGEST: Final = 500
_LONGEST_VALUE: Final = 2_000
_MOST_VALUES: Final = 100
_MOST_METAS: Final = 1_000
_LONGEST_BYLINE: Final = 150
_ISO: Final = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:[T ](\d{2}:\d{2}(?::\d{2})?)\S*)?")
_COMPACT: Final = re.compile(r"(\d{4})(\d{2})(\d{2})(?!\d)")
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,2}")
_SEPARATOR: Final = re.compile(r"\s+[|\u2013\u2014\u00b7\u00bb\u2022:-]\s+")
_BY: Final = re.compile(r"^(?:written |posted )?by:?\s+", re.IGNORECASE)
_PREFIXED: Final = ("article:", "og:")
_PUBLISHED: Final = (
    "article:published_time",
    "citation_publication_date",
    "citation_online_date",
    "citation_date",
    "datepublished",
    "dc.date",
    "dc.date.issued",
    "dcterms.created",
    "date",
    "pubdate",
    "parsely-pub-date",
    "sailthru.date",
)
_MODIFIED: Final = ("article:modified_time", "og:updated_time", "datemodified", "last-modified", "dcterms.modified")
_AUTHORS: Final = (
    "author",
    "dc.creator",
    "parsely-author",
    "sailthru.author",
    "article:author",
    "byl",
    "twitter:creator",
)
_SCHOLARLY: Final = frozenset(
    ("citation_journal_title", "citation_conference_title", "citation_doi", "citation_issn", "citation_pmid")
)


@dataclass(frozen=True, slots=True)
class EmbeddedData:
    """What a page embeds for machines: verbatim, bounded, and untrusted."""

    json_ld: tuple[str, ...]
    open_graph: tuple[tuple[str, str], ...]
    """`og:*` and `article:*`, sorted; names keep their prefix."""
    citation: tuple[tuple[str, str], ...]
    """Highwire `citation_*`, sorted; what is given several times is joined."""


@dataclass(frozen=True, slots=True)
class DeclaredMetadata:
    """What a page says about itself; empty where it says nothing."""

    title: str
    author: str
    site: str
    published: str
    """`YYYY-MM-DD`, `YYYY-MM` or with a time of day behind `T`."""
    modified: str
    description: str
    language: str
    canonical_url: str
    base_url: str
    """What links are seen from."""
    structured: EmbeddedData
    linked: LinkedData

    @property
    def is_scholarly(self) -> bool:
        """Whether the page names the journal, the proceedings or the DOI of a paper, as publishers do for indexes."""
        return any(name in _SCHOLARLY for name, _ in self.structured.citation)


def read_metadata(tree: LexborHTMLParser, url: str) -> DeclaredMetadata:
    """The metadata of a page that was fetched from `url`."""
    metas = _metas(tree)
    sources = [node.text() for node in tree.css("script[type]") if _is_json_ld(node.attributes.get("type") or "")]
    linked = read_json_ld(sources)
    first = {name: values[0] for name, values in metas.items()}
    citation = {name: "; ".join(values) for name, values in metas.items() if name.startswith("citation_")}
    graph = {name: value for name, value in first.items() if name.startswith(_PREFIXED)}
    base = _base(tree, url)
    site = (
        _named_site(first.get("og:site_name", ""))
        or linked.publisher
        or first.get("application-name", "")
        or host_of(url)
    )
    return DeclaredMetadata(
        title=_title(tree, first, linked, site)[:_LONGEST],
        author=_BY.sub("", _author(tree, metas, linked)[:_LONGEST], count=1),
        site=site[:_LONGEST],
        published=_date(linked.published) or _dated(first, _PUBLISHED) or _date(_time_element(tree)),
        modified=_date(linked.modified) or _dated(first, _MODIFIED),
        description=(first.get("og:description") or first.get("description") or linked.description)[:_LONGEST],
        language=_language(tree, first),
        canonical_url=_canonical(tree, first, base),
        base_url=base,
        structured=EmbeddedData(
            json_ld=linked.blocks,
            open_graph=_bounded(graph),
            citation=_bounded(citation),
        ),
        linked=linked,
    )


def _is_json_ld(kind: str) -> bool:
    return kind.partition(";")[0].strip().lower() == "application/ld+json"


def _metas(tree: LexborHTMLParser) -> dict[str, list[str]]:
    """Every named value in the order of the page, names in lower case."""
    found: dict[str, list[str]] = {}
    for node in tree.css("meta[content]")[:_MOST_METAS]:
        attributes = node.attributes
        value = _words(attributes.get("content") or "")
        if not value:
            continue
        names = {(attributes.get(key) or "").strip().lower() for key in ("property", "name", "itemprop", "http-equiv")}
        for name in sorted(names - {""}):
            values = found.setdefault(name, [])
            if value not in values and len(values) < _MOST_VALUES:
                values.append(value)
    return found


def _bounded(values: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name[:_LONGEST], values[name][:_LONGEST_VALUE]) for name in sorted(values)[:_MOST_VALUES])


def _title(tree: LexborHTMLParser, metas: dict[str, str], linked: LinkedData, site: str) -> str:
    for name in ("citation_title", "og:title", "dc.title"):
        if name in metas:
            return _without_site(metas[name], site)
    if linked.headline:
        return linked.headline
    main = tree.css("h1")
    if len(main) == 1 and (text := _words(main[0].text(separator=" "))):
        return text
    named = tree.css_first("head > title") or tree.css_first("title")
    text = _words(named.text()) if named is not None else ""
    return _without_site(text, site) or metas.get("twitter:title", "")


def _named_site(value: str) -> str:
    """The name of a site; some give their address."""
    return host_of(value) if value.lower().startswith(("http://", "https://")) else value


def _without_site(title: str, site: str) -> str:
    """A title without the name of its site at the end."""
    parts = _SEPARATOR.split(title[:_LONGEST])
    last = parts[-1].casefold()
    known = site.casefold()
    if len(parts) > 1 and known and (last == known or last.replace(" ", "") == known.partition(".")[0]):
        return title[: title.rindex(parts[-1])].rstrip(" |\u2013\u2014\u00b7\u00bb\u2022:-")
    return title


def _author(tree: LexborHTMLParser, metas: dict[str, list[str]], linked: LinkedData) -> str:
    if names := metas.get("citation_author"):
        return "; ".join(names)
    if linked.authors:
        return ", ".join(linked.authors)
    for name in _AUTHORS:
        for value in metas.get(name, ()):
            if not value.lower().startswith(("http://", "https://", "www.", "@")):
                return value
    for selector in ('[itemprop="author"]', '[rel="author"]', ".byline", ".author"):
        node = tree.css_first(selector)
        text = _words(node.text(separator=" ")) if node is not None else ""
        if 0 < len(text) <= _LONGEST_BYLINE:
            return text
    return ""


def _dated(metas: dict[str, str], names: tuple[str, ...]) -> str:
    return next((date for name in names if name in metas and (date := _date(metas[name]))), "")


def _time_element(tree: LexborHTMLParser) -> str:
    for selector in ('[itemprop="datePublished"]', "article time[datetime]", "time[datetime]"):
        node = tree.css_first(selector)
        if node is not None:
            return (node.attributes.get("datetime") or node.attributes.get("content") or node.text())[:_LONGEST]
    return ""


def _date(value: str) -> str:
    """The date at the front of a value in the order year, month, day; any other order would be a guess."""
    value = value.strip()
    found = _ISO.match(value) or _COMPACT.match(value)
    if found is None:
        return ""
    year, month, day = found.group(1), int(found.group(2)), int(found.group(3) or "1")
    if not (1 <= month <= 12 and 1 <= day <= 31 and "1400" <= year <= "2999"):
        return ""
    date = f"{year}-{month:02d}" + (f"-{day:02d}" if found.group(3) else "")
    time = found.group(4) if found.re is _ISO else None
    return f"{date}T{time}" if time and found.group(3) else date


def _language(tree: LexborHTMLParser, metas: dict[str, str]) -> str:
    root = tree.css_first("html")
    named = (root.attributes.get("lang") or root.attributes.get("xml:lang") or "") if root is not None else ""
    for value in (named, metas.get("og:locale", ""), metas.get("content-language", ""), metas.get("dc.language", "")):
        found = _LANGUAGE.match(value.strip())
        if found is not None:
            return found.group().replace("_", "-")
    return ""


def _base(tree: LexborHTMLParser, url: str) -> str:
    node = tree.css_first("base[href]")
    return (absolute_url(url, node.attributes.get("href") or "") if node is not None else "") or url


def _canonical(tree: LexborHTMLParser, metas: dict[str, str], base: str) -> str:
    node = tree.css_first('link[rel="canonical"][href]')
    link = (node.attributes.get("href") or "") if node is not None else ""
    return absolute_url(base, link) or absolute_url(base, metas.get("og:url", ""))


def _words(text: str) -> str:
    return " ".join(cleaned(text[:_LONGEST_VALUE]).text.split())
