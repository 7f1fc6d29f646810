"""Reads the values of HTTP header fields: dates, Retry-After, Cache-Control, Content-Type; nonsense is nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

__all__ = [
    "Fields",
    "cache_directives",
    "can_be_cut",
    "field_value",
    "http_date_ms",
    "media_type",
    "retry_after_ms",
    "whole_number",
]

Fields = Sequence[tuple[str, str]]

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CLOCK: Final = r"(?P<h>\d{2}):(?P<m>\d{2}):(?P<s>\d{2})"
# The three spellings of a date that HTTP knows: today's, RFC 850's, and asctime's.
_DATES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"[a-z]{{3}}, (?P<day>\d{{2}}) (?P<month>[a-z]{{3}}) (?P<year>\d{{4}}) {_CLOCK} gmt",
        rf"[a-z]{{6,9}}, (?P<day>\d{{2}})-(?P<month>[a-z]{{3}})-(?P<year>\d{{2}}) {_CLOCK} gmt",
        rf"[a-z]{{3}} (?P<month>[a-z]{{3}}) (?P<day>[ \d]\d) {_CLOCK} (?P<year>\d{{4}})",
    )
)
_DIGITS: Final = re.compile(r"[0-9]{1,15}")
_TYPE: Final = re.compile(r"[a-z0-9!#$&^_.+-]{1,100}/[a-z0-9!#$&^_.+-]{1,100}")
_CHARSET: Final = re.compile(r"(?i);\s*charset\s*=\s*(?:\"([^\"]{1,40})\"|([^\s;\"]{1,40}))")
_DIRECTIVE: Final = re.compile(r"([a-z-]+)(?:\s*=\s*(?:\"([^\"]*)\"|([^\s,]*)))?")
_LONGEST_VALUE: Final = 4_096
_CUTTABLE: Final = frozenset({"application/xhtml+xml"})


def field_value(fields: Iterable[tuple[str, str]], name: str) -> str:
    """The value of a field, its lines joined by commas; empty where it is missing."""
    return ", ".join(value.strip() for key, value in fields if key.lower() == name)


def whole_number(text: str) -> int | None:
    """A plain number, or None."""
    return int(text) if _DIGITS.fullmatch(text.strip()) else None


def http_date_ms(text: str) -> int | None:
    """Milliseconds since the epoch, or None where the text is no date of HTTP."""
    for pattern in _DATES:
        found = pattern.fullmatch(text.strip())
        if found is not None:
            return _epoch_ms(found)
    return None


def retry_after_ms(text: str, now_ms: int) -> int | None:
    """How long a server asks to wait, from seconds or from a date; a date that is past asks for nothing."""
    seconds = whole_number(text)
    if seconds is not None:
        return seconds * 1000
    at_ms = http_date_ms(text)
    return None if at_ms is None else max(0, at_ms - now_ms)


def cache_directives(text: str) -> dict[str, str]:
    """Cache-Control as names and values; the first of a name counts."""
    found: dict[str, str] = {}
    for match in _DIRECTIVE.finditer(text[:_LONGEST_VALUE].lower()):
        found.setdefault(match.group(1), match.group(2) or match.group(3) or "")
    return found


def media_type(text: str) -> tuple[str, str]:
    """The type in lower case and the charset that it names; each empty where it is missing or malformed."""
    text = text[:_LONGEST_VALUE]
    kind = text.partition(";")[0].partition(",")[0].strip().lower()
    charset = _CHARSET.search(text)
    named = (charset.group(1) or charset.group(2) or "").strip().lower() if charset else ""
    return (kind if _TYPE.fullmatch(kind) else ""), named


def can_be_cut(kind: str) -> bool:
    """Whether the beginning of such a body is worth reading: of texts and pages, not of archives or records (R16)."""
    return kind == "" or kind.startswith("text/") or kind in _CUTTABLE


def _epoch_ms(found: re.Match[str]) -> int | None:
    month = found["month"].lower()
    year, day = int(found["year"]), int(found["day"])
    hour, minute, second = int(found["h"]), int(found["m"]), int(found["s"])
    if len(found["year"]) == 2:
        year += 1900 if year >= 70 else 2000
    if (
        month not in _MONTHS
        or not 1970 <= year <= 9999
        or not 1 <= day <= 31
        or hour > 23
        or minute > 59
        or second > 60
    ):
        return None
    days = _days(year, _MONTHS.index(month) + 1, day)
    return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000


def _days(year: int, month: int, day: int) -> int:
    """Days since the epoch; years are counted from March, so that the odd day comes last."""
    year -= month <= 2
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return year * 365 + year // 4 - year // 100 + year // 400 + of_year - 719_468
