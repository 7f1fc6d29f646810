"""Several answers as one object: what a page that is put together from them was read from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

__all__ = ["Part", "packed", "unpacked"]

Part = tuple[str, bytes | None]
"""Where it was asked for, and what came; None where nothing did."""

_MOST_PARTS: Final = 100


def packed(parts: Sequence[Part]) -> bytes:
    """One line that says what follows, then all bodies."""
    head = [[url, None if body is None else len(body)] for url, body in parts]
    return json.dumps(head).encode("ascii") + b"\n" + b"".join(body or b"" for _, body in parts)


def unpacked(data: bytes) -> tuple[Part, ...]:
    """What was packed.

    Raises:
        ValueError: this is no parcel.
    """
    line, found, rest = data.partition(b"\n")
    head = json.loads(line)
    if not found or not isinstance(head, list) or len(head) > _MOST_PARTS:
        raise ValueError("not a parcel")
    parts: list[Part] = []
    at = 0
    for url, size in head:
        if not isinstance(url, str) or not (size is None or (isinstance(size, int) and 0 <= size <= len(rest) - at)):
            raise ValueError("not a parcel")
        parts.append((url, None if size is None else rest[at : at + size]))
        at += size or 0
    if at != len(rest):
        raise ValueError("not a parcel")
    return tuple(parts)
