"""Shapes a text for its reader: cut to what was asked for, and measured."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field

from ..kernel.noun import Noun, Text
from ..parsing.text_cuts import cut_text, utf8_length

__all__ = [
    "DEFAULT_BYTES",
    "MOST_BYTES",
    "PREVIEW_BYTES",
    "ShapedText",
    "SizeCategory",
    "allowed_bytes",
    "estimated_tokens",
    "shaped",
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


class ShapedText(Noun):
    """A content and its measures; lengths are bytes of UTF-8."""

    content: Text
    content_length: Annotated[int, Field(ge=0)]
    truncated: bool
    estimated_tokens: Annotated[int, Field(ge=0)]
    size_category: SizeCategory


def shaped(text: str, max_bytes: int, *, truncated: bool = False) -> ShapedText:
    """The text within `max_bytes`; `truncated` where it was already cut before."""
    content, cut = cut_text(text, max_bytes)
    length = utf8_length(content)
    return ShapedText(
        content=content,
        content_length=length,
        truncated=cut or truncated,
        estimated_tokens=estimated_tokens(length),
        size_category=size_category(length),
    )


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
