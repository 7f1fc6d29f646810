"""A process that starts others, and whether it has ended."""

from __future__ import annotations

import os

__all__ = ["ParentProcess"]


class ParentProcess:
    """The process in which this is made, handed to those that it starts: they cannot find out later who it was, since
    the system gives the children of a process that has ended another parent."""

    def __init__(self) -> None:
        self._pid = os.getpid()

    @property
    def gone(self) -> bool:
        """True in a child once the parent has ended."""
        return os.getppid() != self._pid
