"""Content is cut at an end that a reader would choose, and measured in bytes."""

from __future__ import annotations

import pytest

from app.evidence.content_size import SizeCategory, allowed_bytes, estimated_tokens, size_category
from app.parsing.text.text_cuts import cut_text

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"  # one sign to a reader, eighteen bytes


@pytest.mark.parametrize(
    ("text", "most", "wanted"),
    [
        ("Rye is old.", 11, "Rye is old."),
        ("First one.\n\nSecond one. Third", 25, "First one.\n\nSecond one."),
        ("First one here.\n\nSecond goes on", 25, "First one here."),
        ("First one here.\n \nSecond goes on", 25, "First one here."),
        ("Tiny.\n\nA longer sentence. And more", 28, "Tiny.\n\nA longer sentence."),
        ("Tiny.\n\nwords without any end at all", 28, "Tiny.\n\nwords without any end"),
        ('He said "go." Then left', 16, 'He said "go."'),
        ("one\ntwo three four", 6, "one"),
        ("Version 3.11 of it", 10, "Version"),
        ("abcdefghij", 4, "abcd"),
        ("\u7c89\u6c34\u3002\u5869\u9eb5\u5305", 14, "\u7c89\u6c34\u3002"),
        ("\u7c89\u6c34\u5869\u9eb5", 8, "\u7c89\u6c34"),
        ("caf\u0065\u0301s", 5, "caf"),
        (f"ab{FAMILY}", 10, "ab"),
        ("a" + " " * 30 + "b", 20, "a"),
        ("abc", 0, ""),
        ("abc", -5, ""),
    ],
)  # fmt: skip
def test_where_a_text_is_cut(text, most, wanted):
    assert cut_text(text, most) == (wanted, wanted != text)


def test_nothing_is_not_cut():
    assert cut_text("", 0) == ("", False)
    assert cut_text("", 5) == ("", False)


def test_marks_without_end_are_cut_all_the_same():
    text = "a" + "\u0301" * 1_000
    got, missing = cut_text(text, 999)
    assert missing
    assert 990 <= len(got.encode()) <= 999


@pytest.mark.parametrize(
    ("length", "wanted"),
    [(0, "small"), (4_999, "small"), (5_000, "medium"), (19_999, "medium"), (20_000, "large"), (49_999, "large"),
     (50_000, "very_large"), (5_000_000, "very_large")],
)  # fmt: skip
def test_sizes(length, wanted):
    assert size_category(length) is SizeCategory(wanted)
    assert estimated_tokens(length) == int(length / 4)


def test_how_much_each_mode_gives():
    assert allowed_bytes("full") == 50_000
    assert allowed_bytes("full", 100) == 100
    assert allowed_bytes("raw", 9_000_000) == 5_000_000
    assert allowed_bytes("preview", 5_000_000) == 5_000
    assert allowed_bytes("preview", 10) == 5_000
