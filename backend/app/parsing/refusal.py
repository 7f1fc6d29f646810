"""Why bytes did not become a document: one word each, the same for files and for pages."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["ParseRefused", "Refusal"]


class Refusal(StrEnum):
    """Why bytes did not become a document."""

    BINARY = "binary"
    BOMB = "bomb"
    EMPTY = "empty"
    ENCRYPTED = "encrypted"
    TOO_LARGE = "too_large"
    TOO_MUCH_HIDDEN = "too_much_hidden"
    TOO_SLOW = "too_slow"
    UNDECODABLE = "undecodable"
    UNREADABLE = "unreadable"
    UNSUPPORTED = "unsupported"


class ParseRefused(Exception):
    """Raised inside a reader, and turned into its refusal where the reader was called."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal
