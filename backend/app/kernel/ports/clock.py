"""The clock as a port: time enters the core as a value."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Clock"]


class Clock(Protocol):
    """Milliseconds since the epoch, never going back within a process."""

    def now_ms(self) -> int: ...
