"""A number with its noun, as a reader expects it: 1 call, 2 calls."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str) -> str:
    """The number and the noun, in the plural unless there is exactly one."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
