"""Near copies at their exact limits: shared shingles, lengths, samples, and how much of a long text is looked at."""

from __future__ import annotations

import pytest

from app.kernel.calls import ToolCall
from app.kernel.results import RejectionCode, ScreenedItem
from app.research.validator import accept

SCHEMES = ("doc", "http", "https")
CALL = ToolCall(call_id="a", tool="doc_lookup")
HASH = "c" * 64
NEAR = RejectionCode.NEAR_DUPLICATE


def _item(body):
    given = {
        "kind": "passage",
        "locator": "doc:documents/rye.md",
        "body": body,
        "content_hash": HASH,
        "text_hash": HASH,
        "end": len(body),
        "trust": "untrusted-external-content",
        "carriers_removed": 0,
    }
    return ScreenedItem.model_validate(given, strict=False)


def _second(first, second):
    """What becomes of a text when another was accepted before it."""
    before = accept((_item(first),), CALL, SCHEMES, "documents", ()).sources
    assert len(before) == 1
    judged = accept((_item(second),), CALL, SCHEMES, "documents", before)
    return judged.rejections[0].code if judged.rejections else None


def _words(count, mark="w"):
    """Words of four letters, all different and without digits, so that their case can be changed."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return [f"{mark}{letters[n // 676 % 26]}{letters[n // 26 % 26]}{letters[n % 26]}" for n in range(count)]


@pytest.mark.ruling("R17")
@pytest.mark.parametrize(("count", "code"), [(22, NEAR), (21, None)])
def test_nine_shingles_of_ten_are_a_near_copy(count, code):
    words = _words(count)
    assert _second(" ".join(words), " ".join([*words[:-1], "else"])) is code


@pytest.mark.parametrize(("shorter", "longer", "code"), [(800, 1_000, NEAR), (799, 1_000, None)])
def test_a_text_that_is_much_longer_is_no_copy(shorter, longer, code):
    text = " ".join(_words(60))
    short, long = text.ljust(shorter), text.ljust(longer)
    assert _second(short, long) is code
    assert _second(long, short) is code


@pytest.mark.parametrize(("length", "code"), [(2_000, None), (1_999, NEAR)])
def test_long_texts_must_share_a_sample_to_the_letter(length, code):
    text = " ".join(_words(398)).ljust(length)
    assert _second(text, text.upper()) is code


WINDOWS = [250, 750, 1_250, 1_750]


@pytest.mark.parametrize("start", WINDOWS)
def test_one_sample_of_four_is_enough(start):
    text = " ".join(_words(399)).ljust(2_000, "x")
    other = text.upper()
    assert _second(text, other[:start] + text[start : start + 24] + other[start + 24 :]) is NEAR


def test_what_lies_between_the_samples_does_not_count():
    text = " ".join(_words(399)).ljust(2_000, "x")
    other = text
    for start in WINDOWS:
        other = other[: start + 10] + other[start + 10 : start + 16].upper() + other[start + 16 :]
    assert _second(text, other) is None


def test_of_a_very_long_text_only_the_beginning_is_compared():
    words = _words(2_000)
    assert _second(" ".join([*words, *_words(600, "x")]), " ".join([*words, *_words(600, "y")])) is NEAR


def test_order_matters():
    words = _words(60)
    assert _second(" ".join(words), " ".join(words[::-1])) is None


def test_texts_of_few_long_words_are_compared_as_a_whole():
    assert _second("extraordinarily unremarkable", "extraordinarily unremarkably") is None


@pytest.mark.ruling("R17")
def test_a_copy_within_one_answer_is_found():
    text = " ".join(_words(30))
    judged = accept((_item(text), _item(text)), CALL, SCHEMES, "documents", ())
    assert [rejection.code for rejection in judged.rejections] == [RejectionCode.DUPLICATE]
