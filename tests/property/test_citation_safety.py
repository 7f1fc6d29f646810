"""Whatever a page says about itself: there is a citation, of one line and bounded length, and twice the same."""

from __future__ import annotations

import datetime
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from app.evidence.author_names import read_authors
from app.evidence.citing import Citation, cite
from app.parsing.text.dates import iso_date_of_ms

WORDS = st.sampled_from(
    ["Jane", "Doe", "van", "de", "Jr.", ",", ";", " and ", "&", "PhD", "Inc.", "the", "J.", "-", "'", '"', "\u5c71",
     "<b>", "\n", "\x00", "\u202e", "\ud800", "@", "2020", "-03", "y"]
)  # fmt: skip
SAID = st.one_of(
    st.lists(WORDS, max_size=12).map(" ".join), st.lists(WORDS, max_size=12).map("".join), st.text(max_size=60)
)
EPOCH = datetime.date(1970, 1, 1)
BROKEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202e\ud800-\udfff]")


@given(SAID, st.one_of(SAID, st.lists(SAID, max_size=25)), SAID, SAID, st.integers(-(10**18), 10**18))
@settings(max_examples=500, deadline=None)
def test_there_is_always_one(title, author, site, date, read_ms):
    found = cite("https://loaf.example/rye", read_ms, title=title, author=author, site=site, date=date)
    assert found == cite("https://loaf.example/rye", read_ms, title=title, author=author, site=site, date=date)
    for text in (found.formatted.apa, found.formatted.mla):
        assert "https://loaf.example/rye" in text
        assert BROKEN.search(text) is None
        assert len(text) < 10_000
    assert Citation.model_validate_json(found.model_dump_json()) == found


@given(st.text(max_size=200))
def test_any_address_is_cited(url):
    assert BROKEN.search(cite(url, 0).url) is None


@given(st.one_of(SAID, st.lists(SAID, max_size=5)))
@settings(max_examples=300, deadline=None)
def test_a_name_never_gets_words_that_nobody_wrote(byline):
    whole = byline if isinstance(byline, str) else " ".join(byline)
    letters = set(whole) | set("JrSIV. ,")
    for author in read_authors(byline):
        assert author.family
        assert set(author.inverted) <= letters


@given(st.dates(min_value=EPOCH), st.integers(0, 86_399_999))
@settings(max_examples=500, deadline=None)
def test_days_are_those_of_the_calendar(day, rest_ms):
    assert iso_date_of_ms((day - EPOCH).days * 86_400_000 + rest_ms) == day.isoformat()
