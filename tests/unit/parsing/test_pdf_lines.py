"""Lines of a PDF become paragraphs and headings."""

from __future__ import annotations

import pytest
from tests.fixtures.office import pdf_of_lines

from app.parsing.documents import parse_document
from app.parsing.passages import passages_of
from app.parsing.pdf_lines import Block, Line, blocks_of, usual_height, without_running_lines

WIDE = "a line that reaches the margin of its page, as most do"


def line(text, top, *, left=72.0, right=None, height=12.0):
    return Line(text, left, left + 6.0 * len(text) if right is None else right, top, height)


def blocks(*lines, usual=12.0):
    return list(blocks_of(lines, usual))


def test_lines_of_a_sentence_are_one_paragraph_and_a_gap_ends_it():
    said = blocks(line(WIDE, 700), line("and goes on.", 686), line(WIDE, 650), line("Short", 636), line("shorter", 622))
    assert said == [Block(f"{WIDE} and goes on."), Block(f"{WIDE} Short\nshorter")]


def test_taller_letters_are_headings():
    said = blocks(line("Leave", 720, height=20), line("Parents", 690, height=14.5), line(WIDE, 676))
    assert said == [Block("Leave", 1), Block("Parents", 2), Block(WIDE)]


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
    assert blocks(line("alone", 700)) == [Block("alone")]


def test_running_heads_feet_and_numbers_go_and_the_rest_stays():
    pages = [[line("The Handbook", 780), line(f"Fact {word}.", 700), line(str(n), 30)] for n, word in enumerate("abcd")]
    kept = without_running_lines([*pages, [line("The Handbook", 780)], []])
    assert [[one.text for one in page] for page in kept] == [
        *([f"Fact {word}."] for word in "abcd"),
        ["The Handbook"],
        [],
    ]
    assert without_running_lines(pages[:2]) == pages[:2]


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
