"""The request store: which research was asked by whom and became which session, for every process of a server."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from ....kernel.models import FrozenModel, Identifier
from .turns_file import TurnsFile

__all__ = ["RequestStore", "RequestWish", "StoredRequest"]

RequestWish = Literal["finish", "cancel"]
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS requests (
    request TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    worker TEXT NOT NULL,
    conversation TEXT,
    session_id TEXT,
    state TEXT NOT NULL,
    wish TEXT,
    started_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER
) WITHOUT ROWID
"""
_INDEX: Final = "CREATE INDEX IF NOT EXISTS wishes ON requests (worker) WHERE wish IS NOT NULL AND ended_at_ms IS NULL"
_ADD: Final = (
    "INSERT OR REPLACE INTO requests (request, tenant, user, worker, conversation, state, started_at_ms)"
    " VALUES (?, ?, ?, ?, ?, 'running', ?)"
)
_END: Final = "UPDATE requests SET state = ?, session_id = coalesce(?, session_id), ended_at_ms = ? WHERE request = ?"
_FIND: Final = (
    "SELECT request, tenant, user, conversation, session_id, state, started_at_ms, ended_at_ms"
    " FROM requests WHERE request = ? AND tenant = ?"
)
_WISH: Final = "UPDATE requests SET wish = ? WHERE request = ? AND ended_at_ms IS NULL"
_WISHES: Final = "SELECT request, wish FROM requests WHERE worker = ? AND wish IS NOT NULL AND ended_at_ms IS NULL"
_CHORES: Final = "CREATE TABLE IF NOT EXISTS chores (name TEXT PRIMARY KEY, at_ms INTEGER NOT NULL) WITHOUT ROWID"
_CLAIM: Final = (
    "INSERT INTO chores (name, at_ms) VALUES (?1, ?2)"
    " ON CONFLICT (name) DO UPDATE SET at_ms = ?2 WHERE chores.at_ms <= ?2 - ?3"
)


class StoredRequest(FrozenModel):
    """One request, as every process knows it."""

    request: Identifier
    tenant: Identifier
    user: Identifier
    conversation: Identifier | None
    session_id: Identifier | None
    state: Literal["running", "ended", "cancelled", "failed"]
    started_at_ms: int
    ended_at_ms: int | None


class RequestStore:
    """Beside the conversations, in their file."""

    def __init__(self, path: Path, worker: str) -> None:
        """`worker` names this process among those that share the file."""
        self._file = TurnsFile(path, (_TABLE, _INDEX, _CHORES))
        self._worker = worker

    def begin(self, request: str, tenant: str, user: str, conversation: str | None, at_ms: int) -> None:
        """A request that this process took on.

        Raises:
            StoreUnusable: the file cannot be written; so do all others.
        """
        with self._file.opened() as db:
            db.execute(_ADD, (request, tenant, user, self._worker, conversation, at_ms))

    def end(self, request: str, state: str, session_id: str | None, at_ms: int) -> None:
        """How a request ended."""
        with self._file.opened() as db:
            db.execute(_END, (state, session_id, at_ms, request))

    def find(self, request: str, tenant: str) -> StoredRequest | None:
        """A request of a tenant."""
        with self._file.opened() as db:
            row = db.execute(_FIND, (request, tenant)).fetchone()
        if row is None:
            return None
        return StoredRequest.model_validate(dict(zip(StoredRequest.model_fields, row, strict=True)))

    def wish(self, request: str, wish: RequestWish) -> None:
        """Ask the process that runs a request to end it; one that has ended stays as it is."""
        with self._file.opened() as db:
            db.execute(_WISH, (wish, request))

    def wishes(self) -> tuple[tuple[str, str], ...]:
        """Requests of this process that another one was asked to end, and how."""
        with self._file.opened() as db:
            return tuple(db.execute(_WISHES, (self._worker,)))

    def give_up(self, at_ms: int) -> None:
        """End what a process that is gone has left; only who starts the processes may say so."""
        with self._file.opened() as db:
            db.execute("UPDATE requests SET state = 'failed', ended_at_ms = ? WHERE ended_at_ms IS NULL", (at_ms,))

    def prune(self, older_than_ms: int) -> int:
        """Forget requests from before a moment, and say how many they were."""
        with self._file.opened() as db:
            return db.execute("DELETE FROM requests WHERE started_at_ms < ?", (older_than_ms,)).rowcount

    def forget(self, tenant: str) -> int:
        """Forget every request of a tenant, and say how many they were."""
        with self._file.opened() as db:
            return db.execute("DELETE FROM requests WHERE tenant = ?", (tenant,)).rowcount

    def claim(self, chore: str, at_ms: int, every_ms: int) -> bool:
        """True for the one process that is to do a chore now."""
        with self._file.opened() as db:
            return db.execute(_CLAIM, (chore, at_ms, every_ms)).rowcount == 1

    def close(self) -> None:
        """Close the file."""
        self._file.close()
