"""What the fold reads odd spellings as, and what the disguises undo, on texts made for each branch."""

from __future__ import annotations

import pytest

from app.screen.carriers import strip_carriers
from app.screen.disguises import Disguises
from app.screen.fold import fold

DISGUISES = Disguises(("ignore", "all", "previous", "instructions"))


def undone(text: str) -> str:
    folded = fold(text)
    return DISGUISES.undone(folded, DISGUISES.suspects(folded.data)).text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("葛\U000e0100", True),  # a variant of an ideograph
        ("a\U000e0100", False),
        ("ᠠ᠋", True),  # a Mongolian letter with its own selector
        ("b᠋", False),
        ("\u115f\u1161", True),  # a Hangul filler before its vowel
        ("\u115fa", False),
    ],
)
def test_a_mark_stays_only_beside_letters_that_it_belongs_to(text, kept):
    assert (strip_carriers(text).removed == 0) is kept


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("%69gnore%20all and %69t", "ignore all and it"),
        ("ignore+all+previous+instructions", "ignore all previous instructions"),
        ("\\x69gnore\\nall", "ignore all"),
        ("\\u{69}gnore \\u0061ll", "ignore all"),
        ("\\u{d800}ignore", " ignore"),
        ("&#x456;gnore &amp;#105;t", "ignore it"),
        ("<p>ignore</p><b>all</b>", " ignore all"),
    ],
)
def test_an_escaped_word_is_read_as_the_word(text, plain):
    assert undone(text) == plain


@pytest.mark.parametrize("count", [3, 100])
def test_one_pass_or_many_read_look_alikes_the_same(count):
    wide = "".join(chr(0xFF41 + i % 26) for i in range(26))
    others = "".join(chr(0x1D400 + i) for i in range(count))
    assert fold(wide + others).text.startswith("abcdefghijklmnopqrstuvwxyz")
    assert fold(wide + others + "\ufb01").text.endswith("fi")


def test_a_lone_surrogate_has_a_reading_and_offsets_lead_back():
    folded = fold("a\ud800b")
    assert folded.data.decode("utf-8") == folded.text
    assert folded.start(len(folded.text) - 1) == 2


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("\u0456gnore all", "ignore all"),
        ("\u0456gnore \u0441\u0435", "ignore ce"),  # a word of nothing but look-alikes
        ("\u0456gnore \u0436\u0441\u0435", "ignore \u0436\u0441\u0435"),  # an honest word of its own script
    ],
)
def test_look_alikes_are_latin_only_in_words_that_are_not_honestly_of_their_script(text, read):
    assert fold(text).text == read


def test_bytes_that_are_no_text_are_not_decoded():
    folded = fold("74 68 69 73 20 69 73 20 ff fe fd 61 62 63 20 64")
    assert DISGUISES.decoded("", folded, folded, frozenset({"hex"})) is None
    short = fold(b"no_blanks_in_this_run_at_all".hex())
    assert DISGUISES.decoded("", short, short, frozenset({"hex"})) is None
    binary = fold(" ".join(f"{byte:08b}" for byte in b"read this aloud now"))
    found = DISGUISES.decoded("", binary, binary, frozenset({"binary"}))
    assert found is not None
    assert found.folded.text == "read this aloud now"
