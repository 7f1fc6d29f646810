"""Small XML documents as trees: names, texts in order, and what is refused."""

from __future__ import annotations

import pytest

from app.parsing.refusal import ParseRefused, Refusal
from app.parsing.services.dois import doi_of, doi_url
from app.parsing.text.xml_tree import read_tree


def test_names_without_namespaces_and_texts_in_order():
    root = read_tree(b'<a xmlns:x="urn:x"><x:b k="v">one <i>two</i>  three</x:b><b>four</b><c><b>five</b></c></a>')
    assert (root.name, root.said("b"), root.said("c", "b"), root.said("d")) == ("a", "one two three", "five", "")
    assert [node.text for node in root.all("b")] == ["one two  three", "four"]
    assert root.first("b").attributes == {"k": "v"}
    assert root.first("d") is None


@pytest.mark.parametrize(
    ("data", "refusal"),
    [
        (b"", Refusal.UNREADABLE),
        (b"<a>", Refusal.UNREADABLE),
        (b"<a/><b/>", Refusal.UNREADABLE),
        (b"<a>" * 300 + b"</a>" * 300, Refusal.UNREADABLE),
        (b"<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>", Refusal.BOMB),
        (b"<a>" + b"<b/>" * 300_001 + b"</a>", Refusal.TOO_LARGE),
        (b"<a>" + b" " * 5_000_000 + b"</a>", Refusal.TOO_LARGE),
    ],
    ids=["empty", "cut", "two", "deep", "entity", "many", "long"],
)
def test_what_is_refused(data, refusal):
    with pytest.raises(ParseRefused) as told:
        read_tree(data)
    assert told.value.refusal is refusal


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.5555/rye", "10.5555/rye"),
        (" https://doi.org/10.5555/rye ", "10.5555/rye"),
        ("http://dx.doi.org/10.5555/Rye(1)", "10.5555/Rye(1)"),
        ("DOI: 10.5555/rye", "10.5555/rye"),
        ("10.5555", ""),
        ("rye", ""),
        ("10.5555/a b", ""),
    ],
)
def test_identifiers(text, doi):
    assert doi_of(text) == doi


def test_a_doi_as_a_url():
    assert doi_url("10.5555/a<b>#c?d%\u00fc") == "https://doi.org/10.5555/a%3Cb%3E%23c%3Fd%25%C3%BC"
