"""Reads JSON from strangers: bounded, without surprises from huge numbers or deep nesting, as plain values."""

from __future__ import annotations

import json
from typing import Any, Final

from ..refusal import ParseRefused, Refusal
from .clean_text import cleaned

__all__ = ["at_path", "count_of", "items_of", "line_of", "load_json"]

_LONGEST_NUMBER: Final = 18
_MOST: Final = 10**15


def load_json(data: bytes | str, longest: int = 5_000_000) -> Any:
    """The value.

    Raises:
        ParseRefused: too long, no UTF-8, no JSON, or nested too deeply.
    """
    if len(data) > longest:
        raise ParseRefused(Refusal.TOO_LARGE)
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
        if not text.strip():
            raise ParseRefused(Refusal.EMPTY)
        return json.loads(text, parse_int=_whole, parse_float=_part, parse_constant=_part)
    except (ValueError, RecursionError) as exc:
        raise ParseRefused(Refusal.UNREADABLE) from exc


def at_path(value: Any, *path: str) -> Any:
    """What stands under the names, one inside the other; None where one of them is missing."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def items_of(value: Any, most: int) -> list[Any]:
    """The first items of a list; none of what is no list."""
    return value[:most] if isinstance(value, list) else []


def line_of(value: Any, longest: int) -> str:
    """A text as one clean line; nothing where it is no text."""
    return " ".join(cleaned(value[:longest]).text.split()) if isinstance(value, str) else ""


def count_of(value: Any) -> int | None:
    """A number that something can be counted with, also where it is written as a text; None where it is none."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _LONGEST_NUMBER:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST else None


def _whole(text: str) -> int | None:
    return int(text) if len(text) <= _LONGEST_NUMBER else None


def _part(text: str) -> None:
    """No field that is read has one."""
