"""What several of the commands take on their line."""

from __future__ import annotations

import argparse

__all__ = ["above_zero"]


def above_zero(text: str) -> int:
    """How many: of processes, of mutants, of anything that is nothing where there is none.

    Raises:
        ArgumentTypeError: it is not a number above zero.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number above 0")
    return int(text)
