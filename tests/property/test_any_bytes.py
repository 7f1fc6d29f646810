"""Whatever the bytes are and whatever they are called, a reader answers with a document or a refusal."""

from __future__ import annotations

import zipfile

from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.office import archive, docx, pdf, pptx, slide

from app.parsing.document import ParsedDocument, Refusal, parse_document, parse_response

TYPES = [
    "", "text/html", "text/plain", "text/markdown", "text/csv", "application/json", "application/rss+xml",
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
]  # fmt: skip
WHOLE = [pdf(["one", "two"]), docx("<w:p><w:r><w:t>words</w:t></w:r></w:p>"), pptx([slide("words", title="t")])]
PARTS = [
    "word/document.xml",
    "ppt/presentation.xml",
    "ppt/_rels/presentation.xml.rels",
    "word/styles.xml",
    "word/comments.xml",
]


def _sound(got):
    assert isinstance(got, ParsedDocument | Refusal)
    if isinstance(got, ParsedDocument):
        assert got.text.strip()
        got.text.encode("utf-8")
        for heading in got.headings:
            assert 0 <= heading.start <= heading.end <= len(got.text)


@given(st.binary(max_size=300), st.sampled_from(TYPES), st.text(max_size=12))
def test_any_bytes_under_any_label(data, kind, charset):
    _sound(parse_response(data, kind, charset))


@given(st.sampled_from(WHOLE), st.data())
def test_any_damage_to_a_document(whole, drawn):
    data = bytearray(whole)
    for _ in range(drawn.draw(st.integers(1, 6))):
        data[drawn.draw(st.integers(0, len(data) - 1))] = drawn.draw(st.integers(0, 255))
    _sound(parse_response(bytes(data), drawn.draw(st.sampled_from(TYPES)), ""))


@given(st.dictionaries(st.sampled_from(PARTS), st.text(alphabet="<>/w:pta=\"' &;x#1", max_size=80), max_size=4))
def test_any_parts_of_an_archive(parts):
    data = archive(parts, zipfile.ZIP_STORED)
    _sound(parse_document(data, "a.docx"))
    _sound(parse_document(data, "a.pptx"))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda x: st.lists(x) | st.dictionaries(st.text(max_size=4), x),
    )
)
def test_any_json_value_is_shown(value):
    import json

    _sound(parse_document(json.dumps(value).encode(), "a.json"))
