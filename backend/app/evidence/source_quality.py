"""How good a fetched source is for a question: relevance, freshness, authority and content, each in thousandths."""

from __future__ import annotations

from typing import Final, NamedTuple

from ..kernel.models import FrozenModel
from ..parsing.text.dates import known_date
from .claim_signals import word_share_milli

__all__ = ["WEIGHTS", "SourceQuality", "source_quality"]


class _Weights(NamedTuple):
    relevance: int
    freshness: int
    authority: int
    content: int


WEIGHTS: Final = _Weights(relevance=35, freshness=20, authority=25, content=20)
"""Percent."""
_DAY_MS: Final = 86_400_000
# Days, and what a page that old still counts for; one without a date is in the middle.
_AGES: Final = ((7, 1000), (30, 900), (90, 800), (365, 600), (3 * 365, 400), (5 * 365, 250))
_OLDER: Final = 100
_UNDATED: Final = 500
_AUTHORITY: Final = {"high": 900, "medium": 600, "low": 300}
_UNKNOWN_AUTHORITY: Final = 400
# Words, and what a text of that length counts for at most.
_LENGTHS: Final = ((40, 150), (120, 400), (300, 650), (800, 850))
_LONG: Final = 1000
_TITLE_SHARE: Final = 30


class SourceQuality(FrozenModel):
    """The four measures and their weighted sum."""

    overall: int
    relevance: int
    freshness: int
    authority: int
    content: int


def source_quality(
    query: str, title: str, text: str, *, published: str, authority_tier: str, now_ms: int
) -> SourceQuality:
    """The measures of one source; `now_ms` is the moment that the session recorded."""
    whole, heading = word_share_milli(query, f"{title}\n{text}"), word_share_milli(query, title)
    relevance = ((100 - _TITLE_SHARE) * whole + _TITLE_SHARE * heading) // 100
    freshness = _freshness(published, now_ms)
    authority = _AUTHORITY.get(authority_tier, _UNKNOWN_AUTHORITY)
    content = _content(text)
    measured = _Weights(relevance, freshness, authority, content)
    overall = sum(weight * value for weight, value in zip(WEIGHTS, measured, strict=True)) // 100
    return SourceQuality(
        overall=overall, relevance=relevance, freshness=freshness, authority=authority, content=content
    )


def _freshness(published: str, now_ms: int) -> int:
    year, month, day = known_date(published)
    if not year:
        return _UNDATED
    # The middle of what is not known; a year of 365 days is exact enough for a band.
    days = (year - 1970) * 365 + (year - 1969) // 4 + ((month or 7) - 1) * 30 + (day or 15)
    age = now_ms // _DAY_MS - days
    if age < -31:  # a page of the future is misdated
        return _UNDATED
    return next((worth for most, worth in _AGES if age <= most), _OLDER)


def _content(text: str) -> int:
    words = len(text.split())
    worth = next((worth for most, worth in _LENGTHS if words < most), _LONG)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # A page of many short lines is a menu or a list of links.
    short = sum(len(line) < 30 for line in lines)
    return worth * 7 // 10 if lines and short * 3 > 2 * len(lines) and len(lines) > 10 else worth
