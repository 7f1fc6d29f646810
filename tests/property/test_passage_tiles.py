"""Passages tile a text: in order, without overlap, nothing but white space between them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.parsing.document import ParsedDocument, parse_document
from app.parsing.text.passages import LONGEST_PASSAGE, passages_of

LINES = st.sampled_from(
    [
        "# Top",
        "## Sub",
        "Title",
        "===",
        "---",
        "",
        " ",
        "```",
        "One sentence. Another one!",
        "word " * 90,
        "x" * 900,
        "Ends here. " * 120,
        "<!-- c -->",
        "<p>",
        "</p>",
        "<h2>H</h2>",
        "<pre>",
        "\u3042\u3002" * 500,
    ]
)
SOURCES = st.lists(LINES | st.text(max_size=30), max_size=25).map("\n".join)
NAMES = st.sampled_from(["a.md", "a.txt", "a.html"])


@given(SOURCES, NAMES)
def test_passages_tile_the_text(source, name):
    document = parse_document(source.encode("utf-8", "ignore"), name)
    if not isinstance(document, ParsedDocument):
        return
    at = 0
    for passage in passages_of(document.text, document.headings):
        assert at <= passage.start < passage.end <= len(document.text)
        assert passage.end - passage.start <= LONGEST_PASSAGE
        assert not document.text[at : passage.start].strip()
        assert document.text[passage.start : passage.end].strip() == document.text[passage.start : passage.end]
        at = passage.end
    assert not document.text[at:].strip()
    assert at > 0


@given(SOURCES, NAMES)
def test_headings_stand_in_order_inside_the_text(source, name):
    document = parse_document(source.encode("utf-8", "ignore"), name)
    if not isinstance(document, ParsedDocument):
        return
    starts = [heading.start for heading in document.headings]
    assert starts == sorted(starts)
    for heading in document.headings:
        shown = document.text[heading.start : heading.end]
        assert 0 <= heading.start < heading.end <= len(document.text)
        assert heading.title.split()[0] in shown


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=12), min_size=1, max_size=400))
def test_no_word_is_cut(words):
    text = " ".join(words)
    found = [word for p in passages_of(text, ()) for word in text[p.start : p.end].split()]
    assert found == words


@given(st.binary(max_size=300), NAMES)
def test_any_bytes_are_a_document_or_a_refusal(data, name):
    document = parse_document(data, name)
    if isinstance(document, ParsedDocument):
        assert document.text.strip()
        document.text.encode("utf-8")
    else:
        assert document.value in ("binary", "empty", "undecodable")
