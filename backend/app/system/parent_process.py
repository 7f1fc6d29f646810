"""The process that started this one, and whether it has ended."""

from __future__ import annotations

import os

__all__ = ["ParentProcess"]


class ParentProcess:
    """Whoever had started this process when this was made."""

    def __init__(self) -> None:
        self._pid = os.getppid()

    @property
    def gone(self) -> bool:
        """True once it has ended: the system gives its children another parent."""
        return os.getppid() != self._pid
