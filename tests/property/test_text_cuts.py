"""Whatever the text: what is left is a beginning of it, within the allowance, at the best end in its second half."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from app.parsing.text.text_cuts import cut_text

PIECES = st.sampled_from(
    ["rye", "a", " ", "  ", "\n", "\n\n", "\n \n", ". ", ".", "! ", "?\n", '." ', "\u3002", "\u7c89", "\u00e9",
     "e\u0301", "\U0001f35e", "\U0001f469\u200d\U0001f4bb", "\u200b", "\U0001f1eb\U0001f1f7", "x" * 40]
)  # fmt: skip
PLAIN = st.sampled_from(["rye", "a", " ", "\n", "\n\n", ". ", '." ', "x" * 30, "\u7c89", "\u3002", "\u3002\u300d"])
TEXTS = st.one_of(st.lists(PIECES, max_size=60).map("".join), st.text(max_size=200))


def ends(text, most):
    """Every beginning that fits and is at least half of what is allowed, the slow way."""
    return [
        at
        for at in range(1, len(text) + 1)
        if most / 2 <= len(text[:at].encode()) <= most and not text[at - 1].isspace()
    ]


def kind(text, at):
    """0 for the end of a paragraph, 1 of a sentence or line, 2 of a word, 3 for any other place."""
    after = text[at:]
    if re.match(r"\s*\n[^\S\n]*\n", after):
        return 0
    if re.match(r"[^\S\n]*\n", after) or (
        after[:1].isspace() and re.search(r"[.!?\u2026][\"')\]\u2019\u201d]{0,8}$", text[:at])
    ):
        return 1
    closed = not after.startswith(("\u300d", "\u300f", "\u201d"))  # what closes a quotation belongs to its sentence
    if closed and re.search("[\u3002\uff01\uff1f][\u300d\u300f\u201d]{0,4}$", text[:at]):
        return 1
    return 2 if after[:1].isspace() else 3


@given(TEXTS, st.integers(-3, 300))
@settings(max_examples=500, deadline=None)
def test_a_cut_is_a_beginning_within_the_allowance(text, most):
    got, missing = cut_text(text, most)
    assert text.startswith(got)
    assert len(got.encode()) <= max(0, most)
    assert missing is (got != text)
    if len(text.encode()) <= most:
        assert not missing
    elif got:
        assert not got[-1].isspace() or not ends(text, most)


@given(st.lists(PLAIN, max_size=60).map("".join), st.integers(1, 200))
@settings(max_examples=500, deadline=None)
def test_no_better_end_is_passed_over(text, most):
    got, missing = cut_text(text, most)
    if not missing or not (fitting := ends(text, most)):
        return
    best = min(kind(text, at) for at in fitting)
    assert kind(text, len(got)) == best
    assert len(got) == max(at for at in fitting if kind(text, at) == best)


@given(st.text(max_size=80), st.integers(0, 100))
@settings(max_examples=200, deadline=None)
def test_cutting_twice_is_cutting_once(text, most):
    once, _ = cut_text(text, most)
    assert cut_text(once, most) == (once, False)
