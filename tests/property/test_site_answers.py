"""Whatever a site's API or page answers: a text or a named refusal, bounded requests, and twice the same."""

from __future__ import annotations

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from app.parsing.hacker_news import MOST_REQUESTS, HnText, first_requests, next_requests, render, route
from app.parsing.refusal import Refusal

PAGES = st.sampled_from(["item?id=7", "user?id=jo", "", "newest"]).map(
    lambda path: route(f"https://news.ycombinator.com/{path}")
)
NAMES = st.sampled_from(
    ["id", "by", "time", "title", "text", "url", "kids", "parts", "type", "score", "dead", "deleted", "karma", "about"]
)
PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 30), st.sampled_from([7, 10**12, 10**40, 1.5, "jo", "pollopt"]),
    st.text(max_size=12), st.sampled_from(["<b hidden>x", "<p>a<p>b", "\ud800", "\u200b&#0;", "http://a\ud800"]),
)  # fmt: skip
VALUES = st.recursive(
    PLAIN, lambda inner: st.one_of(st.lists(inner, max_size=25), st.dictionaries(NAMES, inner, max_size=8))
)
ITEMS = st.dictionaries(NAMES, VALUES, max_size=10).map(lambda item: {"id": 7, **item})
ANSWERS = st.one_of(
    st.none(), st.binary(max_size=30), st.one_of(VALUES, ITEMS).map(lambda value: json.dumps(value).encode())
)
BROKEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\ud800-\udfff]")


@given(PAGES, st.lists(ANSWERS, max_size=8))
@settings(max_examples=200, deadline=None)
def test_hacker_news_is_a_text_or_a_refusal(page, answers):
    asked = first_requests(page) + next_requests(page, answers[:1])
    assert len(asked) <= MOST_REQUESTS
    assert all(
        re.fullmatch(r"https://hacker-news\.firebaseio\.com/v0/[a-z]+(?:/[A-Za-z0-9_-]+)?\.json", url) for url in asked
    )
    found = render(page, answers)
    assert found == render(page, answers)
    assert isinstance(found, HnText | Refusal)
    if isinstance(found, HnText):
        assert BROKEN.search(found.text + "".join(found.hidden)) is None
        assert HnText.model_validate_json(found.model_dump_json()) == found


@given(st.text(max_size=60).map(lambda text: f"https://news.ycombinator.com/{text}"))
def test_any_address_is_a_page_or_none(url):
    page = route(url)
    assert page is None or len(first_requests(page)) == 1
