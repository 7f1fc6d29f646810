"""What is wrong with a value, in one line: the field and the rule, never the value itself."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

__all__ = ["first_fault"]


def first_fault(exc: ValidationError) -> tuple[str, str]:
    """The name of the first wrong field, empty for the whole, and what its rule says."""
    first = exc.errors(include_url=False, include_input=False)[0]
    return ".".join(map(str, first["loc"])), _said(first)


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
