"""Reads a PDF: the text of its pages in order; nothing in it is run, and what it attaches is not opened."""

from __future__ import annotations

from typing import Final

import pypdfium2
from pypdfium2 import raw

from .outline import Outline
from .refusal import Refusal, Refused
from .sketch import Sketch

__all__ = ["read_pdf"]

_MOST_PAGES: Final = 1_000
_MAGIC: Final = b"%PDF-"
_LOOKED_AT: Final = 1_024
# Without this, the library looks through the machine's fonts for every PDF that does not bring its own: a parser has no
# business with files, and what is installed must not change what is read.
_NO_FONTS: Final = raw.FPDF_SYSFONTINFO(version=1)
raw.FPDF_SetSystemFontInfo(_NO_FONTS)


def read_pdf(data: bytes) -> Sketch:
    """The document; of more than a thousand pages the first thousand.

    Raises:
        Refused: it is no PDF, damaged beyond reading, or under a password.
    """
    if _MAGIC not in data[:_LOOKED_AT]:
        raise Refused(Refusal.UNREADABLE)
    try:
        document = pypdfium2.PdfDocument(bytes(data))
    except pypdfium2.PdfiumError as exc:
        locked = "password" in str(exc).lower() or b"/Encrypt" in data
        raise Refused(Refusal.ENCRYPTED if locked else Refusal.UNREADABLE) from exc
    outline = Outline()
    try:
        pages = len(document)
        broken = sum(not _page(document, number, outline) for number in range(min(pages, _MOST_PAGES)))
        title = document.get_metadata_dict().get("Title", "")
    finally:
        document.close()
    # A page that cannot be read is skipped; a document of such pages is not read.
    if pages == 0 or broken == min(pages, _MOST_PAGES):
        raise Refused(Refusal.UNREADABLE)
    outline.truncated = outline.truncated or pages > _MOST_PAGES
    return outline.sketch(title)


def _page(document: pypdfium2.PdfDocument, number: int, outline: Outline) -> bool:
    if outline.truncated:
        return True
    try:
        page = document.get_page(number)
    except pypdfium2.PdfiumError:
        return False
    try:
        words = page.get_textpage()
        try:
            text = words.get_text_range()
        finally:
            words.close()
    except pypdfium2.PdfiumError:
        return False
    finally:
        page.close()
    # A word cut at the end of a line is marked by pdfium; what cannot be text is left out.
    outline.block(text.replace("\r\n", "\n").replace("\ufffe", "").replace("\x00", ""))
    return True
