"""Reads the answers of outside services: JSON with its numbers as text, fragments of markup, statuses as faults."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from ...kernel.providers import Fault, HttpAnswer, ProviderError
from ..http.fields import whole_number
from ..refusal import ParseRefused, Refusal
from ..text.json_values import at_path
from ..url.urls import JudgedUrl, judge_url

__all__ = [
    "date_of",
    "facts",
    "fault_of_status",
    "flag_of",
    "lines_of",
    "load_records",
    "number_of",
    "plain_fragment",
    "plain_line",
    "retry_after_s",
    "status_fault",
    "text_of",
    "texts_of",
    "total_of",
    "web_locator",
]

_LARGEST: Final = 5_000_000
_LONGEST_TEXT: Final = 100_000
_MOST_SECONDS: Final = 10**9
_TAG: Final = re.compile(r"<[/!?a-zA-Z][^<>]{0,1000}>")
_BREAKS: Final = re.compile(r"(?i)</?(?:\w+:)?(?:p|br|div|li|list|list-item|sec|title|h[1-6]|tr)\b[^<>]{0,1000}>")
_BLANKS: Final = re.compile(r"[^\S\n]+")
_LINES: Final = re.compile(r"\s*\n\s*")
_LOCATOR: Final = re.compile(r"https?://[^\s\x00-\x1f\x7f]{1,2000}")
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_NUMBER: Final = re.compile(r"[0-9]{1,18}")
_FAULTS: Final = {
    400: Fault.BAD_REQUEST,
    401: Fault.AUTH,
    402: Fault.QUOTA,
    403: Fault.AUTH,
    404: Fault.NOT_FOUND,
    408: Fault.SLOW,
    410: Fault.NOT_FOUND,
    429: Fault.RATE_LIMITED,
    451: Fault.BLOCKED,
}


def load_records(data: bytes) -> Any:
    """The JSON value of a body; every number in it is the text that stood there (R30).

    Raises:
        ParseRefused: too long, not UTF-8, not JSON, or nested too deeply.
    """
    if len(data) > _LARGEST:
        raise ParseRefused(Refusal.TOO_LARGE)
    try:
        return json.loads(data.decode("utf-8-sig"), parse_int=str, parse_float=str, parse_constant=_no_constant)
    except (ValueError, RecursionError) as exc:
        raise ParseRefused(Refusal.UNREADABLE) from exc


def status_fault(answer: HttpAnswer, forbidden: Fault = Fault.AUTH) -> ProviderError | None:
    """What a status says by itself; None for success. A provider looks for its own error codes first.

    `forbidden` is what 403 means: a service that takes no key does not ask for one, it keeps us out.
    """
    fault = forbidden if answer.status == 403 else fault_of_status(answer.status)
    return None if fault is None else ProviderError(fault=fault, retry_after_s=retry_after_s(answer))


def fault_of_status(status: int) -> Fault | None:
    """The fault that a status stands for; None for success. What is only known to be the caller's is a bad request."""
    if 200 <= status < 300:
        return None
    return _FAULTS.get(status, Fault.BAD_REQUEST if 400 <= status < 500 else Fault.PROVIDER_DOWN)


def retry_after_s(answer: HttpAnswer) -> int | None:
    """How many seconds the service asks to be left alone, where it says so."""
    seconds = whole_number(answer.header("retry-after"))
    return None if seconds is None else min(seconds, _MOST_SECONDS)


def flag_of(value: Any) -> str:
    """`true` or `false`; empty where the value is neither."""
    return str(value).lower() if isinstance(value, bool) else ""


def text_of(value: Any, longest: int = 1_000) -> str:
    """A text or a number as one line; empty where the value is neither."""
    return " ".join(_SURROGATES.sub("", value[:longest]).split()) if isinstance(value, str) else ""


def texts_of(value: Any, most: int, longest: int = 1_000) -> Iterator[str]:
    """The texts among the first items of a list."""
    for item in value[:most] if isinstance(value, list) else ():
        if text := text_of(item, longest):
            yield text


def plain_line(value: Any, longest: int = 1_000) -> str:
    """The same as one line, for titles and names."""
    return " ".join(plain_fragment(value).split())[:longest]


def plain_fragment(value: Any) -> str:
    """What a fragment of HTML or JATS says: tags and comments gone, paragraphs on lines of their own."""
    if not isinstance(value, str):
        return ""
    text = _BREAKS.sub("\n", value[:_LONGEST_TEXT])
    return lines_of(html.unescape(_TAG.sub("", text)))


def lines_of(value: Any) -> str:
    """A plain text of several lines, without blank ones; empty where the value is not a text."""
    if not isinstance(value, str):
        return ""
    return _LINES.sub("\n", _BLANKS.sub(" ", _SURROGATES.sub("", value[:_LONGEST_TEXT]))).strip()


def date_of(value: Any) -> str:
    """A date of year, month and day, as far as they are given, from `{"date-parts": [[2020, 1, 5]]}`."""
    parts = at_path(value, "date-parts")
    first = parts[0] if isinstance(parts, list) and parts else None
    found: list[str] = []
    for part in first[:3] if isinstance(first, list) else ():
        if not isinstance(part, str) or not _NUMBER.fullmatch(part):
            break
        found.append(part.rjust(4 if not found else 2, "0"))
    return "-".join(found)


def total_of(value: Any) -> str | None:
    """A count in its literal digits; None where the value is not one."""
    return value if isinstance(value, str) and _NUMBER.fullmatch(value) else None


def number_of(value: Any) -> int:
    """A count as a number; 0 where the value is not one."""
    return int(total_of(value) or "0")


def web_locator(text: str) -> str:
    """The text if a source may be found under it; empty otherwise, and then the record has to be left out.

    Only http and https on a public host: no credentials, no control characters, no address or name of somebody's own.
    """
    return text if _LOCATOR.fullmatch(text) and isinstance(judge_url(text), JudgedUrl) else ""


def facts(*pairs: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """The pairs that say something."""
    return tuple((name, value) for name, value in pairs if value)


def _no_constant(name: str) -> None:
    raise ValueError(f"`{name}` is not JSON")
