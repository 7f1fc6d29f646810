"""The machine's clock: wall time in milliseconds that never goes back within the process."""

from __future__ import annotations

import time

__all__ = ["SystemClock"]


class SystemClock:
    """Anchored to the wall clock once; a later step of the wall clock cannot stretch or cut a session."""

    def __init__(self) -> None:
        self._offset_ns = time.time_ns() - time.monotonic_ns()

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        return (time.monotonic_ns() + self._offset_ns) // 1_000_000
