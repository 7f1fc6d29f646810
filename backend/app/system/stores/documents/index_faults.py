"""Tells the faults of a document index apart: damaged and worth rebuilding, or unusable as it is."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ....kernel.errors import ResearchError, StoreUnusable

__all__ = ["DAMAGE_MARK", "IndexDamaged", "row_faults", "store_faults"]

DAMAGE_MARK: Final = "damaged"
"""The file by which a search that found damage tells the next refresh."""

_DAMAGE: Final = frozenset(
    (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH)
)
_CUT: Final = frozenset((sqlite3.SQLITE_IOERR_SHORT_READ,))
_FULL: Final = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))


class IndexDamaged(StoreUnusable):
    """The stored index does not hold together; it is derived data, so a refresh builds it again."""


@contextmanager
def store_faults() -> Iterator[None]:
    """Turns the faults of SQLite, of the ranking and of the disk into ours."""
    try:
        yield
    except ResearchError:
        raise
    except sqlite3.Error as exc:
        code = getattr(exc, "sqlite_errorcode", None)
        if code is None or code & 0xFF in _DAMAGE or code in _CUT:
            raise IndexDamaged("the document index is damaged") from exc
        if code & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise StoreUnusable("the document index has no room on its disk") from exc
        if code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreUnusable("the document index stays locked by another process") from exc
        raise StoreUnusable("the document index cannot be opened") from exc
    except OSError as exc:
        if exc.errno in _FULL:
            raise StoreUnusable("the document index has no room on its disk") from exc
        raise StoreUnusable("the document index cannot be read or written") from exc


@contextmanager
def row_faults() -> Iterator[None]:
    """Takes a row of the wrong shape for damage: a flipped bit in a page that SQLite still reads."""
    try:
        yield
    except (AttributeError, OverflowError, TypeError, ValueError) as exc:
        raise IndexDamaged("the document index is damaged: a row is not what any version wrote") from exc
