"""Dates of publication as services write them: RFC 3339 in UTC, a plain date, or a text that is relative to now."""

from __future__ import annotations

import re
from typing import Final

from ..text.dates import iso_date_of_ms, iso_prefix, known_date

__all__ = ["date_facts", "is_relative", "normal_date", "resolved_date", "rfc3339_of_ms"]

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = r"(?P<month>[A-Za-z]{3,9})\.?"
_YEAR: Final = r"(?P<year>[0-9]{4})"
_DAY: Final = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_CLOCK: Final = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,][0-9]{1,9})?)?"
_ZONE: Final = r"\s*(?P<zone>Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?"
_WEEKDAY: Final = r"(?:[A-Za-z]{3,9},\s*)?"
# ISO 8601 and its relatives, words before and after the day, and numbers with a month that cannot be a day.
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_YEAR}-(?P<number>[0-9]{{1,2}})-{_DAY}(?:(?:T|\s+){_CLOCK}{_ZONE})?",
        rf"{_YEAR}/(?P<number>[0-9]{{1,2}})/{_DAY}(?:\s+{_CLOCK}{_ZONE})?",
        rf"{_WEEKDAY}{_MONTH}\s+{_DAY},?\s+{_YEAR}(?:,?\s+(?:at\s+)?{_CLOCK}{_ZONE})?",
        rf"{_WEEKDAY}{_DAY}[\s-]+{_MONTH},?[\s-]+{_YEAR}(?:,?\s+{_CLOCK}{_ZONE})?",
        rf"{_YEAR}\s+{_MONTH}(?:\s+{_DAY}(?:\s+{_CLOCK}{_ZONE})?)?",
        rf"{_MONTH}\s+{_YEAR}",
        rf"(?P<number>[0-9]{{1,2}})/(?P<day>1[3-9]|2[0-9]|3[01])/{_YEAR}",
        rf"(?P<day>1[3-9]|2[0-9]|3[01])[/.](?P<number>[0-9]{{1,2}})[/.]{_YEAR}",
        r"(?P<year>[0-9]{4})(?:-(?P<number>[0-9]{2}))?",
    )
)
_ISO_COMPACT: Final = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})(?:T([0-9]{2})([0-9]{2})([0-9]{2})Z?)?")
_EPOCH: Final = re.compile(r"[0-9]{9,10}|[0-9]{12,13}")
_AGO: Final = re.compile(
    r"(?:about |over |almost )?(?P<count>[0-9]{1,4}|an?|one)\s*"
    r"(?P<unit>s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mo|mos|months?|y|yrs?|years?)"
    r"(?:\s+ago)?",
    re.IGNORECASE,
)
_WORDS: Final = {"just now": ("s", 0), "now": ("s", 0), "today": ("d", 0), "yesterday": ("d", 1)}
_SECOND_MS: Final = 1_000
_DAY_MS: Final = 86_400_000
_UNITS: Final = {
    "s": _SECOND_MS,
    "m": 60 * _SECOND_MS,
    "h": 3_600 * _SECOND_MS,
    "d": _DAY_MS,
    "w": 7 * _DAY_MS,
    "mo": 30 * _DAY_MS,
    "y": 365 * _DAY_MS,
}
_LONGEST: Final = 60
_MOST_MS: Final = 253_402_300_800_000


def normal_date(text: str) -> str:
    """`YYYY-MM-DDThh:mm:ssZ`, or as much of `YYYY-MM-DD` as is said; empty for what is no date, or one of no calendar.

    A time without a zone is taken as UTC. A date whose day and month could be either way round is not read.
    """
    said = text.strip()
    if not said or len(said) > _LONGEST:
        return ""
    if _EPOCH.fullmatch(said):
        number = int(said)
        return rfc3339_of_ms(number if len(said) > 10 else number * 1000)
    compact = _ISO_COMPACT.fullmatch(said)
    if compact is not None and compact.group(2) <= "12":
        year, month, day, *clock = compact.groups()
        said = f"{year}-{month}-{day}" + (f"T{':'.join(clock)}Z" if clock[0] else "")
    for form in _FORMS:
        found = form.fullmatch(said)
        if found is not None:
            return _written(found.groupdict())
    return ""


def is_relative(text: str) -> bool:
    """True for "3 days ago", "2h", "yesterday": what only a clock can turn into a date."""
    said = " ".join(text.lower().split())
    return len(said) <= _LONGEST and (said in _WORDS or _AGO.fullmatch(said) is not None)


def resolved_date(text: str, now_ms: int) -> str:
    """The date behind a text that is relative to `now_ms`, or of one that is not; empty where it cannot be read.

    Minutes and hours give a time to the second, days and more give a day.
    """
    said = " ".join(text.lower().split())
    if not is_relative(said):
        return normal_date(text)
    unit, count = _ago(said)
    at_ms = now_ms - count * _UNITS[unit]
    if not 0 <= at_ms < _MOST_MS:
        return ""
    return rfc3339_of_ms(at_ms) if unit in ("s", "m", "h") else iso_date_of_ms(at_ms)


def date_facts(*texts: str) -> tuple[tuple[str, str], ...]:
    """`published` from the first text that is a date, else `published_relative` from the first that needs a clock."""
    for text in texts:
        if date := normal_date(text):
            return (("published", date),)
    return tuple(("published_relative", text.strip()) for text in texts if is_relative(text))[:1]


def rfc3339_of_ms(epoch_ms: int) -> str:
    """A time in UTC as `YYYY-MM-DDThh:mm:ssZ`; empty outside the years 1970 to 9999."""
    day = iso_date_of_ms(epoch_ms)
    seconds = epoch_ms % _DAY_MS // 1000
    return f"{day}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}Z" if day else ""


def _ago(said: str) -> tuple[str, int]:
    if said in _WORDS:
        return _WORDS[said]
    found = _AGO.fullmatch(said)
    count, unit = (found.group("count"), found.group("unit")) if found else ("0", "s")
    short = "mo" if unit.startswith("mo") else unit[0]
    return short, int(count) if count.isdigit() else 1


def _written(parts: dict[str, str | None]) -> str:
    month = parts.get("number")
    if name := parts.get("month"):
        month = str(_MONTHS.index(name[:3].lower()) + 1) if name[:3].lower() in _MONTHS else "0"
    date = f"{parts['year']}-{int(month):02d}" if month else f"{parts['year']}"
    if day := parts.get("day"):
        date = f"{date}-{int(day):02d}"
    if iso_prefix(date) != date:
        return ""
    if not parts.get("hour"):
        return date
    at_ms = _epoch_ms(date, parts)
    return date if at_ms is None else rfc3339_of_ms(at_ms) or date


def _epoch_ms(date: str, parts: dict[str, str | None]) -> int | None:
    hour, minute, second = (int(parts.get(name) or 0) for name in ("hour", "minute", "second"))
    if hour > 23 or minute > 59 or second > 60:
        return None
    year, month, day = known_date(date)
    # Counted in spans of 400 years that begin in March, so that the odd day comes last.
    year -= month <= 2
    span, rest = divmod(year, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    days = span * 146_097 + rest * 365 + rest // 4 - rest // 100 + of_year - 719_468
    zone = parts.get("zone") or ""
    shift = 0
    if zone[:1] in ("+", "-"):
        shift = (int(zone[1:3]) * 60 + int(zone[-2:])) * (-1 if zone[0] == "-" else 1)
    return (days * 86_400 + hour * 3_600 + minute * 60 + min(second, 59) - shift * 60) * 1000
