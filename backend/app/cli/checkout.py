"""Hands this process over to a program of the checkout that this code runs from."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

__all__ = ["NoCheckout", "hand_over"]

_ROOT: Final = Path(__file__).resolve().parents[3]


class NoCheckout(Exception):
    """Certification and simulation execute tests, and only a checkout has them."""


def hand_over(module: str, what: str, words: Sequence[str]) -> NoReturn:
    """Let a program of the checkout take this process over, so that nothing of the product runs beside it.

    Raises:
        NoCheckout: this is an installation, which has no such program.
    """
    if not _ROOT.joinpath(*module.split("."), "__main__.py").is_file():
        raise NoCheckout(f"not evaluated: {what} needs a source checkout, and this is an installation")
    os.chdir(_ROOT)
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", module, *words])  # noqa: S606  our own program, no shell
