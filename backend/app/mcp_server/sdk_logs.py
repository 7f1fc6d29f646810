"""The log of the SDK: where something happened and the type of an error, never what a client sent or a traceback."""

from __future__ import annotations

import logging
from typing import Final

__all__ = ["log_places_only"]

_SDK: Final = "mcp"
_LOG: Final = logging.getLogger("portcullis.mcp")


class _PlacesOnly(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        what = "" if error is None else f": unexpected {type(error).__name__}"
        _LOG.log(record.levelno, "%s.%s%s", record.name, record.funcName, what)


def log_places_only() -> None:
    """From now on what the SDK logs goes through our own log, without its words."""
    log = logging.getLogger(_SDK)
    log.propagate = False
    log.handlers[:] = [_PlacesOnly(logging.WARNING)]
