"""PageReading a response: which reader takes it, what is said beside the text, what is refused."""

from __future__ import annotations

import pytest

from app.parsing.fetched import READER_VERSION, FetchedAs, PageReading, read_fetched
from app.parsing.html.json_ld import strings_of
from app.parsing.html.page import LARGEST_PAGE
from app.parsing.http.exchange import asks_for_login
from app.parsing.refusal import Refusal
from app.parsing.sites.fetch_plan import Wanted, fetch_plan_of, may_ask
from app.parsing.sites.joined_answers import packed

TEXT = "A long rest in the cold gives the crust its colour."


def _read(data, **about):
    return read_fetched(data, FetchedAs(**{"url": "https://shop.example/a", **about}).model_dump_json())


def test_a_process_may_ask_once_before_its_doors_close():
    assert read_fetched(b"", "") is Refusal.EMPTY


@pytest.mark.parametrize("about", ["{}", "nonsense", '{"url": 5}', '{"url": "", "form": "sound"}'])
def test_what_is_said_of_the_bytes_must_be_whole(about):
    with pytest.raises(ValueError, match="validation error"):
        read_fetched(b"x", about)


def test_a_page_longer_than_is_read_is_cut_and_says_so():
    page = f"<article><p>{TEXT}</p></article>" + " " * LARGEST_PAGE
    read = _read(page.encode(), content_type="text/html")
    assert isinstance(read, PageReading)
    assert (read.text, read.truncated) == (TEXT, True)


def test_what_the_fetcher_has_cut_is_said():
    assert _read(TEXT.encode(), content_type="text/plain", truncated=True).truncated
    assert not _read(TEXT.encode(), content_type="text/plain").truncated


def test_a_page_that_hides_too_much_is_not_read():
    hidden = "".join(f"<i hidden>{number} {'x' * 1_000}</i>" for number in range(300))
    assert _read(f"<p>{TEXT}</p>{hidden}".encode(), content_type="text/html") is Refusal.TOO_MUCH_HIDDEN


@pytest.mark.parametrize("data", [b"\x00\x01\x02" * 50, bytes(range(256)) * 4])
def test_raw_bytes_that_are_no_text_are_refused(data):
    assert _read(data, form="raw") is Refusal.BINARY


def test_raw_keeps_line_ends_and_carriers():
    assert (
        _read("a\r\nb\u200bc and some more text\r\n".encode(), form="raw").text
        == "a\r\nb\u200bc and some more text\r\n"
    )


def test_escapes_of_embedded_data_are_read_for_the_screen():
    blocks = ['{"n\\u0061me": ["x", {"y": "\\u0069"}], "z": 1}', '{"plain": "x"}']
    assert list(strings_of(blocks)) == ["name\nx\ny\ni\nz", "plain\nx"]
    assert list(strings_of(['["\\ud800"]'])) == []


def test_a_parcel_asks_for_its_next_parts_unless_there_are_none_to_be_had():
    data = packed(
        [("https://hacker-news.firebaseio.com/v0/item/1.json", b'{"id": 1, "title": "A title", "kids": [2]}')]
    )
    about = {"url": "https://news.ycombinator.com/item?id=1", "reader": "hacker_news"}
    assert _read(data, **about) == Wanted(("https://hacker-news.firebaseio.com/v0/item/2.json",))
    assert _read(packed([("u", b"5")]), **about) is Refusal.UNREADABLE
    assert _read(data, url="https://shop.example/", reader="hacker_news") is Refusal.UNSUPPORTED


def test_wishes_stay_with_their_service():
    assert may_ask("hacker_news", "https://hacker-news.firebaseio.com/v0/item/2.json")
    for url in (
        "http://hacker-news.firebaseio.com/v0/item/2.json",
        "https://hacker-news.firebaseio.com.evil.example/v0/item/2.json",
        "https://hacker-news.firebaseio.com:444/v0/item/2.json",
        "https://hacker-news.firebaseio.com/v1/item/2.json",
        "https://x@hacker-news.firebaseio.com/v0/item/2.json",
        "https://hacker-news.firebaseio.com/v0/../private",
        "",
    ):
        assert not may_ask("hacker_news", url), url


def test_the_way_to_a_page_is_its_own_address_unless_there_is_a_better_one():
    assert fetch_plan_of("https://shop.example/x").first == ("https://shop.example/x",)
    way = fetch_plan_of("http://NEWS.ycombinator.com/item?id=1#c")
    assert (way.reader, way.url) == ("hacker_news", "http://news.ycombinator.com/item?id=1")
    assert fetch_plan_of("http://127.0.0.1/item?id=1").reader == "page"
    assert READER_VERSION


@pytest.mark.parametrize(
    ("asked", "arrived", "is_door"),
    [
        ("https://a.example/x", "https://a.example/login?next=/x", True),
        ("https://a.example/x", "https://id.a.example/signin", True),
        ("https://a.example/x", "https://a.example/sso", True),
        ("https://a.example/x", "https://a.example/users/sign_in", True),
        ("https://a.example/x", "https://a.example/wp-login.php", True),
        ("https://a.example/x", "https://a.example/ServiceLogin", True),
        ("https://a.example/x", "https://a.example/oauth/authorize", True),
        ("https://a.example/x", "https://a.example/docs/auth/overview", False),
        ("https://a.example/x", "https://a.example/blog/sso/setup", False),
        ("https://a.example/x", "https://a.example/y", False),
        ("https://a.example/login", "https://a.example/login/", False),
        ("https://a.example/x", "https://a.example/blogin", False),
        ("https://a.example/x", "https://a.example/authors/x", False),
    ],
)
def test_a_redirect_to_a_login_page_is_known(asked, arrived, is_door):
    assert asks_for_login(asked, arrived) is is_door
