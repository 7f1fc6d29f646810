"""Claim signals, repeated paragraphs and the scores of sources."""

from __future__ import annotations

import pytest

from app.evidence.claim_signals import claim_signal, key_sentences, word_share_milli
from app.evidence.paragraphs import without_repeats
from app.evidence.source_quality import WEIGHTS, source_quality

CLAIM = "rye bread keeps for a week when it is wrapped in linen"
TEXT = (
    "The mill was built in 1720. Rye bread that is wrapped in linen keeps for about a week! "
    "Nobody knows who baked first.\nA week in linen keeps most rye breads moist. It rained."
)
NOW_MS = 1_700_000_000_000  # 14 November 2023


def test_the_sentence_that_shares_most():
    assert claim_signal(CLAIM, TEXT) == "Rye bread that is wrapped in linen keeps for about a week!"


def test_several_in_the_order_of_the_text():
    found = key_sentences(CLAIM, TEXT)
    assert len(found) == 2
    assert found[1] == "A week in linen keeps most rye breads moist."
    assert key_sentences(CLAIM, TEXT, 1) == found[:1]


@pytest.mark.parametrize("text", ["", "It rained all day in the valley of the mill.", "rye"])
def test_no_sentence_is_an_empty_text(text):
    assert claim_signal(CLAIM, text) == ""
    assert key_sentences(CLAIM, text) == ()


def test_a_claim_without_words_matches_nothing():
    assert claim_signal("?!", TEXT) == ""
    assert word_share_milli("", TEXT) == 0


def test_other_languages():
    german = "Die Mühle steht im Tal. Roggenbrot bleibt in Leinen etwa eine Woche frisch."
    assert claim_signal("Roggenbrot bleibt eine Woche frisch", german).startswith("Roggenbrot")


def test_paragraphs_that_stand_twice():
    block = "Every bakery of the valley sells rye."
    texts, dropped = without_repeats((f"One.\n\n{block}", f"Rye\n\n  {block.replace(' ', '  ')}\n\nTwo.", block))
    assert (texts, dropped) == ((f"One.\n\n{block}", "Rye\n\nTwo.", ""), 2)


def test_short_lines_are_no_repetition():
    assert without_repeats(("Rye\n\na", "Rye\n\nb")) == (("Rye\n\na", "Rye\n\nb"), 0)


def test_the_weights_of_the_specification():
    assert (WEIGHTS.relevance, WEIGHTS.freshness, WEIGHTS.authority, WEIGHTS.content) == (35, 20, 25, 20)


@pytest.mark.parametrize(
    ("published", "freshness"),
    [
        ("2023-11-13", 1000),
        ("2023-10-20T05:00:00Z", 900),
        ("2023-09-01", 800),
        ("2023-02", 600),
        ("2021", 400),
        ("2019-06-01", 250),
        ("2001-01-01", 100),
        ("", 500),
        ("2031-01-01", 500),
        ("soon", 500),
    ],
)
def test_freshness(published, freshness):
    got = source_quality("rye", "Rye", "rye", published=published, authority_tier="low", now_ms=NOW_MS)
    assert got.freshness == freshness


def test_a_score_is_the_weighted_sum():
    text = "Rye bread in linen. " * 250
    got = source_quality(
        "rye linen", "Rye in linen", text, published="2023-11-13", authority_tier="high", now_ms=NOW_MS
    )
    assert (got.relevance, got.freshness, got.authority, got.content) == (1000, 1000, 900, 1000)
    assert got.overall == 975
    menu = "\n".join(["Home", "Shop", "About"] * 30)
    poor = source_quality("rye", "", menu, published="", authority_tier="", now_ms=NOW_MS)
    assert (poor.relevance, poor.authority, poor.content) == (0, 400, 280)
