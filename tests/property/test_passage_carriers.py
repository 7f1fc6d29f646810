"""A passage keeps its invisible characters: the screen finds nothing to strip that the document was allowed."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from app.parsing.document import ParsedDocument, parse_document
from app.parsing.text.graphemes import can_cut
from app.parsing.text.passages import passages_of
from app.screen.carriers import strip_carriers

PIECES = st.sampled_from(
    [
        "\U0001f469\u200d\U0001f4bb",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
        "\u2764\ufe0f",
        "\u2764\ufe0f\u200d\U0001f525",
        "\U0001f44d\U0001f3fd",
        "\U0001f1eb\U0001f1f7",
        "1\ufe0f\u20e3",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0628\u200c",
        "\u0915\u094d\u200d\u0937",
        "\u0915\u094d\u200d",
        "\u3002\ufe00",
        "\u3000\ufe00",
        "\u7c89\U000e0100",
        "\u1820\u180b",
        "\u115f\u1161",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "e\u0301",
        "\u0301",
        "\u17b5",
        "\u200d",
        "\u200c",
        " ",
        "\n\n",
        ". ",
        "word",
    ]
)
TEXTS = st.lists(st.tuples(PIECES, st.integers(1, 400)), min_size=1, max_size=8).map(
    lambda parts: "".join(piece * times for piece, times in parts)
)


@given(TEXTS, st.sampled_from(["a.txt", "a.md", "a.html"]))
@example("x" * 2 + "sourdough bread " + "\U0001f469\u200d\U0001f4bb" * 600, "a.txt")
@example("\U0001f469\u200d" * 2000, "a.txt")
@example("\u0628\u200c" * 2000, "a.txt")
@example("\u0915\u094d\u200d" * 1000 + "x", "a.txt")
def test_no_passage_loses_a_character_to_the_screen(source, name):
    document = parse_document(source.encode(), name)
    if not isinstance(document, ParsedDocument):
        return
    for passage in passages_of(document.text, document.headings):
        text = document.text[passage.start : passage.end]
        assert strip_carriers(text).text == text


@given(TEXTS)
def test_stripping_twice_strips_nothing_more(text):
    once = strip_carriers(text).text
    assert strip_carriers(once).text == once


def test_emoji_and_accents_are_not_cut_in_two():
    wall = "e\u0301\U0001f469\U0001f3fd\u200d\U0001f4bb" * 500
    document = parse_document(wall.encode(), "a.txt")
    assert isinstance(document, ParsedDocument)
    starts = [passage.start for passage in passages_of(document.text, ())]
    assert len(starts) > 3
    assert all(can_cut(wall, start) for start in starts)
    assert {wall[start] for start in starts} <= {"e", "\U0001f469"}
