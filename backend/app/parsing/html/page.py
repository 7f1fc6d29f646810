"""Reads a web page: its main content as text and Markdown, its hidden text apart, and what it says about itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from ...kernel.canonical import sha256_hex
from ..refusal import Refusal
from ..text.clean_text import cleaned
from ..text.decoding import decoded
from ..text.document_parts import HiddenParts, ParsedDocument
from .hidden_rules import collect_told
from .main_content import find_content
from .metadata import DeclaredMetadata, read_metadata
from .source_kind import ForumSignals, SiteKind, detect_doi, forum_signals, source_kind
from .tree import flatten
from .weight import too_heavy
from .writing import written

__all__ = ["EXTRACTOR_VERSION", "LARGEST_PAGE", "ExtractionQuality", "Page", "extract_document", "read_page"]

EXTRACTOR_VERSION: Final = 1
"""Part of every stored text: another version derives it again from the bytes."""

LARGEST_PAGE: Final = 10_000_000
"""Characters of source; longer pages are refused."""

_EXTRACTED_BY: Final = "html"
_CONFIDENT_CHARACTERS: Final = 100


class ExtractionQuality(StrEnum):
    """How sure the extractor is that it has the text that a reader came for."""

    COMPLETE = "complete"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class Page:
    """A page as a reader would call it, and everything that a capability may tell about it."""

    url: str
    text: str
    """The main content as clean text; tables of data are Markdown tables."""
    markdown: str
    """The same with headings, lists, links, code and emphasis."""
    metadata: DeclaredMetadata
    kind: SiteKind
    forum: ForumSignals | None
    detected_doi: str
    extracted_by: str
    quality: ExtractionQuality
    hidden: tuple[str, ...]
    """What the page says without showing it, for the screen: no part of the text."""
    too_much_hidden: bool
    """Whether there was more of it than is kept: then the screen has not seen all."""
    carriers_removed: int


def read_page(source: str, url: str = "") -> Page | Refusal:
    """The page in a decoded source; `url` is where it was fetched from."""
    if len(source) > LARGEST_PAGE:
        return Refusal.TOO_LARGE
    try:
        if too_heavy(source):
            return Refusal.UNREADABLE
        tree = LexborHTMLParser(source)
    except (SelectolaxError, RecursionError, ValueError):
        return Refusal.UNREADABLE
    if tree.root is None:
        return Refusal.EMPTY
    hidden = HiddenParts()
    nodes = flatten(tree.root, hidden)
    collect_told(tree, hidden)
    metadata = read_metadata(tree, url)
    content = find_content(nodes, metadata.linked.body, metadata.title)
    text, markdown = (cleaned(part) for part in written(content, nodes, metadata.base_url))
    if not text.text.strip():
        return Refusal.EMPTY
    kind = source_kind(url, metadata.linked.types, has_citation=metadata.is_scholarly)
    sure = content.sure and len(text.text) >= _CONFIDENT_CHARACTERS
    return Page(
        url=url,
        text=text.text,
        markdown=markdown.text,
        metadata=metadata,
        kind=kind,
        forum=forum_signals(url, metadata.linked),
        detected_doi=detect_doi(url, kind, metadata.structured.citation, text.text),
        extracted_by=_EXTRACTED_BY,
        quality=ExtractionQuality.COMPLETE if sure else ExtractionQuality.PARTIAL,
        hidden=tuple(part for one in hidden.frozen() if (part := cleaned(one).text.strip())),
        too_much_hidden=hidden.too_much,
        carriers_removed=text.removed,
    )


def extract_document(data: bytes, name: str) -> ParsedDocument | Refusal:
    """The main content of an HTML file as a document; a `DocumentParser`, so that a process of its own can run it."""
    source = decoded(data, html=True)
    if source is None:
        source = data.decode("utf-8", "replace")
    page = read_page(source)
    if isinstance(page, Refusal):
        return page
    return ParsedDocument(
        title=page.metadata.title,
        text=page.text,
        headings=(),
        hidden=page.hidden,
        carriers_removed=page.carriers_removed,
        content_hash=sha256_hex(data),
        text_hash=sha256_hex(page.text.encode("utf-8")),
    )
