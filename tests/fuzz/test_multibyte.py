"""A seeded sample of texts of multi-byte characters: nothing breaks, no offset is bad, every directive is found."""

from __future__ import annotations

from tests.fuzz.multibyte import RULES, screen_many

TEXTS = 1_500


def test_a_seeded_sample_of_multi_byte_texts_is_screened():
    told = screen_many(TEXTS, 20_261)
    assert told["first"] == ""
    assert (told["bad_offsets"], told["found"]) == (0, TEXTS)
    assert told["rules"] == len(RULES.rules) + 1
    assert told["offsets"] >= 2 * TEXTS


def test_the_same_seed_makes_the_same_texts():
    assert screen_many(60, 7) == screen_many(60, 7)
    assert screen_many(60, 7)["offsets"] != screen_many(60, 8)["offsets"]
