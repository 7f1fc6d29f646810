"""The log of a server on stderr: warnings alone, or every request as a line of JSON; never a text of a user."""

from __future__ import annotations

import json
import logging
import sys
from typing import Final

from ..system.serve_settings import LogStyle

__all__ = ["log_requests"]

_OURS: Final = "portcullis"


class LinesOnStderr(logging.Handler):
    """Writes a record as one line."""

    def __init__(self, style: LogStyle) -> None:
        super().__init__()
        self._style = style

    def emit(self, record: logging.LogRecord) -> None:
        """The line."""
        message = record.getMessage()
        if self._style == "quiet":
            message = f"portcullis: {message}"
        elif not message.startswith("{"):  # else it is a document already
            line = {
                "event": "log",
                "at_ms": int(record.created * 1000),
                "level": record.levelname.lower(),
                "logger": record.name,
                "message": message,
            }
            message = json.dumps(line, separators=(",", ":"))
        sys.stderr.write(f"{message}\n")
        sys.stderr.flush()


def log_requests(style: LogStyle) -> None:
    """Send our logs to stderr, and nowhere else."""
    log = logging.getLogger(_OURS)
    log.setLevel(logging.INFO if style == "json" else logging.WARNING)
    log.handlers = [LinesOnStderr(style)]
    log.propagate = False
