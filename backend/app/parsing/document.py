"""Reads a document: bytes and a file name in, its text with headings and hidden parts out, or a named refusal."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final, Protocol

from ..kernel.canonical import sha256_hex
from ..screen.carriers import strip_carriers
from .refusal import ParseRefused, Refusal
from .text.charsets import web_text
from .text.decoding import decoded
from .text.document_parts import MOST_HIDDEN_BYTES, DocumentParts, ParsedDocument
from .text.passages import Heading

__all__ = [
    "LARGEST_FILE",
    "LAZY_READERS",
    "PARSER_VERSION",
    "DocumentParser",
    "ParsedDocument",
    "Refusal",
    "format_of",
    "kind_of_response",
    "parse_document",
    "parse_response",
    "title_from_name",
]

PARSER_VERSION: Final = 6
"""Part of every stored text: another version derives it again from the bytes."""

LARGEST_FILE: Final = 5_000_000
_LONGEST_TITLE: Final = 200
_FORMATS: Final = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".csv": "csv",
    ".json": "json",
    ".atom": "feed",
    ".rss": "feed",
    ".docx": "docx",
    ".pdf": "pdf",
    ".pptx": "pptx",
}
_TYPES: Final = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/csv": "csv",
    "application/json": "json",
    "text/json": "json",
    "application/rss+xml": "feed",
    "application/atom+xml": "feed",
    "application/rdf+xml": "feed",
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
}
_VAGUE: Final = frozenset({"", "application/octet-stream", "application/xml", "application/x-unknown"})
_BINARIES: Final = frozenset({"docx", "pdf", "pptx"})
_PAGES: Final = ("html", "head", "body")
_FEEDS: Final = ("rss", "feed", "rdf:rdf")
_TAG: Final = re.compile(rb"<(!doctype\s+html|[a-z:]{1,20})\b", re.IGNORECASE)
# Tag characters and variation selectors; a flag has six in a row, a letter one.
_UNSEEN: Final = re.compile("[\ufe00-\ufe0f\U000e0000-\U000e0fff]{12,}")
# Controls have no place in evidence: a terminal would obey them.
_CONTROLS: Final = re.compile("[\x01-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]")
_NEWLINES: Final = re.compile("\r\n|[\r\f\x85\u2028\u2029]")


class DocumentParser(Protocol):
    """`parse_document`, or another way to run it."""

    def __call__(self, data: bytes, name: str, /) -> ParsedDocument | Refusal: ...


def format_of(name: str) -> str | None:
    """The format that a file name stands for, or None where it is none of ours."""
    _, dot, suffix = name.rpartition(".")
    return _FORMATS.get(dot + suffix.lower())


def title_from_name(name: str) -> str:
    """What to call a document that names itself nowhere: its file name in words."""
    stem = PurePosixPath(name).stem
    return " ".join(re.split(r"[\s_-]+", strip_carriers(stem).text)).strip()[:_LONGEST_TITLE] or name


def kind_of_response(data: bytes, content_type: str, name: str = "") -> str | None:
    """The format of a response: first what its bytes give away, then its type, then the name in its URL."""
    if b"%PDF-" in data[:1_024]:
        return "pdf"
    said = _TYPES.get(content_type) or ("json" if content_type.endswith("+json") else None)
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        return said if said in _BINARIES else _office(data, name)
    if said in _BINARIES:
        return said
    tag = _first_tag(data[:4_096])
    if tag in _FEEDS:
        return "feed"
    vague = content_type in _VAGUE or content_type.startswith("text/")
    if tag in _PAGES and (said == "json" or (said is None and vague)):
        return "html"
    if said is not None:
        return said
    if vague:
        named = format_of(name)
        return named if named is not None and named not in _BINARIES else "text"
    return None


def parse_response(data: bytes, content_type: str, charset: str, name: str = "") -> ParsedDocument | Refusal:
    """The document in a response; its encoding may be guessed, which the answer says."""
    kind = kind_of_response(data, content_type, name)
    if kind is None:
        return Refusal.UNSUPPORTED
    if not data:
        return Refusal.EMPTY
    if kind in _BINARIES or kind == "feed":
        return _binary(data, kind)
    found = web_text(data, charset, html=kind == "html")
    if found is None:
        return Refusal.BINARY
    text, guessed = found
    read = _texts(text, kind, data)
    return read if isinstance(read, Refusal) else replace(read, charset_guessed=guessed)


def parse_document(data: bytes, name: str) -> ParsedDocument | Refusal:
    """The document in the bytes; the file name decides the format."""
    kind = format_of(name)
    if kind is None:
        return Refusal.UNSUPPORTED
    if len(data) > LARGEST_FILE:
        return Refusal.TOO_LARGE
    if kind in _BINARIES or kind == "feed":
        return _binary(data, kind) if data else Refusal.EMPTY
    source = decoded(data, html=kind == "html")
    if source is None:
        return Refusal.BINARY if b"\x00" in data else Refusal.UNDECODABLE
    return _texts(source, kind, data)


def _texts(source: str, kind: str, data: bytes) -> ParsedDocument | Refusal:
    if "\x00" in source:
        return Refusal.BINARY
    stripped = strip_carriers(_clean(source))
    try:
        sketch = _read_text(stripped.text, kind)
    except ParseRefused as exc:
        return exc.refusal
    except (RecursionError, ValueError):
        return Refusal.UNREADABLE
    if sketch is None:
        return Refusal.UNREADABLE
    if sketch.too_much_hidden:
        return Refusal.TOO_MUCH_HIDDEN
    # Character references can spell carriers and controls, so the reader's output is looked at again.
    return _finished(sketch, stripped.removed, sha256_hex(data), _spelled_unseen(source) if stripped.removed else ())


def _read_text(text: str, kind: str) -> DocumentParts | None:
    match kind:
        case "html":
            from .html.plain import read_html

            return read_html(text)
        case "markdown":
            from .text.markdown import read_markdown

            return read_markdown(text)
        case "json":
            from .text.data_files import read_json

            return read_json(text) if text.strip() else DocumentParts("", "", (), ())
        case "csv":
            from .text.data_files import read_csv

            return read_csv(text)
        case _:
            return DocumentParts("", text, (), ())


def _binary(data: bytes, kind: str) -> ParsedDocument | Refusal:
    try:
        sketch = _reader(kind)(data)
    except ParseRefused as exc:
        return exc.refusal
    except (RecursionError, ValueError):
        return Refusal.UNREADABLE
    if sketch.too_much_hidden:
        return Refusal.TOO_MUCH_HIDDEN
    # The blocks of an outline keep their offsets: what is no text is dropped before it is measured, not after.
    return _finished(sketch, 0, sha256_hex(data))


_LAZY: Final = "office.pdf office.docx office.pptx html.feeds html.plain text.markdown text.data_files"
LAZY_READERS: Final = tuple(__name__.removesuffix("document") + name for name in _LAZY.split())
"""Loaded when they are first needed; a process that closes its doors before it reads loads them first."""


def _reader(kind: str) -> Callable[[bytes], DocumentParts]:
    """Loaded when it is first needed: whoever only asks for formats does not carry the libraries behind them."""
    match kind:
        case "pdf":
            from .office.pdf import read_pdf

            return read_pdf
        case "docx":
            from .office.docx import read_docx

            return read_docx
        case "pptx":
            from .office.pptx import read_pptx

            return read_pptx
        case _:
            from .html.feeds import read_feed

            return read_feed


def _first_tag(data: bytes) -> str:
    """The name of the first element, behind comments and declarations; each byte is looked at once."""
    while True:
        data = data.lstrip(b"\xef\xbb\xbf \t\r\n\f")
        if data.startswith(b"<!--"):
            _, found, data = data.partition(b"-->")
        elif data.startswith(b"<?"):
            _, found, data = data.partition(b"?>")
        else:
            tag = _TAG.match(data)
            if tag is not None:
                name = tag.group(1).decode("ascii").lower()
                return "html" if name.startswith("!doctype") else name
            if not data.startswith(b"<!"):
                return ""
            _, found, data = data.partition(b">")
        if not found:
            return ""


def _office(data: bytes, name: str) -> str | None:
    named = format_of(name)
    if named in _BINARIES:
        return named
    if b"word/document.xml" in data:
        return "docx"
    return "pptx" if b"ppt/presentation.xml" in data else None


def _clean(text: str) -> str:
    return _CONTROLS.sub("", _NEWLINES.sub("\n", text))


def _spelled_unseen(text: str) -> tuple[str, ...]:
    """Runs of characters that nobody sees and that stand for letters; the screen reads what they spell."""
    return tuple(_UNSEEN.findall(text))


def _finished(
    sketch: DocumentParts, removed: int, content_hash: str, unseen: tuple[str, ...] = ()
) -> ParsedDocument | Refusal:
    again = strip_carriers(sketch.text)
    if again.removed:
        unseen = (*unseen, *_spelled_unseen(sketch.text))
    if sum(map(len, unseen)) > MOST_HIDDEN_BYTES:
        return Refusal.TOO_MUCH_HIDDEN
    headings = tuple(
        Heading(
            heading.level,
            " ".join(strip_carriers(heading.title).text.split()),
            again.stripped_offset(heading.start),
            again.stripped_offset(heading.end),
        )
        for heading in sketch.headings
    )
    if not again.text.strip():
        return Refusal.EMPTY
    title = " ".join(strip_carriers(sketch.title).text.split())[:_LONGEST_TITLE]
    return ParsedDocument(
        title=title,
        text=again.text,
        headings=headings,
        hidden=(*(_CONTROLS.sub("", part) for part in sketch.hidden), *unseen),
        carriers_removed=removed + again.removed,
        content_hash=content_hash,
        text_hash=sha256_hex(again.text.encode("utf-8")),
        truncated=sketch.truncated,
    )
