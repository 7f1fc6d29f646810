"""Lines for the operator on the logger `portcullis`: every opening that is refused, with its reason."""

from __future__ import annotations

import logging
from typing import Final

__all__ = ["LOGGER", "LogNotices"]

LOGGER: Final = "portcullis"


class LogNotices:
    """Writes to Python's logging, so that a host routes it as it routes its other logs."""

    def __init__(self) -> None:
        self._log = logging.getLogger(LOGGER)

    def refused(self, reason: str, *, callers_mistake: bool) -> None:
        """One line; what a caller can bring about at will is no warning."""
        level = logging.INFO if callers_mistake else logging.WARNING
        self._log.log(level, "request refused: %s", reason, extra={"refused": True})

    def gate_refused(self, reason: str) -> None:
        """One line: there is no gate, so nothing will be answered."""
        self._log.error("gate not opened: %s", reason, extra={"refused": True})
