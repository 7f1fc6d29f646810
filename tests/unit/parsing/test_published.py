"""Dates of publication in the spellings of services: normal ones, relative ones with a clock, and none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.parsing.services.published import date_facts, is_relative, normal_date, resolved_date, rfc3339_of_ms

NOW = 1_773_738_123_456  # 2026-03-17T09:02:03Z


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2025-01-15", "2025-01-15"),
        ("2025-01", "2025-01"),
        ("2025", "2025"),
        ("2023-11-23T09:26:19", "2023-11-23T09:26:19Z"),
        ("2022-02-24T15:05:19Z", "2022-02-24T15:05:19Z"),
        ("2023-11-16T01:36:32.547000+00:00", "2023-11-16T01:36:32Z"),
        ("2023-11-16 01:36:32.547000+00:00", "2023-11-16T01:36:32Z"),
        ("2025-08-07T00:00:00.0000000", "2025-08-07T00:00:00Z"),
        ("2023-03-17T00:30:00+02:00", "2023-03-16T22:30:00Z"),
        ("2023-03-17T23:30:00-0130", "2023-03-18T01:00:00Z"),
        ("2024/01/15 00:00", "2024-01-15T00:00:00Z"),
        ("2024/01/15", "2024-01-15"),
        ("20240115", "2024-01-15"),
        ("20240115T101112Z", "2024-01-15T10:11:12Z"),
        ("Jan 29, 2023", "2023-01-29"),
        ("January 8, 2024", "2024-01-08"),
        ("Sept. 3rd, 2024", "2024-09-03"),
        ("Wednesday, January 15, 2025", "2025-01-15"),
        ("Wed, 15 Jan 2025 10:00:00 GMT", "2025-01-15T10:00:00Z"),
        ("Wed, 15 Jan 2025 10:00:00 +0100", "2025-01-15T09:00:00Z"),
        ("15 January 2025", "2025-01-15"),
        ("15-Jan-2025", "2025-01-15"),
        ("2024 Jan 15", "2024-01-15"),
        ("2012 Jul", "2012-07"),
        ("Jul 2012", "2012-07"),
        ("6/13/2023", "2023-06-13"),
        ("13.06.2023", "2023-06-13"),
        ("1314211127", "2011-08-24T18:38:47Z"),
        ("1314211127000", "2011-08-24T18:38:47Z"),
        ("2024-02-29", "2024-02-29"),
        ("0001-01-01T00:00:00", "0001-01-01"),
    ],
)
def test_dates(text, wanted):
    assert normal_date(f" {text} ") == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "rye",
        "2023-02-29",
        "2023-13-01",
        "2023-00-10",
        "0000-01-01",
        "Rye 12, 2024",
        "06/07/2023",
        "32 Jan 2024",
        "2024-01-15T10",
        "9" * 15,
        "2024-01-15" + " " * 5 + "x" * 60,
        "\u0662\u0660\u0662\u0664-\u0660\u0661-\u0661\u0665",
    ],
)
def test_what_is_no_date_is_dropped(text):
    assert normal_date(text) == ""
    assert date_facts(text) == ()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("13 hours ago", "2026-03-16T20:02:03Z"),
        ("44 minutes ago", "2026-03-17T08:18:03Z"),
        ("5 mins ago", "2026-03-17T08:57:03Z"),
        ("1 hr ago", "2026-03-17T08:02:03Z"),
        ("an hour ago", "2026-03-17T08:02:03Z"),
        ("30 secs ago", "2026-03-17T09:01:33Z"),
        ("just now", "2026-03-17T09:02:03Z"),
        ("2h", "2026-03-17T07:02:03Z"),
        ("3d", "2026-03-14"),
        ("1 day ago", "2026-03-16"),
        ("9 days ago", "2026-03-08"),
        ("392 days ago", "2025-02-18"),
        ("Yesterday", "2026-03-16"),
        ("today", "2026-03-17"),
        ("2 weeks ago", "2026-03-03"),
        ("1 month ago", "2026-02-15"),
        ("3 mo ago", "2025-12-17"),
        ("2 years ago", "2024-03-17"),
        ("a  year   ago", "2025-03-17"),
        ("Jan 29, 2023", "2023-01-29"),
        ("rye", ""),
        ("9999 years ago", ""),
    ],
)
def test_with_a_clock(text, wanted):
    assert resolved_date(text, NOW) == wanted


def test_facts_name_what_is_known():
    assert date_facts("", "2025-01-15") == (("published", "2025-01-15"),)
    assert date_facts("2 hours ago", "2025-01-15T10:00:00") == (("published", "2025-01-15T10:00:00Z"),)
    assert date_facts(" 2 hours ago ") == (("published_relative", "2 hours ago"),)
    assert is_relative("2 HOURS ago")
    assert not is_relative("2 loaves ago")


def test_times_outside_the_calendar():
    assert (rfc3339_of_ms(-1), rfc3339_of_ms(0)) == ("", "1970-01-01T00:00:00Z")
    assert resolved_date("2 days ago", 1_000) == ""


@given(st.text(max_size=80), st.integers(0, 2**50))
def test_any_text_is_a_date_or_nothing(text, now_ms):
    normal_date(text)
    is_relative(text)
    resolved_date(text, now_ms)


@given(st.integers(0, 253_402_300_799))
def test_a_time_survives_being_read_again(seconds):
    written = rfc3339_of_ms(seconds * 1000)
    assert normal_date(written) == written
    assert normal_date(written.replace("Z", "+00:00").replace("T", " ")) == written
