"""Hacker News: which pages are known, what is asked for them, and what becomes of the answers, also hostile ones."""

from __future__ import annotations

import json

import pytest

from app.parsing.refusal import Refusal
from app.parsing.sites.hacker_news import HnText, first_requests, next_requests, render, route

API = "https://hacker-news.firebaseio.com/v0/"
SITE = "https://news.ycombinator.com/"
STORY = {
    "id": 100,
    "type": "story",
    "by": "mill_er",
    "time": 1_600_000_000,
    "title": "Grinding *rye* &amp; wheat",
    "url": "https://mill.example/rye?a=1",
    "score": 42,
    "descendants": 3,
    "kids": [101, 102, 103],
}


def dumped(*values):
    return [None if value is None else json.dumps(value).encode() for value in values]


def comment(number, text="Rye needs <i>less</i> water.", **more):
    return {"id": number, "type": "comment", "by": f"baker{number}", "time": 1_600_086_400, "text": text, **more}


ITEM = route(f"{SITE}item?id=100")
LIST = route(SITE)
USER = route(f"{SITE}user?id=mill_er")


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("item?id=100", "item/100"),
        ("item?id=100#101", "item/100"),
        ("item?x=1&id=100", "item/100"),
        ("item/100", "item/100"),
        ("item/100/", "item/100"),
        ("user?id=mill_er", "user/mill_er"),
        ("user/mill_er", "user/mill_er"),
        ("", "topstories"),
        ("news", "topstories"),
        ("newest", "newstories"),
        ("best", "beststories"),
        ("ask", "askstories"),
        ("show", "showstories"),
        ("jobs", "jobstories"),
        ("jobs/", "jobstories"),
    ],
)
def test_pages_that_the_api_knows(path, asked):
    for start in ("https://", "http://", "HTTPS://"):
        assert first_requests(route(f"{start}news.ycombinator.com/{path}")) == (f"{API}{asked}.json",)


@pytest.mark.parametrize(
    "url",
    [
        f"{SITE}item",
        f"{SITE}item?id=",
        f"{SITE}item?id=0",
        f"{SITE}item?id=-5",
        f"{SITE}item?id=1e3",
        f"{SITE}item?id=100&id=200",
        f"{SITE}item?id=9999999999999",
        f"{SITE}item?id=\u0661",
        f"{SITE}item/100/x",
        f"{SITE}item/../v0",
        f"{SITE}user?id=a/b",
        f"{SITE}user?id=%2e%2e",
        f"{SITE}news?p=2",
        f"{SITE}newest?next=5&n=31",
        f"{SITE}front",
        f"{SITE}newcomments",
        f"{SITE}from?site=x.example",
        "https://ycombinator.com/item?id=100",
        "https://news.ycombinator.com.evil.example/item?id=100",
        "https://evil.example/news.ycombinator.com/item?id=100",
        "https://news.ycombinator.com:8443/item?id=100",
        "https://me@news.ycombinator.com/item?id=100",
        "ftp://news.ycombinator.com/item?id=100",
        "news.ycombinator.com",
        "",
    ],
)
def test_what_is_none_of_its_pages(url):
    assert route(url) is None


def test_a_story_with_its_comments():
    assert next_requests(ITEM, dumped(STORY)) == tuple(f"{API}item/{number}.json" for number in (101, 102, 103))
    answers = dumped(STORY, comment(101), comment(102, "One.<p>Two: <a href='https:&#x2F;&#x2F;x.example'>x</a>"), None)
    found = render(ITEM, answers)
    assert (found.title, found.author, found.date) == ("Grinding *rye* & wheat", "mill_er", "2020-09-13")
    assert found.text == (
        "# Grinding \\*rye\\* & wheat\n\n<https://mill.example/rye?a=1>"
        "\n\n42 points by mill\\_er, 2020-09-13, 3 comments\n\n## Comments"
        "\n\n### baker101, 2020-09-14\n\nRye needs *less* water."
        "\n\n### baker102, 2020-09-14\n\nOne.\n\nTwo: [x](https://x.example/)"
    )
    assert found.truncated  # one comment did not come


def test_everything_that_was_there_is_not_truncated():
    found = render(ITEM, dumped(STORY, comment(101), comment(102), comment(103)))
    assert found.truncated is False
    taken_back = [comment(102, deleted=True), {"id": 103, "dead": True, "text": "spam"}]
    found = render(ITEM, dumped(STORY, comment(101), *taken_back))
    assert found.truncated is False
    assert found.text.count("###") == 1
    assert "spam" not in found.text


def test_no_more_than_the_first_ten_comments_are_asked_for():
    story = {**STORY, "kids": list(range(201, 260))}
    asked = next_requests(ITEM, dumped(story))
    assert asked == tuple(f"{API}item/{number}.json" for number in range(201, 211))
    assert render(ITEM, dumped(story, *(comment(number) for number in range(201, 211)))).truncated


def test_a_poll_has_options():
    poll = {**STORY, "type": "poll", "parts": [301, 302]}
    assert next_requests(ITEM, dumped(poll))[0] == f"{API}item/301.json"
    options = [{"id": number, "type": "pollopt", "text": f"Oven {number}", "score": 7} for number in (301, 302)]
    found = render(ITEM, dumped(poll, *options, comment(101), comment(102), comment(103)))
    assert "## Options\n\nOven 301\n\n7 points\n\nOven 302\n\n7 points\n\n## Comments" in found.text


def test_a_comment_by_itself():
    found = render(ITEM, dumped(comment(100)))
    assert found.title == "Comment by baker100 on Hacker News"
    assert found.text.endswith("\n\nRye needs *less* water.")


def test_a_list_of_stories():
    assert next_requests(LIST, dumped(list(range(1, 400)))) == tuple(f"{API}item/{one}.json" for one in range(1, 21))
    second = {"id": 2, "type": "job", "title": "A [mill] hires", "time": 1_600_000_000}
    found = render(LIST, dumped([100, 2], STORY, second))
    assert found.text == (
        "# Top stories on Hacker News\n\n"
        "1. [Grinding \\*rye\\* & wheat](https://mill.example/rye?a=1): "
        "42 points by mill\\_er, 2020-09-13, 3 comments\n"
        "2. [A \\[mill\\] hires](https://news.ycombinator.com/item?id=2): 2020-09-13"
    )
    assert (found.title, found.author, found.date) == ("Top stories on Hacker News", "", "")
    assert found.truncated is False
    assert render(LIST, dumped([100, 2], STORY)).truncated


def test_a_user():
    told = {
        "id": "mill_er",
        "karma": 12,
        "created": 1_600_000_000,
        "about": "Stones &amp; <i>sieves</i>",
        "submitted": [1],
    }
    found = render(USER, dumped(told))
    assert found.text == "# mill\\_er\n\nkarma 12, created 2020-09-13, 1 submissions\n\nStones & *sieves*"
    assert next_requests(USER, dumped(told)) == ()


def test_what_is_not_shown_goes_to_the_screen():
    unseen = "seen<span hidden>Do as I say</span><!-- and this -->\u200b"
    found = render(ITEM, dumped(STORY, comment(101, unseen), comment(102), comment(103)))
    assert "say" not in found.text
    assert {"Do as I say", "and this"} <= set(found.hidden)
    assert found.carriers_removed == 1
    flood = comment(101, "".join(f"<b hidden>{number:09d} {'x' * 90}</b>" for number in range(1_500)))
    again = comment(102, "".join(f"<b hidden>{number:09d} {'y' * 90}</b>" for number in range(1_500)))
    assert render(ITEM, dumped(STORY, flood, again)) is Refusal.TOO_MUCH_HIDDEN


@pytest.mark.parametrize(
    ("first", "wanted"),
    [
        (b"null", Refusal.EMPTY),
        (b"", Refusal.EMPTY),
        (b"  ", Refusal.EMPTY),
        (b"{", Refusal.UNREADABLE),
        (b"[]", Refusal.UNREADABLE),
        (b"7", Refusal.UNREADABLE),
        (b'"x"', Refusal.UNREADABLE),
        (b"\xff\xfe{}", Refusal.UNREADABLE),
        (b"[" * 1_000_000, Refusal.UNREADABLE),
        (b'{"id":' * 100_000, Refusal.UNREADABLE),
        (b"1" * 100_000, Refusal.EMPTY),
        (b'{"id": 101}', Refusal.UNREADABLE),
        (b'{"id": true}', Refusal.UNREADABLE),
        (b'{"id": 100.0}', Refusal.UNREADABLE),
        (b'{"id": "100"}', Refusal.UNREADABLE),
        (b'{"id": 100, "deleted": true}', Refusal.EMPTY),
        (b'{"id": 100, "dead": true, "text": "x"}', Refusal.EMPTY),
        (b'{"id": 100}', Refusal.EMPTY),
        (b'{"id": 100, "text": 5, "by": [], "time": "now", "title": {}, "kids": "x"}', Refusal.EMPTY),
        (b" " * 6_000_000, Refusal.TOO_LARGE),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_first_answer_that_is_no_item(first, wanted):
    assert next_requests(ITEM, [first]) == ()
    assert render(ITEM, [first]) is wanted


def test_without_an_answer_there_is_no_page():
    for page in (ITEM, LIST, USER):
        assert render(page, []) is Refusal.UNREADABLE
        assert render(page, [None]) is Refusal.UNREADABLE
        assert render(page, [b"null"]) is Refusal.EMPTY
        assert next_requests(page, []) == ()
    assert render(LIST, [b"{}"]) is Refusal.UNREADABLE
    assert render(LIST, [b"[]"]) is Refusal.EMPTY
    assert render(LIST, [b"[1, 2]", None, None]) is Refusal.UNREADABLE
    assert render(LIST, [b"[1, 2]", None, b"null"]) is Refusal.EMPTY
    assert render(USER, [b'{"id": "other"}']) is Refusal.UNREADABLE


def test_ids_that_are_none_are_not_asked_for():
    wild = [True, -1, 0, 1.5, "7", None, [], {}, 10**12, 10**30, 5, 5, 6]
    assert next_requests(LIST, dumped(wild)) == (f"{API}item/5.json", f"{API}item/6.json")
    assert next_requests(ITEM, dumped({**STORY, "kids": wild, "parts": {"a": 1}}))[-1] == f"{API}item/6.json"


def test_hostile_values_leave_a_clean_page():
    story = {
        **STORY,
        "title": "Rye\u0000\n\u202e &#x202e;now&#8203;\ud800",
        "by": "a\nb",
        "url": "javascript:alert(1)",
        "score": 10**400,
        "descendants": -4,
        "time": 10**30,
    }
    wrong = [{"id": 999, "text": "of another number"}, {"id": 102, "text": ["x"]}, comment(103, "<div>" * 50_000)]
    found = render(ITEM, dumped(story, *wrong))
    assert isinstance(found, HnText)
    assert found.text == "# Rye now\n\nby a b"
    assert found.date == ""
    assert found.truncated
    far = {**STORY, "url": "https://x.example/\ud800<b>\u200b (1)"}
    assert "<https://x.example/%3Cb%3E%20%281%29>" in render(ITEM, dumped(far)).text
