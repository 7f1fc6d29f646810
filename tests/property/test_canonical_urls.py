"""The name of a page: total, stable under itself, and blind to what only tracks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.evidence.claim_signals import claim_signal, key_sentences
from app.evidence.paragraphs import without_repeats
from app.parsing.http.rate_fields import RATE_FIELDS, rate_said
from app.parsing.url.canonical_url import canonical_url, doi_in_url

WORD = st.text("abcXYZ019-._~%/:@&=+$,;é", max_size=12)
HOST = st.sampled_from(
    ["a.example", "www.a.example", "m.a.example", "en.m.wikipedia.org", "doi.org", "arxiv.org", "youtu.be"]
)
URL = st.builds(
    lambda scheme, host, path, query, tail: f"{scheme}://{host}/{path}?{query}{tail}",
    st.sampled_from(["http", "https", "HTTPS"]),
    HOST,
    st.one_of(WORD, WORD.map(lambda word: f"10.5555/{word}"), st.sampled_from(["amp/x", "x/amp", "abs/2101.00001v2"])),
    WORD,
    st.sampled_from(["", "#x", "&utm_source=a", "&amp=1"]),
)


@given(st.one_of(URL, st.text(max_size=200)))
def test_every_text_has_one_name_that_is_its_own(text):
    name = canonical_url(text)
    assert canonical_url(name) == name
    assert doi_in_url(text) == doi_in_url(text).lower()


@given(URL, st.sampled_from(["utm_medium=x", "fbclid=abc", "gclid=1", "_ga=2"]))
def test_tracking_changes_nothing(url, tracking):
    plain, _, _ = url.partition("#")
    assert canonical_url(f"{plain}&{tracking}") == canonical_url(plain)


@given(st.lists(st.lists(st.sampled_from(["a" * 25, "b" * 25, "short", ""]), max_size=5), max_size=5))
def test_no_long_paragraph_stands_twice(pages):
    texts, dropped = without_repeats("\n\n".join(page) for page in pages)
    kept = [part for text in texts for part in text.split("\n\n") if len(part) >= 20]
    before = [part for page in pages for part in page if len(part) >= 20]
    assert len(kept) == len(set(kept)) == len(before) - dropped
    assert set(kept) == set(before)


@given(st.text(max_size=80), st.text(max_size=400))
def test_a_signal_is_a_sentence_of_the_text(claim, text):
    said = " ".join(text.split())
    for sentence in (claim_signal(claim, text), *key_sentences(claim, text)):
        assert sentence in said


NUMBERS = st.text('0123456789,;= wqrt"sm-', max_size=20)


@given(st.lists(st.tuples(st.sampled_from(sorted(RATE_FIELDS)), NUMBERS), max_size=5))
def test_rate_headers_never_raise_and_never_run_backwards(fields):
    said = rate_said(fields, 1_800_000_000_000)
    if said is not None:
        assert all(number is None or number >= 0 for number in (said.requests, said.per_ms, said.left, said.wait_ms))
        assert (said.requests is None) is (said.per_ms is None)
