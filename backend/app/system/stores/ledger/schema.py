"""The file of the SQLite ledger: how it is opened, its tables, and what SQLite's errors mean for it."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

from ....kernel.errors import StoreUnusable
from ...private_files import private_file
from ..looked_at import opened_to_look, write_log_of

__all__ = ["BUSY", "SCHEMA_VERSION", "ledger_file_fault", "open_ledger_file", "translate"]

BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

SCHEMA_VERSION = 1
_APPLICATION_ID = 0x506F7274  # "Port"
_NEW = (0, 0, 0)  # version, program and tables of a file that nobody has written yet

# `spent` is null until the reservation is settled. The key's index leads with the session, so it serves both look-ups.
_TABLES = """
    BEGIN EXCLUSIVE;
    CREATE TABLE reservations (
        id INTEGER PRIMARY KEY,
        subject TEXT NOT NULL,
        session_id TEXT NOT NULL,
        key TEXT NOT NULL,
        calls INTEGER NOT NULL,
        units INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        lease_until_ms INTEGER NOT NULL,
        spent INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX reservations_by_key ON reservations (session_id, key);
    CREATE INDEX reservations_by_subject ON reservations (subject, at_ms, calls);
    PRAGMA application_id = {application_id};
    PRAGMA user_version = {version};
    COMMIT;
"""

# What a decision reads: the newest row, and both indexes.
_LOOKS = (
    "SELECT subject, session_id, key, calls, units, at_ms, lease_until_ms, spent FROM reservations"
    " ORDER BY id DESC LIMIT 1",
    "SELECT spent FROM reservations WHERE session_id = '' AND key = ''",
    "SELECT calls FROM reservations WHERE subject = '' AND at_ms > 0",
)
_MEANINGS = {
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
    sqlite3.SQLITE_CORRUPT: "is damaged",
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full",
    sqlite3.SQLITE_IOERR: "cannot be read or written",
    sqlite3.SQLITE_NOTADB: "is damaged or not a ledger",
    sqlite3.SQLITE_PERM: "may not be opened",
    sqlite3.SQLITE_READONLY: "is read-only",
}


def open_ledger_file(path: Path) -> sqlite3.Connection:
    """Open or create the file.

    Raises:
        StoreUnusable: it is a directory, another program's file, or written by a newer version.
        sqlite3.Error: anything else; a busy file may be tried again, the rest is for `translate`.
    """
    if path.is_dir():
        raise StoreUnusable(f"ledger `{path}` is a directory")
    with suppress(OSError):  # SQLite says better than we can why a file cannot be made
        private_file(path)
    db = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        _prepare(db, path)
    except BaseException:
        db.close()
        raise
    return db


def translate(exc: sqlite3.Error, path: Path) -> StoreUnusable:
    """What an error of SQLite means for the ledger, in words without SQL."""
    return StoreUnusable(f"ledger `{path}` {_meaning(exc)}")


def ledger_file_fault(path: Path) -> str:
    """Why the file cannot serve as a ledger, in words without its path; empty where it can, or is still to be made."""
    try:
        for _ in range(2):
            logged = write_log_of(path).exists()
            why = _looked_at(path)
            # Without the log it was read as if nobody else were there; if somebody came meanwhile, look again.
            if not why or logged or not write_log_of(path).exists():
                return why
    except OSError as exc:
        return exc.strerror or type(exc).__name__
    return why


def _looked_at(path: Path) -> str:
    if not path.exists():
        return ""
    if path.is_dir():
        return "is a directory"
    try:
        with opened_to_look(path) as db:
            found = _identity(db)
            if found == _NEW:
                return ""
            why = _unlike_ours(found)
            for look in () if why else _LOOKS:
                db.execute(look).fetchall()
    except sqlite3.Error as exc:
        return "" if getattr(exc, "sqlite_errorcode", 0) & 0xFF in BUSY else _meaning(exc)
    return why


def _meaning(exc: sqlite3.Error) -> str:
    return _MEANINGS.get(getattr(exc, "sqlite_errorcode", 0) & 0xFF, "is unusable")


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    found = _identity(db)
    if found == _NEW:
        db.execute("PRAGMA page_size = 1024")  # a decision touches three small pages; each is written to the log whole
        db.execute("PRAGMA journal_mode = WAL")
        try:
            db.executescript(_TABLES.format(application_id=_APPLICATION_ID, version=SCHEMA_VERSION))
        except sqlite3.Error:
            # Another process may have made the tables in the meantime; the identity decides.
            if db.in_transaction:
                db.execute("ROLLBACK")
            if _identity(db)[1] != _APPLICATION_ID:
                raise
        found = _identity(db)
    why = _unlike_ours(found)
    if why:
        raise StoreUnusable(f"ledger `{path}` {why}")
    (mode,) = db.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise StoreUnusable(f"ledger `{path}` is on a disk that cannot share a write-ahead log")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA wal_autocheckpoint = 4000")  # 4 MB: the log is folded in, and the disk waited for, more rarely


def _unlike_ours(found: tuple[int, int, int]) -> str:
    version, application_id, tables = found
    if application_id != _APPLICATION_ID:
        return "belongs to another program"
    if version > SCHEMA_VERSION:
        return f"was written by a newer version ({version}, known is {SCHEMA_VERSION})"
    return "is damaged" if version != SCHEMA_VERSION or tables == 0 else ""


def _identity(db: sqlite3.Connection) -> tuple[int, int, int]:
    """Version, program and number of tables, as they stood together: another process may be making them just now."""
    db.execute("BEGIN")
    try:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        (application_id,) = db.execute("PRAGMA application_id").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").fetchone()
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
    return version, application_id, tables
