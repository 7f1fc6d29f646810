"""Ctrl-C, told apart from the interrupts that simulated tools raise."""

from __future__ import annotations

import signal
from types import FrameType


class Interrupts:
    """Remembers that somebody wants the run to end, whoever swallows the exception on its way."""

    def __init__(self) -> None:
        self._heard = False

    def listen(self) -> None:
        """From now on Ctrl-C is remembered; so is the word of the process that started this one."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._hear)

    def check(self) -> None:
        """Raise it again where it was heard."""
        if self._heard:
            raise KeyboardInterrupt

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self._heard = True
        raise KeyboardInterrupt


INTERRUPTS = Interrupts()
