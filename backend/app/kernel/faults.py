"""What is wrong with a value, in one line: the field and the rule, never the value itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from pydantic import ValidationError

__all__ = ["first_error", "first_fault", "repeatable_name"]

_MOST: Final = 1_000
_PLAIN: Final = re.compile(r"[A-Za-z0-9_]{1,64}")


def repeatable_name(part: object) -> str:
    """A part of a field's name as it may be repeated: callers can put any text where a name belongs.

    Parts in brackets, such as `list[Source]`, say which form of a value was tried; they are left out.
    """
    name = str(part)
    if "[" in name:
        return ""
    return name if _PLAIN.fullmatch(name) else "(unknown name)"


def first_error(exc: ValidationError) -> Any | None:
    """The first error as pydantic tells it; None where there are so many that listing them takes seconds."""
    if exc.error_count() > _MOST:
        return None
    return exc.errors(include_url=False, include_input=False)[0]


def first_fault(exc: ValidationError, part_of_name: Callable[[object], str] = str) -> tuple[str, str]:
    """The name of the first wrong field, empty for the whole, and what its rule says.

    Where a stranger gave the value, its names are repeated by `repeatable_name`.
    """
    first = first_error(exc)
    if first is None:
        return "", f"has more than {_MOST} faults"
    return ".".join(filter(None, map(part_of_name, first["loc"]))), _said(first)


def _said(error: Any) -> str:
    if error["type"] in ("too_long", "string_too_long"):
        # A text behind a validator of ours is measured in "items"; a list of values really has them.
        kind = "characters" if error["ctx"].get("field_type", "Value") in ("Value", "String") else "items"
        return f"is longer than {error['ctx']['max_length']} {kind}"
    if error["type"] == "string_unicode" or "surrogates not allowed" in error["msg"]:
        return "is not valid UTF-8"
    if error["type"] == "string_pattern_mismatch":
        return "is too long, empty, or has characters that are not allowed"
    message = str(error["msg"]).removeprefix("Value error, ")
    return message[:1].lower() + message[1:]
