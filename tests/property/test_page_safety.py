"""Whatever a page is made of: it is read or refused by name, hides nothing in its text, and its tables are valid."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from app.parsing.document import ParsedDocument, Refusal
from app.parsing.html.page import extract_document, read_page

WORDS = st.sampled_from(
    ["mill", "wheel, and oak.", "a | b", "\\|", "`x`", "*", "<", "&lt;", "\u200b", "\u00e9", "1.", "#", "\n"]
)
_TAG_LIST = (
    "p div span b i a article section main ul ol li table tr td th caption h1 h2 h3 pre code blockquote br img form "
)
TAGS = st.sampled_from(_TAG_LIST.split())
NAMES = st.sampled_from(
    ["", " class=comments", " class=article-body", " href=/x", " colspan=3", " rowspan=2", " id=nav"]
)
HIDING = st.sampled_from(
    [
        "<p hidden>{}</p>",
        "<!--{}-->",
        "<b style='display:none'>{}</b>",
        "<i aria-hidden=true>{}</i>",
        "<p style='left:-999px;position:fixed'>{}</p>",
    ]
)
OPENING = st.builds("<{}{}>".format, TAGS, NAMES)
CLOSING = st.builds("</{}>".format, TAGS)
PIECES = st.lists(st.one_of(WORDS, OPENING, CLOSING), max_size=40).map("".join)
CELL_ENDS = re.compile(r"(?<!\\)(?:\\\\)*\|")


@given(PIECES)
@settings(max_examples=300, deadline=None)
def test_a_page_is_read_or_refused_and_twice_the_same(source):
    found = read_page(source, "https://a.example/b")
    assert found == read_page(source, "https://a.example/b")
    if not isinstance(found, Refusal):
        assert found.text.strip()
        assert found.markdown.strip()
        found.text.encode()
        assert not re.search("[\x00-\x08\x0e-\x1f\u200b]", found.text + found.markdown)


@given(
    st.one_of(st.binary(max_size=400), st.text(max_size=400).map(lambda text: text.encode("utf-8", "surrogatepass")))
)
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_a_document_or_a_refusal(data):
    found = extract_document(data, "a.html")
    assert isinstance(found, ParsedDocument | Refusal)


@given(PIECES, HIDING, PIECES)
@settings(max_examples=200, deadline=None)
def test_hidden_words_never_show(before, hiding, after):
    source = before + hiding.format("unspeakable") + after
    found = read_page(source, "https://a.example/b")
    if not isinstance(found, Refusal):
        assert "unspeakable" not in found.text
        assert "unspeakable" not in found.markdown
        assert any("unspeakable" in part for part in found.hidden)


ROWS = st.lists(st.lists(st.tuples(WORDS, NAMES), min_size=1, max_size=4), min_size=2, max_size=6)


@given(ROWS)
@settings(max_examples=300, deadline=None)
def test_every_row_of_a_table_has_the_same_number_of_cells(rows):
    cells = "".join("<tr>" + "".join(f"<td{name}>{word}</td>" for word, name in row) for row in rows)
    found = read_page(
        f"<article><p>A long enough text stands before the table, with a full stop.</p><table>{cells}</table>"
    )
    assert not isinstance(found, Refusal)
    lines = [line for line in found.markdown.split("\n") if line.startswith("| ")]
    assert len({len(CELL_ENDS.findall(line)) for line in lines}) <= 1
    assert not lines or re.fullmatch(r"\|(?: --- \|)+", lines[1])
