"""Reads a web page: its main content as text and Markdown, its hidden text apart, and what it says about itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from ..kernel.canonical import sha256_hex
from .clean_text import cleaned
from .decoding import decoded
from .documents import ParsedDocument, Refusal
from .html_weight import too_heavy
from .main_content import find_content
from .page_tree import flatten
from .page_writing import written
from .sketch import HiddenParts

__all__ = ["EXTRACTOR_VERSION", "LARGEST_PAGE", "Page", "extract_document", "read_page"]

EXTRACTOR_VERSION: Final = 1
"""Part of every stored text: another version derives it again from the bytes."""

LARGEST_PAGE: Final = 10_000_000
"""Characters of source; longer pages are refused."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page as a reader would call it."""

    title: str
    text: str
    markdown: str
    hidden: tuple[str, ...]
    too_much_hidden: bool
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
    content = find_content(nodes)
    text, markdown = (cleaned(part) for part in written(content, nodes, url))
    if not text.text:
        return Refusal.EMPTY
    return Page(
        title="",
        text=text.text,
        markdown=markdown.text,
        hidden=hidden.frozen(),
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
        title=page.title,
        text=page.text,
        headings=(),
        hidden=page.hidden,
        carriers_removed=page.carriers_removed,
        content_hash=sha256_hex(data),
        text_hash=sha256_hex(page.text.encode("utf-8")),
    )
