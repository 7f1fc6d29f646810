"""How long a content may be, and what its length means to a reader."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal

__all__ = [
    "DEFAULT_BYTES",
    "MOST_BYTES",
    "PREVIEW_BYTES",
    "SizeCategory",
    "allowed_bytes",
    "estimated_tokens",
    "size_category",
]

DEFAULT_BYTES: Final = 50_000
MOST_BYTES: Final = 5_000_000
PREVIEW_BYTES: Final = 5_000
_BYTES_PER_TOKEN: Final = 4
_SMALL: Final = 5_000
_MEDIUM: Final = 20_000
_LARGE: Final = 50_000


class SizeCategory(StrEnum):
    """How long a content is: below 5,000, 20,000 and 50,000 bytes, and from there on."""

    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"
    VERY_LARGE = "very_large"


def allowed_bytes(mode: Literal["full", "preview", "raw"], max_length: int = DEFAULT_BYTES) -> int:
    """How many bytes a mode may give: a preview always the same few, every other what was asked for, up to a cap."""
    return PREVIEW_BYTES if mode == "preview" else max(0, min(max_length, MOST_BYTES))


def estimated_tokens(length: int) -> int:
    """A careful guess: four bytes each, rounded down."""
    return length // _BYTES_PER_TOKEN


def size_category(length: int) -> SizeCategory:
    """The category of a length in bytes."""
    if length < _SMALL:
        return SizeCategory.SMALL
    if length < _MEDIUM:
        return SizeCategory.MEDIUM
    return SizeCategory.LARGE if length < _LARGE else SizeCategory.VERY_LARGE
