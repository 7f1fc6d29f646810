"""A look at a SQLite file from beside those who work with it: nothing is made, written or waited for."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["opened_to_look", "write_log_of"]


def write_log_of(path: Path) -> Path:
    """Where SQLite keeps the log of a file while somebody has it open."""
    return Path(f"{os.path.realpath(path)}-wal")


@contextmanager
def opened_to_look(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that only reads.

    A file without its log is whole by itself: told so, SQLite makes no log to read it. It also takes no lock then and
    gives back those of this process when it closes, so whoever may open the same file here keeps that out meanwhile.

    Raises:
        sqlite3.Error: the file is not there or cannot be opened.
    """
    alone = "" if write_log_of(path).exists() else "&immutable=1"
    address = f"{Path(os.path.realpath(path)).as_uri()}?mode=ro{alone}"
    link = sqlite3.connect(address, uri=True, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        yield link
    finally:
        link.close()
