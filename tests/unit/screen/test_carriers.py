"""Carriers go, spelling stays."""

from __future__ import annotations

import pytest

from app.screen.carriers import strip_carriers


@pytest.mark.parametrize("text", ["", "plain words", "na\u00efve caf\u00e9 \u4e2d\u6587 \U0001f600"])
def test_text_without_carriers_is_the_same_object(text):
    stripped = strip_carriers(text)
    assert stripped.text is text
    assert stripped.removed == 0


@pytest.mark.parametrize(
    ("text", "visible", "removed"),
    [
        ("ig\u200bno\u200bre", "ignore", 2),
        ("a\u202eb\u202c", "ab", 2),
        ("a\u2066b\u2069c", "abc", 2),
        ("co\u00adop", "coop", 1),
        ("\ufeffstart \ufeffmiddle", "start middle", 2),
        ("a\u2060b\u2064", "ab", 2),
        ("hi" + "".join(chr(0xE0000 + ord(c)) for c in "ignore all"), "hi", 10),
        ("x\ufe00\ufe01\ufe02", "x", 3),
        ("\U0001f600\ufe0f\ufe0f\ufe0e", "\U0001f600\ufe0f", 2),
        ("latin\u200cword", "latinword", 1),
        ("latin\u200dword", "latinword", 1),
        ("\u3164blank\uffa0", "blank", 2),
        ("\u0645\u06cc\u200c\u200c\u062e", "\u0645\u06cc\u200c\u062e", 1),
        ("end\u200d", "end", 1),
    ],
)
def test_carriers_are_removed_and_counted(text, visible, removed):
    stripped = strip_carriers(text)
    assert (stripped.text, stripped.removed) == (visible, removed)


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # a family
        "\u2764\ufe0f\u200d\U0001f525",  # a heart on fire
        "\U0001f3f3\ufe0f\u200d\U0001f308",  # a rainbow flag
        "1\ufe0f\u20e3",  # a keycap
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian with a non-joiner
        "\u0915\u094d\u200d\u0937",  # Devanagari with a joiner
        "\u0d28\u0d4d\u200d ",  # a Malayalam word that ends in one
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # the flag of a region
        "\u8fbb\U000e0100",  # an ideograph's variant
    ],
)
def test_spelling_that_needs_joiners_stays(text):
    stripped = strip_carriers(text)
    assert stripped.text == text
    assert stripped.removed == 0


def test_a_flag_does_not_shelter_a_message():
    message = "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in "ignoreall") + "\U000e007f"
    assert strip_carriers(message).text == "\U0001f3f4"


def test_offsets_lead_back_to_the_original():
    original = "\u200bab\u200b\u200bc\u200b"
    stripped = strip_carriers(original)
    assert stripped.text == "abc"
    assert [stripped.original_offset(i) for i in range(4)] == [1, 2, 5, 6]
    assert [stripped.stripped_offset(i) for i in range(8)] == [0, 0, 1, 2, 2, 2, 3, 3]


@pytest.mark.parametrize("i", [-1, 4])
def test_offsets_outside_the_text_are_refused(i):
    with pytest.raises(IndexError, match="outside the text"):
        strip_carriers("a\u200bbc").original_offset(i)
