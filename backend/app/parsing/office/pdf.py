"""Reads a PDF: its paragraphs and headings in order; nothing in it is run, and what it attaches is not opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pypdfium2
from pypdfium2 import raw

from ..refusal import ParseRefused, Refusal
from ..text.document_parts import DocumentParts
from ..text.outline import Outline
from .pdf_lines import PdfLine, blocks_of, usual_height, without_running_lines

__all__ = ["read_pdf"]

_MOST_PAGES: Final = 1_000
_MAGIC: Final = b"%PDF-"
_LOOKED_AT: Final = 1_024
_LEAST_HEIGHT: Final = 0.1  # points
# Without this, the library looks through the machine's fonts for every PDF that does not bring its own: a parser has no
# business with files, and what is installed must not change what is read.
_NO_FONTS: Final = raw.FPDF_SYSFONTINFO(version=1)
raw.FPDF_SetSystemFontInfo(_NO_FONTS)


def read_pdf(data: bytes) -> DocumentParts:
    """The document; of more than a thousand pages the first thousand.

    Raises:
        ParseRefused: it is no PDF, damaged beyond reading, or under a password.
    """
    if _MAGIC not in data[:_LOOKED_AT]:
        raise ParseRefused(Refusal.UNREADABLE)
    try:
        document = pypdfium2.PdfDocument(bytes(data))
    except pypdfium2.PdfiumError as exc:
        locked = "password" in str(exc).lower() or b"/Encrypt" in data
        raise ParseRefused(Refusal.ENCRYPTED if locked else Refusal.UNREADABLE) from exc
    outline = Outline()
    try:
        count = min(len(document), _MOST_PAGES)
        pages = [_lines(document, number) for number in range(count)]
        title = document.get_metadata_dict().get("Title", "")
        truncated = len(document) > _MOST_PAGES
    finally:
        document.close()
    # A page that cannot be read is skipped; a document of such pages is not read.
    if not any(page is not None for page in pages):
        raise ParseRefused(Refusal.UNREADABLE)
    readable = without_running_lines([page for page in pages if page is not None])
    usual = usual_height(readable)
    for page in readable:
        for block in blocks_of(page, usual):
            outline.block(block.text, block.level)
    outline.truncated = outline.truncated or truncated
    return outline.sketch(title)


def _lines(document: pypdfium2.PdfDocument, number: int) -> list[PdfLine] | None:
    """The lines of a page as they stand on it; None where the page cannot be read."""
    try:
        page = document.get_page(number)
    except pypdfium2.PdfiumError:
        return None
    try:
        words = page.get_textpage()
        try:
            return list(_placed(words))
        finally:
            words.close()
    except pypdfium2.PdfiumError:
        return None
    finally:
        page.close()


def _placed(words: pypdfium2.PdfTextPage) -> Iterator[PdfLine]:
    last = words.count_chars() - 1
    at = 0
    for text in words.get_text_range().split("\r\n"):
        first, end = at, at + len(text)
        at = end + 2
        # A word cut at the end of a line is marked by pdfium; what cannot be text is left out.
        said = " ".join(text.replace("\ufffe", "").replace("\x00", "").split())
        if not said:
            continue
        first += len(text) - len(text.lstrip())
        left, bottom, _, top = words.get_charbox(min(first, last), loose=True)
        right = words.get_charbox(min(max(first, end - 1), last), loose=True)[2]
        yield PdfLine(said, left, right, top, max(top - bottom, _LEAST_HEIGHT))
