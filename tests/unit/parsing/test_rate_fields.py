"""Rate headers in the spellings of services."""

from __future__ import annotations

import pytest

from app.parsing.http.rate_fields import RateSaid, rate_said

NOW_MS = 1_800_000_000_000


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"x-rate-limit-limit": "50", "x-rate-limit-interval": "1s"}, RateSaid(requests=50, per_ms=1_000)),
        ({"x-rate-limit-limit": "5", "x-rate-limit-interval": "1m"}, RateSaid(requests=5, per_ms=60_000)),
        (
            {"x-ratelimit-limit": "1, 15000", "x-ratelimit-policy": "1;w=1, 15000;w=2592000",
             "x-ratelimit-remaining": "0, 14523", "x-ratelimit-reset": "1, 1419704"},
            RateSaid(requests=1, per_ms=1_000, left=0, wait_ms=1_000),
        ),
        (
            {"x-ratelimit-limit": "1, 2000", "x-ratelimit-remaining": "1, 0", "x-ratelimit-reset": "1, 900"},
            RateSaid(left=0, wait_ms=900_000),
        ),
        ({"x-ratelimit-limit": "3", "x-ratelimit-remaining": "2"}, RateSaid(left=2)),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000030"}, RateSaid(left=0, wait_ms=30_000)),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000030000"}, RateSaid(left=0, wait_ms=30_000)),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1700000000"}, RateSaid(left=0, wait_ms=0)),
        ({"ratelimit": "limit=100, remaining=50, reset=5"}, RateSaid(left=50)),
        ({"ratelimit": '"default";r=0;t=30', "ratelimit-policy": '"d";q=9;w=60'}, RateSaid(left=0, wait_ms=30_000)),
        ({"ratelimit-limit": "10;w=1", "ratelimit-remaining": "9"}, RateSaid(requests=10, per_ms=1_000, left=9)),
    ],
)  # fmt: skip
def test_what_is_said(fields, said):
    assert rate_said(tuple(fields.items()), NOW_MS) == said


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"retry-after": "5"},
        {"x-ratelimit-limit": "many"},
        {"x-ratelimit-limit": "-1"},
        {"x-rate-limit-interval": "1s"},
        {"x-ratelimit-remaining": "9" * 400},
        {"ratelimit": "nonsense"},
    ],
)
def test_nonsense_is_nothing(fields):
    assert rate_said(tuple(fields.items()), NOW_MS) is None


@pytest.mark.parametrize("interval", ["", "0s", "soon", "999999999d", "1y"])
def test_a_limit_without_a_window_changes_no_pace(interval):
    said = rate_said((("x-rate-limit-limit", "5"), ("x-rate-limit-interval", interval)), NOW_MS)
    assert said == RateSaid()
