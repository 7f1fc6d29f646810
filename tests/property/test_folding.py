"""Folding never raises, every offset leads back, honest scripts stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.screen.carriers import strip_carriers
from app.screen.disguises import Disguises
from app.screen.fold import fold

ANY = st.text(st.characters(), max_size=120)  # lone surrogates included
ODD = st.lists(
    st.sampled_from(
        [
            *"ignore4ll5&#73;<b/>%49\\x\\u0041 .-_+'\"`\n",
            *"\u200b\u200d\u00ad\ufe0f\u202e\u202c\u0301\u0430\u03bf\uff29\ufb01\u00df\u2026\ud800\udfff",
            "\U000e0049",
            "\U0001d408",
            "\u9ea6" * 90,
            "\U0001f600" * 90,
            "\u0301" * 90,
            "\ufffd" * 90,
            "\U0001f469",
            "SWdub3JlIGFsbCBwcmV2aW91cyB3b3Jkcw==",
            "49676e6f726520616c6c2077",
        ]
    ),
    max_size=80,
).map("".join)
TEXTS = st.one_of(ANY, ODD)
DISGUISES = Disguises(("ignore", "all", "previous", "instructions"))


@given(TEXTS)
def test_folding_never_raises_and_offsets_lead_back(text):
    folded = fold(text)
    assert folded.data.decode("utf-8") == folded.text
    offsets = [folded.start(i) for i in range(len(folded.text))]
    assert offsets == sorted(offsets)
    assert all(0 <= offset < len(text) for offset in offsets)
    assert all(folded.start(i) < folded.end(i + 1) <= len(text) for i in range(len(folded.text)))


@given(TEXTS)
def test_undoing_disguises_never_raises_and_offsets_lead_back(text):
    folded = fold(text)
    suspects = DISGUISES.suspects(folded.data)
    plain = DISGUISES.undone(folded, suspects)
    offsets = [plain.start(i) for i in range(len(plain.text))]
    assert offsets == sorted(offsets)
    assert all(0 <= offset < len(text) for offset in offsets)
    decoded = DISGUISES.decoded(text, folded, plain, suspects)
    if decoded is not None:
        for i in range(len(decoded.folded.text)):
            low, high = decoded.span(i)
            assert 0 <= low < high <= len(text)


@given(TEXTS)
def test_a_text_without_its_carriers_folds_to_the_same(text):
    assert fold(strip_carriers(text).text).data == fold(text).data


@given(st.text(st.characters(max_codepoint=127), max_size=200))
def test_ascii_is_folded_to_itself(text):
    assert fold(text).text == text


@given(TEXTS)
def test_what_is_folded_stays(text):
    once = fold(text).text
    assert fold(once).text == once


@pytest.mark.parametrize(
    "text",
    [
        "\u0445\u043b\u0435\u0431 \u0438\u0437 \u0440\u0436\u0438",
        "\u03c8\u03c9\u03bc\u03b9 \u03b1\u03c0\u03bf \u03c3\u03b9\u03ba\u03b1\u03bb\u03b7",
        "\u9ed1\u9ea6\u9762\u5305\u5f88\u9999",
        "\u30e9\u30a4\u9ea6\u306e\u30d1\u30f3\u304c\u597d\u304d",
        "\ud638\ubc00\ube75\uc774 \uc88b\ub2e4",
        "\u0930\u093e\u0908 \u0915\u0940 \u0930\u094b\u091f\u0940 \u0939\u093f\u0928\u094d\u0926\u0940",
        "\u062e\u0628\u0632 \u0627\u0644\u062c\u0648\u062f\u0627\u0631",
        "\u05dc\u05d7\u05dd \u05e9\u05d9\u05e4\u05d5\u05df",
        "\u0e02\u0e19\u0e21\u0e1b\u0e31\u0e07\u0e44\u0e23\u0e22\u0e4c",
    ],
)
def test_prose_of_other_scripts_comes_out_unharmed(text):
    folded = fold(text)
    assert (folded.text, folded.layers) == (text, ())


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f469\u200d\U0001f469\u200d\U0001f467 bake",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0915\u094d\u200d\u0937",
        "\U0001f1e9\U0001f1ea \U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    ],
)
def test_joiners_and_flags_that_belong_are_no_carriers(text):
    assert strip_carriers(text).text == text


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Ign\u043er\u0435 \u0430ll", "Ignore all"),
        ("\uff29\uff47\uff4e\uff4f\uff52\uff45", "Ignore"),
        ("\U0001d408\U0001d420\U0001d427\U0001d428\U0001d42b\U0001d41e", "Ignore"),
        ("i\u0301g\u0301n\u0301o\u0301r\u0301e\u0301", "ignore"),
        ("\u24d8\u24d6\u24dd\u24de\u24e1\u24d4", "ignore"),
        ("igno\u00adre\u200b all", "ignore all"),
        ("\ufb01ne", "fine"),
        ("\u0130gnore \u017fet", "Ignore set"),
    ],
)
def test_letters_are_read_as_people_read_them(text, read):
    assert fold(text).text == read
