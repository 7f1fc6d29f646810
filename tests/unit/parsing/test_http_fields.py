"""Header fields: dates in three spellings, Retry-After, Cache-Control, types; nonsense is nothing."""

from __future__ import annotations

import pytest

from app.parsing.http.fields import (
    cache_directives,
    can_be_cut,
    field_value,
    http_date_ms,
    media_type,
    retry_after_ms,
    whole_number,
)
from app.parsing.http.freshness import conditions, fresh_until_ms, may_be_kept

NOON_1994 = 784_111_777_000
DATE = "Sun, 06 Nov 1994 08:49:37 GMT"


def test_the_three_spellings_of_a_date_mean_the_same():
    for text in (DATE, "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", f"  {DATE.lower()} "):
        assert http_date_ms(text) == NOON_1994
    assert http_date_ms("Thu, 29 Feb 2024 00:00:00 GMT") == 1_709_164_800_000
    assert http_date_ms("Thu, 01 Jan 1970 00:00:00 GMT") == 0
    assert http_date_ms("Monday, 16-Nov-26 00:00:00 GMT") == http_date_ms("Mon, 16 Nov 2026 00:00:00 GMT")


@pytest.mark.parametrize(
    "text",
    ["", "0", "-1", "tomorrow", "Sun, 06 Nov 1994", "Sun, 06 Xyz 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT",
     "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1894 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 +0100"],
)  # fmt: skip
def test_what_is_no_date_is_none(text):
    assert http_date_ms(text) is None


def test_retry_after_in_seconds_and_as_a_date():
    assert retry_after_ms("120", 0) == 120_000
    assert retry_after_ms(DATE, NOON_1994 - 5_000) == 5_000
    assert retry_after_ms(DATE, NOON_1994 + 5_000) == 0
    for text in ("", "soon", "-5", "1.5", "9" * 20):
        assert retry_after_ms(text, 0) is None


def test_numbers_are_plain_digits():
    assert whole_number(" 12 ") == 12
    for text in ("", "+1", "1_000", "\u0661", "0x1", "1e3"):
        assert whole_number(text) is None


def test_types_and_charsets():
    assert media_type('Text/HTML; Charset="UTF-8"') == ("text/html", "utf-8")
    assert media_type("text/plain;charset=latin1;x=y") == ("text/plain", "latin1")
    assert media_type("text/html, text/plain") == ("text/html", "")
    assert media_type("nonsense") == ("", "")
    assert media_type("application/x/y") == ("", "")
    assert media_type("") == ("", "")
    assert can_be_cut("text/csv")
    assert can_be_cut("application/xhtml+xml")
    assert not can_be_cut("application/json")


def test_cache_control_is_read_with_quotes_and_nonsense():
    assert cache_directives('Max-Age=5, private="x, y", NO-STORE') == {
        "max-age": "5",
        "private": "x, y",
        "no-store": "",
    }
    assert cache_directives("max-age=1, max-age=2") == {"max-age": "1"}
    assert field_value([("A", " 1 "), ("b", "2"), ("a", "3")], "a") == "1, 3"


@pytest.mark.parametrize(
    ("fields", "lifetime_ms"),
    [
        ([("cache-control", "max-age=60")], 60_000),
        ([("cache-control", "max-age=60"), ("age", "20")], 40_000),
        ([("cache-control", "max-age=60"), ("age", "90")], 0),
        ([("cache-control", "max-age=99999999")], 86_400_000),
        ([("cache-control", "max-age=x")], 0),
        ([("cache-control", "no-cache, max-age=60")], 0),
        ([("date", DATE), ("expires", "Sun, 06 Nov 1994 08:50:37 GMT")], 60_000),
        ([("date", DATE), ("expires", "0")], 0),
        ([("expires", DATE)], 0),
        ([("date", DATE), ("last-modified", "Sun, 06 Nov 1994 08:39:37 GMT")], 60_000),
        ([("date", DATE), ("last-modified", "Sun, 06 Nov 1983 08:39:37 GMT")], 3_600_000),
        ([("last-modified", DATE)], 0),
        ([], 0),
    ],
)
def test_how_long_a_copy_is_fresh(fields, lifetime_ms):
    assert fresh_until_ms(fields, 1_000) == 1_000 + lifetime_ms


def test_what_may_be_kept_and_how_to_ask_about_it():
    assert not may_be_kept([])
    assert may_be_kept([("etag", '"x"')])
    assert may_be_kept([("cache-control", "max-age=1")])
    assert not may_be_kept([("etag", '"x"'), ("cache-control", "no-store")])
    assert not may_be_kept([("etag", '"x"'), ("vary", "accept, *")])
    assert conditions([("etag", 'W/"x"'), ("last-modified", DATE)]) == (
        ("If-None-Match", 'W/"x"'),
        ("If-Modified-Since", DATE),
    )
    assert conditions([("last-modified", "yesterday")]) == ()
