"""Whatever a site's API or page answers: a text or a named refusal, bounded requests, and twice the same."""

from __future__ import annotations

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from app.parsing.refusal import Refusal
from app.parsing.sites.hacker_news import MOST_REQUESTS, HnText, first_requests, next_requests, render, route
from app.parsing.sites.youtube import (
    VideoText,
    WatchPage,
    choose_track,
    read_captions,
    read_watch_page,
    video_id,
)
from app.parsing.sites.youtube import render as render_video

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
VALUES = st.one_of(PLAIN, st.lists(PLAIN, max_size=25), st.dictionaries(NAMES, PLAIN, max_size=4))
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


PLAYER = st.sampled_from(
    ["videoDetails", "videoId", "title", "author", "lengthSeconds", "shortDescription", "captions", "languageCode",
     "kind", "name", "runs", "events", "segs", "utf8"]
)  # fmt: skip
TOLD = st.sampled_from(
    ["abcdefghijk", "asr", "en", "/api/timedtext?x", "https://evil.example/", "}{", '\\"}', "\ud800"]
)
TREES = st.recursive(
    st.one_of(PLAIN, TOLD),
    lambda one: st.one_of(st.lists(one, max_size=5), st.dictionaries(PLAYER, one, max_size=6)),
    max_leaves=20,
)
TRACK = st.builds(lambda track, url: {**track, "baseUrl": url}, st.dictionaries(PLAYER, TREES, max_size=4), TOLD)
TRACKS = st.lists(TRACK, max_size=4)
DETAILS = st.dictionaries(PLAYER, TREES, max_size=5).map(lambda details: {**details, "videoId": "abcdefghijk"})
WATCHED = st.builds(
    lambda details, tracks: {
        "videoDetails": details,
        "captions": {"playerCaptionsTracklistRenderer": {"captionTracks": tracks}},
    },
    DETAILS,
    TRACKS,
)


@given(st.one_of(TREES, WATCHED), st.binary(max_size=20), st.sampled_from(["", "\\", '"', "}"]))
@settings(max_examples=150, deadline=None)
def test_a_watch_page_is_read_or_refused(tree, noise, behind):
    data = noise + f"ytInitialPlayerResponse = {json.dumps(tree)}{behind};".encode() + noise
    found = read_watch_page(data)
    assert found == read_watch_page(data)
    if isinstance(found, WatchPage):
        assert WatchPage.model_validate_json(found.model_dump_json()) == found
        assert all(track.url.startswith("https://www.youtube.com/api/timedtext") for track in found.tracks)
        assert (choose_track(found.tracks) is None) is (found.tracks == ())
        assert isinstance(render_video(found), VideoText | Refusal)
    else:
        assert isinstance(found, Refusal)


PIECES = st.sampled_from(
    ["<transcript>", "</transcript>", "<text start='1'>", "</text>", "<p t='5'>", "</p>", "<s>", "</s>", "rye",
     "&amp;lt;", "&#0;", "&#xd800;", "&x;", "<br/>", "\u200b", "<![CDATA[", "]]>", "<!--", "<timedtext>"]
)  # fmt: skip


@given(st.one_of(st.binary(max_size=100), st.lists(PIECES, max_size=20).map(lambda parts: "".join(parts).encode()),
                 st.lists(TREES, max_size=5).map(lambda events: json.dumps({"events": events}).encode())))  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_captions_are_read_or_refused(data):
    found = read_captions(data)
    assert found == read_captions(data)
    if isinstance(found, tuple):
        assert all(line.text == " ".join(line.text.split()) and line.text for line in found)
        assert all(BROKEN.search(line.text) is None and line.start_ms >= 0 <= line.duration_ms for line in found)
        assert isinstance(render_video(None, found), VideoText)
    else:
        assert isinstance(found, Refusal)


@given(st.text(max_size=40).map(lambda text: f"https://www.youtube.com/{text}"))
def test_any_address_is_a_video_or_none(url):
    found = video_id(url)
    assert found is None or re.fullmatch("[A-Za-z0-9_-]{11}", found)
