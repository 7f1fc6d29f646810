"""One tokenizer for documents and questions."""

from __future__ import annotations

import pytest

from app.parsing.words import query_words, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Proofing DOUGH, proofed doughs!", ["proof", "dough", "proof", "dough"]),
        ("the baker's don't", ["the", "baker", "don't"]),
        ("the baker\u2019s", ["the", "baker"]),
        ("snake_case-and-dash", ["snake", "case", "and", "dash"]),
        ("Stra\u00dfe 42 caf\u00e9", ["stra\u00dfe", "42", "caf\u00e9"]),
        ("\u6771\u4eac\u90fd x", ["\u6771\u4eac", "\u4eac\u90fd", "x"]),
        ("\u6771", ["\u6771"]),
        ("a" * 65 + " b", ["b"]),
        ("... --- !!!", []),
    ],
)
def test_words_are_lowered_cut_and_stemmed(text, words):
    assert words_of(text) == words


def test_a_question_counts_its_content_words_in_sorted_order():
    counted = query_words("How does the dough rise, and which doughs rise?")
    assert list(counted.items()) == [("dough", 2), ("rise", 2)]


def test_a_question_of_stop_words_keeps_them():
    assert query_words("who are you") == {"are": 1, "who": 1, "you": 1}


def test_plain_and_other_text_are_cut_alike():
    assert words_of("the baker's rye-bread") == words_of("the baker's rye-bread \u00bf")
