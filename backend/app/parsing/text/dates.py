"""Days of the calendar as plain numbers and texts, without a clock, a time zone or a locale."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["iso_date_of_ms", "iso_prefix", "known_date"]

_DAY_MS: Final = 86_400_000
_MOST_MS: Final = 253_402_300_800_000  # the first millisecond of the year 10000
_DATE: Final = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?(?![0-9])")
_LENGTHS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def iso_date_of_ms(epoch_ms: int) -> str:
    """The day in UTC as `YYYY-MM-DD`; nothing outside the years 1970 to 9999."""
    if not 0 <= epoch_ms < _MOST_MS:
        return ""
    # Counted in spans of 400 years that begin in March, so that the odd day comes last.
    span, day = divmod(epoch_ms // _DAY_MS + 719_468, 146_097)
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5
    month = month + 3 if month < 10 else month - 9
    return f"{span * 400 + year + (month <= 2):04d}-{month:02d}-{day + 1:02d}"


def known_date(text: str) -> tuple[int, int, int]:
    """Year, month and day at the front of an ISO date; 0 for what it does not say, or says of no calendar."""
    found = _DATE.match(text.strip())
    if found is None or found.group(1) == "0000":
        return 0, 0, 0
    year, month, day = (int(part or 0) for part in found.groups())
    if not 1 <= month <= 12:
        return year, 0, 0
    leap = month == 2 and (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))
    return year, month, day if 1 <= day <= _LENGTHS[month - 1] + leap else 0


def iso_prefix(text: str) -> str:
    """As much of a date as is known: `YYYY-MM-DD`, `YYYY-MM`, `YYYY` or nothing."""
    year, month, day = known_date(text)
    return "-".join(f"{part:0{width}d}" for part, width in ((year, 4), (month, 2), (day, 2)) if part)
