"""Stripping carriers: what is left can be found in the original, and nothing more goes the second time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.screen.carriers import strip_carriers

PIECES = st.sampled_from(
    [
        *"ab 1#\n",
        *"\u200b\u200c\u200d\u200e\u202e\u2060\ufeff\u00ad\ufe0f\ufe00\u115f\u1160\u1100\u180b\u1820\u061c",
        *"\u0645\u06cc\u0915\u094d\u0937\u8fbb\U0001f468\U0001f469\u2764\U0001f3f4",
        *"\U000e0067\U000e0062\U000e007f\U000e0100",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    ]
)
TEXTS = st.lists(PIECES | st.characters(codec="utf-8"), max_size=40).map("".join)


@given(TEXTS)
def test_every_kept_character_is_where_the_map_says(text):
    stripped = strip_carriers(text)
    assert len(stripped.text) + stripped.removed == len(text)
    places = [stripped.original_offset(i) for i in range(len(stripped.text))]
    assert [text[place] for place in places] == list(stripped.text)
    assert places == sorted(set(places))
    assert [stripped.stripped_offset(place) for place in places] == list(range(len(places)))
    if stripped.text:
        assert stripped.original_offset(len(stripped.text)) == places[-1] + 1


@given(TEXTS)
def test_stripping_twice_is_stripping_once(text):
    once = strip_carriers(text)
    twice = strip_carriers(once.text)
    assert twice.text == once.text
    assert twice.removed == 0


@given(TEXTS)
def test_nothing_visible_goes(text):
    visible = [c for c in text if c.isascii()]
    assert [c for c in strip_carriers(text).text if c.isascii()] == visible
