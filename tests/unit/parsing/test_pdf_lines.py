"""Lines of a PDF become paragraphs and headings."""

from __future__ import annotations

import pytest
from tests.fixtures.office import pdf_of_lines

from app.parsing.document import parse_document
from app.parsing.office.pdf_lines import PdfBlock, PdfLine, blocks_of, usual_height, without_running_lines
from app.parsing.text.passages import passages_of

WIDE = "a line that reaches the margin of its page, as most do"


def line(text, top, *, left=72.0, right=None, height=12.0):
    return PdfLine(text, left, left + 6.0 * len(text) if right is None else right, top, height)


def blocks(*lines, usual=12.0):
    return list(blocks_of(lines, usual))


def test_lines_of_a_sentence_are_one_paragraph_and_a_gap_ends_it():
    said = blocks(line(WIDE, 700), line("and goes on.", 686), line(WIDE, 650), line("Short", 636), line("shorter", 622))
    assert said == [PdfBlock(f"{WIDE} and goes on."), PdfBlock(f"{WIDE} Short\nshorter")]


def test_taller_letters_are_headings():
    said = blocks(line("Leave", 720, height=20), line("Parents", 690, height=14.5), line(WIDE, 676))
    assert said == [PdfBlock("Leave", 1), PdfBlock("Parents", 2), PdfBlock(WIDE)]


def test_a_tall_text_that_is_too_long_is_no_heading():
    (said,) = blocks(*(line(WIDE, 700 - 20 * n, height=18) for n in range(4)))
    assert said.level == 0


def test_an_indented_line_after_a_full_stop_begins_a_paragraph():
    said = blocks(line(WIDE, 700), line("It ends.", 686), line("Next, indented", 672, left=90))
    assert [block.text for block in said] == [f"{WIDE} It ends.", "Next, indented"]


def test_a_second_column_begins_anew():
    said = blocks(line("left column", 700), line("goes on", 686), line("right column", 700, left=320))
    assert [block.text for block in said] == ["left column goes on", "right column"]


def test_nothing_is_nothing():
    assert blocks() == []
    assert usual_height([]) == 0
    assert blocks(line("alone", 700)) == [PdfBlock("alone")]


def page(*texts, head=None, foot=None):
    lines = [line(text, 700 - 14 * number) for number, text in enumerate(texts)]
    return [*([line(head, 780)] if head else []), *lines, *([line(foot, 30)] if foot else [])]


def said(pages):
    return [[one.text for one in page] for page in pages]


def test_running_heads_feet_and_numbers_go_and_the_rest_stays():
    pages = [page(f"Fact {word}.", "More.", head="The Handbook", foot=str(n)) for n, word in enumerate("abcd")]
    kept = without_running_lines([*pages, [line("The Handbook", 780)], []])
    assert said(kept) == [*([f"Fact {word}.", "More."] for word in "abcd"), ["The Handbook"], []]
    assert without_running_lines(pages[:2]) == pages[:2]


def test_the_number_of_a_chapter_page_runs_and_a_numbered_clause_does_not():
    heads = [page("Text.", "More.", head=f"Chapter 4: Functions {9 + n}") for n in range(3)]
    assert said(without_running_lines(heads)) == [["Text.", "More."]] * 3
    clauses = [page(f"Clause {n}: payment is due within 3{n} days", "Text.", "More.") for n in range(5)]
    assert without_running_lines(clauses) == clauses, "in line with the text"
    apart = [page("Text.", "More.", head=f"Offer of {7 * n} loaves") for n in range(1, 6)]
    assert without_running_lines(apart) == apart, "no number of pages"
    table = [page("Rye 3", "Spelt 4", "Oats 5") for _ in range(6)]
    assert without_running_lines(table) == table


@pytest.mark.parametrize("gap", [30, 40])
def test_a_real_pdf_has_passages_under_their_headings(gap):
    lines = [
        (18, "Staff handbook"),
        (0, ""),
        (15, "Parental leave"),
        (11, "Parents take up to fourteen weeks of paid leave after a birth or an"),
        (11, "adoption. They tell their team three weeks before it begins."),
        (0, ""),
        (15, "Travel"),
        (11, "Trains come first. Flights need a reason that somebody has signed."),
    ]
    parsed = parse_document(pdf_of_lines(lines, gap), "handbook.pdf")
    passages = passages_of(parsed.text, parsed.headings)
    assert [passage.heading for passage in passages] == ["Staff handbook > Parental leave", "Staff handbook > Travel"]
    assert "a birth or an adoption. They tell" in parsed.text[passages[0].start : passages[0].end]
