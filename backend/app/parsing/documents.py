"""Reads a document: bytes and a file name in, its text with headings and hidden parts out, or a named refusal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Final, Protocol

from selectolax.lexbor import SelectolaxError

from ..kernel.canonical import sha256_hex
from .carriers import strip_carriers
from .decoding import decoded
from .html import read_html
from .markdown import read_markdown
from .passages import Heading
from .sketch import Sketch

__all__ = [
    "LARGEST_FILE",
    "PARSER_VERSION",
    "DocumentParser",
    "ParsedDocument",
    "Refusal",
    "format_of",
    "parse_document",
    "title_from_name",
]

PARSER_VERSION: Final = 3
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
}
# Controls have no place in evidence: a terminal would obey them.
_CONTROLS: Final = re.compile("[\x01-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]")
_NEWLINES: Final = re.compile("\r\n|[\r\f\x85\u2028\u2029]")


class Refusal(StrEnum):
    """Why bytes did not become a document."""

    BINARY = "binary"
    EMPTY = "empty"
    TOO_LARGE = "too_large"
    TOO_MUCH_HIDDEN = "too_much_hidden"
    TOO_SLOW = "too_slow"
    UNDECODABLE = "undecodable"
    UNREADABLE = "unreadable"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document's derived text and what stands in it; the title is empty where the text names none."""

    title: str
    text: str
    headings: tuple[Heading, ...]
    hidden: tuple[str, ...]
    carriers_removed: int
    content_hash: str
    text_hash: str


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


def parse_document(data: bytes, name: str) -> ParsedDocument | Refusal:
    """The document in the bytes; the file name decides the format."""
    kind = format_of(name)
    if kind is None:
        return Refusal.UNSUPPORTED
    if len(data) > LARGEST_FILE:
        return Refusal.TOO_LARGE
    source = decoded(data, html=kind == "html")
    if source is None:
        return Refusal.BINARY if b"\x00" in data else Refusal.UNDECODABLE
    if "\x00" in source:
        return Refusal.BINARY
    stripped = strip_carriers(_CONTROLS.sub("", _NEWLINES.sub("\n", source)))
    if kind == "html":
        try:
            page = read_html(stripped.text)
        except (SelectolaxError, RecursionError, ValueError):
            return Refusal.UNREADABLE
        if page is None:
            return Refusal.UNREADABLE
        sketch = page
    elif kind == "markdown":
        sketch = read_markdown(stripped.text)
    else:
        sketch = Sketch("", stripped.text, (), ())
    if sketch.too_much_hidden:
        return Refusal.TOO_MUCH_HIDDEN
    # Character references can spell carriers and controls, so the reader's output is looked at again.
    return _finished(sketch, stripped.removed, sha256_hex(data))


def _finished(sketch: Sketch, removed: int, content_hash: str) -> ParsedDocument | Refusal:
    again = strip_carriers(sketch.text)
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
        hidden=tuple(_CONTROLS.sub("", part) for part in sketch.hidden),
        carriers_removed=removed + again.removed,
        content_hash=content_hash,
        text_hash=sha256_hex(again.text.encode("utf-8")),
    )
