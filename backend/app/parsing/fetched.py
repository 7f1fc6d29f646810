"""Reads what was fetched from a URL: bytes and what their server said of them in, a reading with its metadata out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from ..kernel.canonical import sha256_hex
from ..kernel.models import FrozenModel, Text
from .document import PARSER_VERSION, ParsedDocument, kind_of_response, parse_response
from .html.json_ld import strings_of
from .html.links import host_of
from .html.metadata import EmbeddedData
from .html.page import EXTRACTOR_VERSION, LARGEST_PAGE, ExtractionQuality, Page, read_page
from .html.source_kind import ForumSignals, SiteKind, detect_doi, source_kind
from .refusal import Refusal
from .sites.fetch_plan import Reader, Wanted
from .sites.hacker_news import HnText
from .sites.joined_pages import read_hacker_news, read_youtube
from .sites.youtube import VideoText
from .text.charsets import web_text

__all__ = ["READER_VERSION", "FetchedAs", "Form", "PageAnswer", "PageReading", "read_fetched", "read_page_source"]

_FACTS_VERSION: Final = 2
READER_VERSION: Final = f"{PARSER_VERSION}.{EXTRACTOR_VERSION}.{_FACTS_VERSION}"
"""Named by every source: another version may derive another text from the same bytes."""

Form = Literal["text", "markdown", "raw"]
_NOTHING: Final = EmbeddedData((), (), ())
_FEW: Final = 20  # characters; the gate takes nothing shorter for evidence


class FetchedAs(FrozenModel):
    """What the fetcher knows about the bytes, and in which form they are wanted."""

    url: Text
    content_type: Text = ""
    charset: Text = ""
    form: Form = "text"
    truncated: bool = False
    reader: Reader = "page"
    final: bool = False
    """Nothing more can be fetched: what is there is all there will be."""


@dataclass(frozen=True, slots=True)
class PageReading:
    """The text of a response and everything that a capability may tell about it; nobody has screened it yet."""

    content_type: str
    """What was read (`html`, `pdf`, ...); in raw form what the server called it."""
    text: str
    text_hash: str
    content_hash: str
    kind: SiteKind
    title: str = ""
    author: str = ""
    site: str = ""
    published: str = ""
    language: str = ""
    canonical_url: str = ""
    extracted_by: str = ""
    quality: ExtractionQuality | None = None
    structured: EmbeddedData = _NOTHING
    forum: ForumSignals | None = None
    detected_doi: str = ""
    plain: str = ""
    """What the text says without its marks, where it has some; for the screen alone."""
    hidden: tuple[str, ...] = ()
    carriers_removed: int = 0
    truncated: bool = False


PageAnswer = PageReading | Wanted | Refusal
"""What a confined reader may say."""


def read_fetched(data: bytes, about: str) -> PageAnswer:
    """The reading of a response, or of the parcel of several, or what is wanted for it first.

    `about` is a `FetchedAs` as JSON, so that a confined process can be asked.

    Raises:
        ValueError: `about` is none.
    """
    if not about:  # how a process asks every parser once, before its doors close
        about = FetchedAs(url="").model_dump_json()
    asked = FetchedAs.model_validate_json(about)
    if not data:
        return Refusal.EMPTY
    match asked.reader:
        case "hacker_news":
            read = _hacker_news(data, asked)
        case "youtube":
            read = _youtube(data, asked)
        case "page":
            read = _raw(data, asked) if asked.form == "raw" else _read(data, asked)
    if not isinstance(read, PageReading):
        return read
    if len(read.text.strip()) < _FEW:
        return Refusal.EMPTY
    return replace(read, truncated=read.truncated or asked.truncated)


def read_page_source(source: str, asked: FetchedAs, content_hash: str) -> PageReading | Refusal:
    """The reading of a decoded HTML page; a longer one than is read is cut, and says so."""
    page = read_page(source[:LARGEST_PAGE], asked.url)
    if isinstance(page, Refusal):
        return page
    if page.too_much_hidden:
        return Refusal.TOO_MUCH_HIDDEN
    return replace(_of_page(page, asked.form, content_hash), truncated=len(source) > LARGEST_PAGE)


def _read(data: bytes, asked: FetchedAs) -> PageReading | Refusal:
    name = asked.url.partition("?")[0].partition("#")[0]
    kind = kind_of_response(data, asked.content_type, name)
    if kind == "html":
        found = web_text(data, asked.charset, html=True)
        return Refusal.BINARY if found is None else read_page_source(found[0], asked, sha256_hex(data))
    document = parse_response(data, asked.content_type, asked.charset, name)
    return document if isinstance(document, Refusal) else _of_document(document, kind or "", asked.url)


def _raw(data: bytes, asked: FetchedAs) -> PageReading | Refusal:
    """The text of the bytes as they are; only what cannot be text is refused."""
    found = web_text(data, asked.charset, html=asked.content_type == "text/html")
    if found is None or "\x00" in found[0]:
        return Refusal.BINARY
    return PageReading(
        content_type=asked.content_type,
        text=found[0],
        text_hash=sha256_hex(found[0].encode("utf-8")),
        content_hash=sha256_hex(data),
        kind=source_kind(asked.url),
        site=host_of(asked.url),
    )


def _hacker_news(data: bytes, asked: FetchedAs) -> PageAnswer:
    read = read_hacker_news(data, asked.url, final=asked.final)
    if not isinstance(read, HnText):
        return read
    put_together = _assembled(data, asked, "hn", "Hacker News", read.text, truncated=read.truncated)
    return replace(
        put_together,
        title=read.title,
        author=read.author,
        published=read.date,
        plain=read.plain,
        hidden=read.hidden,
        carriers_removed=read.carriers_removed,
    )


def _youtube(data: bytes, asked: FetchedAs) -> PageAnswer:
    read = read_youtube(data, asked.url, final=asked.final)
    if not isinstance(read, VideoText):
        return read
    # A description is not what was said.
    partial = read.truncated or read.origin == "description"
    put_together = _assembled(data, asked, "youtube", "YouTube", read.text, truncated=read.truncated, partial=partial)
    return replace(put_together, title=read.title, author=read.author, published=read.date)


def _assembled(
    data: bytes, asked: FetchedAs, content_type: str, site: str, text: str, *, truncated: bool, partial: bool = False
) -> PageReading:
    return PageReading(
        content_type=content_type,
        text=text,
        text_hash=sha256_hex(text.encode("utf-8")),
        content_hash=sha256_hex(data),
        kind=source_kind(asked.url),
        site=site,
        quality=ExtractionQuality.PARTIAL if truncated or partial else ExtractionQuality.COMPLETE,
        truncated=truncated,
    )


def _of_page(page: Page, form: Form, content_hash: str) -> PageReading:
    text = page.markdown if form == "markdown" else page.text
    told = page.metadata
    # The blocks go out as they are; a directive that their escapes spell is seen only in what they decode to.
    spelled = tuple(strings_of(told.structured.json_ld))
    return PageReading(
        content_type="html",
        text=text,
        text_hash=sha256_hex(text.encode("utf-8")),
        content_hash=content_hash,
        kind=page.kind,
        title=told.title,
        author=told.author,
        site=told.site,
        published=told.published,
        language=told.language,
        canonical_url=told.canonical_url,
        extracted_by=page.extracted_by,
        quality=page.quality,
        structured=told.structured,
        forum=page.forum,
        detected_doi=page.detected_doi,
        plain=page.text if form == "markdown" else "",
        hidden=(*page.hidden, *spelled),
        carriers_removed=page.carriers_removed,
    )


def _of_document(document: ParsedDocument, content_type: str, url: str) -> PageReading:
    kind = source_kind(url)
    return PageReading(
        content_type=content_type,
        text=document.text,
        text_hash=document.text_hash,
        content_hash=document.content_hash,
        kind=kind,
        title=document.title,
        site=host_of(url),
        extracted_by="markdown" if content_type == "markdown" else "",
        quality=ExtractionQuality.PARTIAL if document.truncated else ExtractionQuality.COMPLETE,
        detected_doi=detect_doi(url, kind, (), document.text),
        hidden=document.hidden,
        carriers_removed=document.carriers_removed,
        truncated=document.truncated,
    )
