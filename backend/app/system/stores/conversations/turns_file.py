"""The file of conversations and requests: one SQLite connection per process, made when it is needed first."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final

from ....kernel.errors import StoreUnusable
from ...private_files import private_file, private_folder

__all__ = ["TurnsFile"]

_BUSY_S: Final = 5.0
_AGAIN_S: Final = 0.005
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class TurnsFile:
    """Opens the file with its tables, and gives its connection to one user at a time."""

    def __init__(self, path: Path, tables: Sequence[str]) -> None:
        self._path = path
        self._tables = tuple(tables)
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._opened_by = 0

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """The connection.

        Raises:
            StoreUnusable: the file cannot be used.
        """
        with self._lock:
            try:
                yield self._connected()
            except (sqlite3.Error, OSError) as exc:
                self._drop()
                raise StoreUnusable(f"conversation store `{self._path}` cannot be used") from exc

    def close(self) -> None:
        """Close it."""
        with self._lock:
            self._drop()

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            private_folder(self._path.parent)
            private_file(self._path)
            self._connection, self._opened_by = self._prepared(), os.getpid()
        elif self._opened_by != os.getpid():
            raise StoreUnusable(f"conversation store `{self._path}` was opened before a fork")
        return self._connection

    def _prepared(self) -> sqlite3.Connection:
        """A connection with its tables. SQLite does not wait for its turn while another one begins to keep a log, so
        that is tried again."""
        patience_ends = time.monotonic() + _BUSY_S
        while True:
            db = sqlite3.connect(self._path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
            try:
                db.execute("PRAGMA journal_mode = WAL")
                db.execute("PRAGMA synchronous = NORMAL")
                for table in self._tables:
                    db.execute(table)
                return db
            except sqlite3.Error as exc:
                db.close()
                if getattr(exc, "sqlite_errorcode", 0) & 0xFF not in _BUSY or time.monotonic() >= patience_ends:
                    raise
            time.sleep(_AGAIN_S)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None and self._opened_by == os.getpid():
            connection.close()
