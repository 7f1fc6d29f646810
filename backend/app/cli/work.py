"""What a command gives back to be done, once everything that it needs is loaded."""

from __future__ import annotations

from collections.abc import Callable

from .exits import Exit

__all__ = ["Work"]

Work = Callable[[], Exit | None]
"""Run by `main`; None is success. Until then Ctrl-C ends the process at once, because nothing is open yet."""
