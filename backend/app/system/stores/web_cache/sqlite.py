"""The cache of fetched responses: one SQLite file per tenant, bounded, and of no consequence when it is lost."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import OrderedDict
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from ....kernel.models import Identifier
from ....parsing.http.exchange import StoredResponse
from ...private_files import private_file, private_folder

__all__ = ["SqliteWebCache"]

T = TypeVar("T")

_VERSION: Final = 1
_OPEN_AT_ONCE: Final = 16
_PATIENCE_S: Final = 2.0  # erasing waits for a lock, unlike everybody else
_IDENTIFIER: Final = TypeAdapter[str](Identifier)
# The body stands last and the index holds all that making room asks for, so that no body is read for another's sake.
_TABLES: Final = (
    """
    CREATE TABLE IF NOT EXISTS responses (
        key TEXT PRIMARY KEY,
        url TEXT NOT NULL,
        fields TEXT NOT NULL,
        digest TEXT NOT NULL,
        size INTEGER NOT NULL,
        stored_at_ms INTEGER NOT NULL,
        fresh_until_ms INTEGER NOT NULL,
        body BLOB NOT NULL
    ) STRICT
    """,
    "CREATE INDEX IF NOT EXISTS responses_by_age ON responses (stored_at_ms, key, size)",
)


class _Handle(NamedTuple):
    """An open file, and which one it was: a name can come to mean another file."""

    db: sqlite3.Connection
    file: tuple[int, int]


class SqliteWebCache:
    """Responses under `<folder>/<tenant>/responses.sqlite3`.

    A cache never fails a fetch: a file that is locked, damaged, full or from another version is an empty one.
    """

    def __init__(self, folder: Path, max_bytes_per_tenant: int = 256_000_000) -> None:
        self._folder = folder
        self._max_bytes = max_bytes_per_tenant
        self._open: OrderedDict[str, _Handle] = OrderedDict()
        self._lock = Lock()  # held for one transaction, for hosts with several threads

    def get(self, tenant: str, key: str) -> StoredResponse | None:
        """The stored response, if its bytes are still those that were stored."""
        return self._tried(tenant, lambda db: _read(db, key))

    def put(self, tenant: str, key: str, response: StoredResponse) -> None:
        """Store a response; the oldest make room for it."""
        self._tried(tenant, lambda db: self._write(db, key, response))

    def forget(self, tenant: str) -> None:
        """Erase everything of a tenant (R20), also for those who have its file open."""
        with self._lock:
            self._let_go(_safe(tenant))
        # An open file outlives its name, so it is emptied first. One that cannot be is still left by its other users,
        # who look whether the name means their file.
        if self._path(tenant).is_file():
            with suppress(sqlite3.Error):
                _empty(self._path(tenant))
        for ending in ("", "-journal", "-wal", "-shm"):
            (self._path(tenant).with_name(f"responses.sqlite3{ending}")).unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the files."""
        with self._lock:
            while self._open:
                self._open.popitem()[1].db.close()

    def _path(self, tenant: str) -> Path:
        return self._folder / _safe(tenant) / "responses.sqlite3"

    def _tried(self, tenant: str, work: Callable[[sqlite3.Connection], T]) -> T | None:
        with self._lock:
            try:
                return work(self._connection(tenant))
            except (sqlite3.Error, OSError):
                # Opened again next time: another process may have put a sound file there.
                self._let_go(_safe(tenant))
                return None

    def _let_go(self, name: str) -> None:
        known = self._open.pop(name, None)
        if known is not None:
            known.db.close()

    def _connection(self, tenant: str) -> sqlite3.Connection:
        name = _safe(tenant)
        path = self._path(tenant)
        known = self._open.get(name)
        if known is not None:
            # Erased by another process: what would be written to the old file, no later erasing could find.
            if known.file == _file_at(path):
                self._open.move_to_end(name)
                return known.db
            self._let_go(name)
        private_folder(path.parent)
        private_file(path)
        file = _file_at(path)
        # Nobody waits for a cache: a lock that another process holds is a miss.
        db = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            _prepare(db)
            if file is None or file != _file_at(path):
                raise sqlite3.OperationalError("erased while it was opened")
        except (sqlite3.Error, OSError):
            db.close()
            raise
        self._open[name] = _Handle(db, file)
        if len(self._open) > _OPEN_AT_ONCE:
            self._open.popitem(last=False)[1].db.close()
        return db

    def _write(self, db: sqlite3.Connection, key: str, response: StoredResponse) -> None:
        fields = json.dumps(response.fields)
        size = len(response.body) + len(fields) + len(response.url)
        if size > self._max_bytes:
            return
        values = (key, response.url, fields, hashlib.sha256(response.body).hexdigest(), size)
        with _Transaction(db):
            db.execute("DELETE FROM responses WHERE key = ?", (key,))
            (held,) = db.execute("SELECT coalesce(sum(size), 0) FROM responses").fetchone()
            oldest = "SELECT key, size FROM responses ORDER BY stored_at_ms, key"
            for old, freed in db.execute(oldest).fetchall() if held + size > self._max_bytes else ():
                db.execute("DELETE FROM responses WHERE key = ?", (old,))
                held -= freed
                if held + size <= self._max_bytes:
                    break
            times = (response.stored_at_ms, response.fresh_until_ms)
            db.execute("INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*values, *times, response.body))


class _Transaction:
    """All or nothing, and never a transaction left open."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        if self._db.in_transaction:
            self._db.execute("COMMIT" if kind is None else "ROLLBACK")


def _file_at(path: Path) -> tuple[int, int] | None:
    """Which file a name means now."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _empty(path: Path) -> None:
    """Take every row out, its bytes with it: they would stay in the file's free pages."""
    with closing(sqlite3.connect(path, timeout=_PATIENCE_S, isolation_level=None)) as db:
        db.execute("PRAGMA secure_delete = ON")
        db.execute("DELETE FROM responses")


def _prepare(db: sqlite3.Connection) -> None:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version not in (0, _VERSION):
        raise sqlite3.DatabaseError("written by another version")
    db.execute("PRAGMA synchronous = OFF")  # losing it costs a fetch
    for table in _TABLES:
        db.execute(table)
    db.execute(f"PRAGMA user_version = {_VERSION}")


def _read(db: sqlite3.Connection, key: str) -> StoredResponse | None:
    wanted = "SELECT url, fields, body, digest, stored_at_ms, fresh_until_ms FROM responses WHERE key = ?"
    row = db.execute(wanted, (key,)).fetchone()
    if row is None:
        return None
    url, fields, body, digest, stored_at_ms, fresh_until_ms = row
    try:
        pairs = tuple((str(name), str(value)) for name, value in json.loads(fields))
    except (ValueError, TypeError):
        return None
    if hashlib.sha256(body).hexdigest() != digest:
        return None
    return StoredResponse(url, pairs, body, stored_at_ms, fresh_until_ms)


def _safe(tenant: str) -> str:
    """A tenant's name becomes a folder's name, so it must not lead anywhere else."""
    try:
        return _IDENTIFIER.validate_python(tenant, strict=True)
    except ValidationError as exc:
        raise ValueError("the tenant is not an identifier") from exc
