"""DOCX, PPTX and PDF: their text in order, what they hide, and every way to be no document."""

from __future__ import annotations

import io
import os
import zipfile

import pytest
from tests.fixtures.office import W, archive, docx, pdf, pptx, slide

from app.parsing.document import ParsedDocument, Refusal, parse_document, parse_response
from app.parsing.office.archives import OfficeArchive
from app.parsing.refusal import ParseRefused


def para(text, style="", run=""):
    said = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f'<w:p>{said}<w:r><w:rPr>{run}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def read(data, name):
    got = parse_document(data, name)
    assert isinstance(got, ParsedDocument), got
    return got


def test_a_document_with_headings_tables_and_breaks():
    table = "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>"
    body = (
        para("Rye at home", "Heading1")
        + para("Flour &amp; water &#169; salt")
        + "<w:p><w:r><w:t>one</w:t><w:br/><w:t>two</w:t><w:tab/><w:t>three</w:t></w:r></w:p>"
        + table.format(para("Hydration"), para("75 %") + para("of flour"))
        + table.format(table.format(para("inner"), para("table")), para("outer"))
        + para("Baking", "berschrift2")
        + para("Hot.")
    )
    styles = '<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>'
    got = read(docx(body, title="Bread book", word__styles_xml=styles), "a.docx")
    assert got.title == "Bread book"
    assert got.text == (
        "Rye at home\n\nFlour & water \u00a9 salt\n\none\ntwo three\n\nHydration | 75 % of flour\n\n"
        "inner table | outer\n\nBaking\n\nHot."
    )
    assert [(heading.level, heading.title) for heading in got.headings] == [(1, "Rye at home"), (2, "Baking")]
    assert all(got.text[heading.start : heading.end] == heading.title for heading in got.headings)
    assert not got.truncated


def test_what_a_reader_does_not_see_goes_to_the_screen():
    body = (
        para("Seen.")
        + para("vanished words", run="<w:vanish/>")
        + para("not vanished", run='<w:vanish w:val="0"/>')
        + para("white words", run='<w:color w:val="FFFFFF"/>')
        + para("tiny words", run='<w:sz w:val="2"/>')
        + "<w:p><w:del><w:r><w:delText>deleted words</w:delText></w:r></w:del></w:p>"
    )
    notes = {
        "word__comments_xml": para("a comment"),
        "word__header1_xml": para("a header"),
        "word__footnotes_xml": para("a note"),
    }
    got = read(docx(body, **notes), "a.docx")
    assert got.text == "Seen.\n\nnot vanished\n\na note"
    assert got.hidden == ("vanished words", "white words", "tiny words", "deleted words", "a comment", "a header")


def test_slides_come_in_their_order_with_notes_and_hidden_ones_apart():
    slides = [slide("second", title="Two"), slide("first", "more", title="One"), slide("secret", attributes='show="0"')]
    notes = {"ppt/notesSlides/notesSlide1.xml": slide("say this aloud")}
    got = read(pptx(slides, [2, 1, 3], **notes), "a.pptx")
    assert got.text == "One\n\nfirst\n\nmore\n\nTwo\n\nsecond"
    assert [heading.title for heading in got.headings] == ["One", "Two"]
    assert got.hidden == ("secret", "say this aloud")
    assert got.title == "One"


def test_a_pdf_page_by_page():
    got = read(pdf(["Proof rye cold.", "Bake it hot."], title="Rye"), "a.pdf")
    assert (got.text, got.title) == ("Proof rye cold.\n\nBake it hot.", "Rye")


def test_a_pdf_runs_nothing():
    script = "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>"
    assert read(pdf(["Text."], extra=script), "a.pdf").text == "Text."


def test_a_very_long_pdf_is_cut_and_says_so():
    got = read(pdf([f"page {n}" for n in range(1_200)]), "a.pdf")
    assert got.truncated
    assert got.text.endswith("page 999")


BOMB = "<w:p><w:r><w:t>" + "\u0430" * 15_000_000 + "</w:t></w:r></w:p>"
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hosts">]>'
DEEP = "<w:p>" * 100_000


@pytest.mark.parametrize(
    ("data", "name", "refusal"),
    [
        (b"", "a.docx", "empty"),
        (b"", "a.pdf", "empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "a.pdf", "unreadable"),
        (b"plain words", "a.pdf", "unreadable"),
        (b"%PDF-1.7\n" + bytes(range(256)) * 20, "a.pdf", "unreadable"),
        (b"plain words", "a.docx", "unreadable"),
        (b"PK\x03\x04 and no more", "a.pptx", "unreadable"),
        (docx(para("x" * 5_000))[:-50], "a.docx", "unreadable"),
        (archive({"other.txt": "x"}), "a.docx", "unreadable"),
        (archive({"other.txt": "x"}), "a.pptx", "unreadable"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a.docx", "encrypted"),
        (archive({"word/document.xml": f"<w:document {W}><w:body>{BOMB}</w:body></w:document>"}), "a.docx", "bomb"),
        (archive({"word/document.xml": f"{LAUGHS}<x>&b;</x>"}), "a.docx", "bomb"),
        (archive({"word/document.xml": f"{OUTSIDE}<x>&a;</x>"}), "a.docx", "bomb"),
        (archive({"word/document.xml": f"<w:document {W}>{DEEP}"}), "a.docx", "unreadable"),
        (archive({"word/document.xml": "<open>"}), "a.docx", "unreadable"),
        (archive({"word/document.xml": f"<w:document {W}/>"}, zipfile.ZIP_BZIP2), "a.docx", "unreadable"),
        (docx(""), "a.docx", "empty"),
        (pdf([""]), "a.pdf", "empty"),
        (pptx([]), "a.pptx", "empty"),
        (docx(para("seen") + para("h" * 300_000, run="<w:vanish/>")), "a.docx", "too_much_hidden"),
    ],
    ids=range(21),
)
def test_what_is_no_document_says_why(data, name, refusal):
    assert parse_document(data, name) == Refusal(refusal)


def _packed(*parts, empty=True):
    """An archive of parts that are so many million bytes long, written without holding them."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, millions in parts:
            with packed.open(name, "w") as part:
                for _ in range(millions):
                    part.write(b" " * 1_000_000 if empty else os.urandom(1_000_000))
    return stream.getvalue()


@pytest.mark.ruling("R16")
@pytest.mark.parametrize("millions", [21, 80, 199, 250, 600])
def test_a_bomb_is_a_bomb_whatever_its_size(millions):
    with pytest.raises(ParseRefused, match="bomb"):
        OfficeArchive(_packed(("word/document.xml", millions))).part("word/document.xml")


@pytest.mark.ruling("R16")
def test_a_bomb_in_several_parts_is_one_too():
    parts = [(f"word/header{number}.xml", 19) for number in range(3)]
    opened = OfficeArchive(_packed(*parts))
    assert [len(opened.part(name)) for name, _ in parts[:2]] == [19_000_000] * 2
    with pytest.raises(ParseRefused, match="bomb"):
        opened.part(parts[2][0])


@pytest.mark.ruling("R16")
def test_what_is_merely_long_is_too_large():
    with pytest.raises(ParseRefused, match="too_large"):
        OfficeArchive(_packed(("word/document.xml", 21), empty=False)).part("word/document.xml")


def test_an_encrypted_part_and_a_locked_pdf():
    data = bytearray(docx(para("words")))
    for at in (data.find(b"PK\x03\x04") + 6, data.find(b"PK\x01\x02") + 8):
        data[at] |= 1  # the bit that says: under a password
    assert parse_document(bytes(data), "a.docx") is Refusal.ENCRYPTED
    locked = pdf(["words"]).replace(b"/Root 1 0 R", b"/Encrypt 4 0 R /Root 1 0 R")
    assert parse_document(locked, "a.pdf") is Refusal.ENCRYPTED


def test_a_pdf_that_was_cut_is_mended_or_refused():
    whole = pdf([f"page {n}" for n in range(20)])
    for end in range(100, len(whole), 400):
        got = parse_document(whole[:end], "a.pdf")
        assert isinstance(got, ParsedDocument | Refusal)


def test_controls_and_odd_characters_do_not_get_through():
    got = read(docx(para("a\u200bb \u009b c\ud7ff &#x85; d")), "a.docx")
    assert "\u009b" not in got.text
    assert "\u200b" not in got.text
    assert got.carriers_removed == 1


@pytest.mark.parametrize(
    ("data", "kind", "name"),
    [
        (docx(para("words")), "", ""),
        (docx(para("words")), "application/zip", "x.docx"),
        (docx(para("words")), "application/octet-stream", ""),
        (pptx([slide("words")]), "application/zip", ""),
        (pdf(["words"]), "text/html", ""),
        (pdf(["words"]), "", "x.html"),
    ],
    ids=range(6),
)
def test_the_bytes_outrank_a_wrong_type(data, kind, name):
    got = parse_response(data, kind, "", name)
    assert isinstance(got, ParsedDocument), got
    assert got.text == "words"
