"""Server-sent events as bytes: data, named events, and the comments that clients skip."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from ...kernel.canonical import JsonValue

__all__ = ["DONE", "comment_line", "data_line", "json_bytes", "named_event"]

DONE: Final = b"data: [DONE]\n\n"


def json_bytes(value: Mapping[str, JsonValue]) -> bytes:
    """JSON in one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def data_line(value: Mapping[str, JsonValue]) -> bytes:
    """An event without a name."""
    return b"data: " + json_bytes(value) + b"\n\n"


def named_event(name: str, value: Mapping[str, JsonValue]) -> bytes:
    """An event with a name."""
    return f"event: {name}\n".encode() + data_line(value)


def comment_line(text: str) -> bytes:
    """A comment: it keeps a connection open and says nothing to a program."""
    return f": {text}\n\n".encode()
