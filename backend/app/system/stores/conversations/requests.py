"""The request store: which research was asked by whom, by which key, and became which session; for every process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from ....kernel.canonical import canonical_bytes, sha256_hex
from ....kernel.models import FrozenModel, Identifier
from .turns_file import TurnsFile

__all__ = ["KeyedRequest", "RequestStore", "RequestWish", "StoredRequest"]

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
_KEYED: Final = """
CREATE TABLE IF NOT EXISTS keyed_requests (
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    key TEXT NOT NULL,
    asked TEXT NOT NULL,
    request TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, user, key)
) WITHOUT ROWID
"""
# An attempt whose client has left has no request: whoever comes next names it.
_CLAIM_KEY: Final = (
    "INSERT INTO keyed_requests (tenant, user, key, asked, request, attempt, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6)"
    " ON CONFLICT (tenant, user, key) DO UPDATE SET request = ?5 WHERE keyed_requests.request = ''"
)
_KEY: Final = "SELECT asked, request, attempt FROM keyed_requests WHERE tenant = ? AND user = ? AND key = ?"
_ABANDON: Final = (
    "UPDATE keyed_requests SET attempt = attempt + 1, request = ''"
    " WHERE tenant = ? AND user = ? AND key = ? AND request = ?"
)
_RELEASE: Final = "DELETE FROM keyed_requests WHERE tenant = ? AND user = ? AND key = ?"
_OPEN_INDEX: Final = "CREATE INDEX IF NOT EXISTS open_requests ON requests (worker) WHERE ended_at_ms IS NULL"
_OPEN: Final = "SELECT DISTINCT worker FROM requests WHERE ended_at_ms IS NULL"
_GIVE_UP: Final = "UPDATE requests SET state = 'failed', ended_at_ms = ? WHERE ended_at_ms IS NULL AND worker = ?"
_INDEX: Final = "CREATE INDEX IF NOT EXISTS wishes ON requests (worker) WHERE wish IS NOT NULL AND ended_at_ms IS NULL"
# A request that is shown again begins again; one that another process still runs stays with that process.
_ADD: Final = (
    "INSERT INTO requests (request, tenant, user, worker, conversation, state, started_at_ms)"
    " VALUES (?1, ?2, ?3, ?4, ?5, 'running', ?6)"
    " ON CONFLICT (request) DO UPDATE SET worker = ?4, state = 'running', wish = NULL, ended_at_ms = NULL"
    " WHERE requests.ended_at_ms IS NOT NULL"
)
_END: Final = (
    "UPDATE requests SET state = ?, session_id = coalesce(?, session_id), ended_at_ms = ?"
    " WHERE request = ? AND worker = ?"
)
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


class KeyedRequest(FrozenModel):
    """What an idempotency key stands for."""

    request: Identifier
    """The id that every reply with this key has."""
    session_key: str
    """The key of the session; another one after a client left, because the session of that attempt was cancelled."""


class RequestStore:
    """Beside the conversations, in their file."""

    def __init__(self, path: Path, worker: str, is_gone: Callable[[str], bool] = lambda worker: False) -> None:
        """`worker` names this process among those that share the file; `is_gone` says which of them has ended."""
        self._file = TurnsFile(path, (_TABLE, _INDEX, _OPEN_INDEX, _KEYED, _CHORES))
        self._worker = worker
        self._is_gone = is_gone

    def begin(self, request: str, tenant: str, user: str, conversation: str | None, at_ms: int) -> None:
        """A request that this process took on.

        Raises:
            StoreUnusable: the file cannot be written; so do all others.
        """
        row = (request, tenant, user, self._worker, conversation, at_ms)
        with self._file.opened() as db:
            known = db.execute(_ADD, row).rowcount == 0
        if known:
            self.give_up_gone(at_ms)
            with self._file.opened() as db:
                db.execute(_ADD, row)

    def end(self, request: str, state: str, session_id: str | None, at_ms: int) -> None:
        """How a request of this process ended."""
        with self._file.opened() as db:
            db.execute(_END, (state, session_id, at_ms, request, self._worker))

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

    def give_up_gone(self, at_ms: int) -> int:
        """End what processes that are gone have left, and say how many requests they were."""
        with self._file.opened() as db:
            workers = [worker for (worker,) in db.execute(_OPEN) if worker != self._worker]
        left = [worker for worker in workers if self._is_gone(worker)]
        if not left:
            return 0
        with self._file.opened() as db:
            return sum(db.execute(_GIVE_UP, (at_ms, worker)).rowcount for worker in left)

    def keyed(self, tenant: str, user: str, key: str, asked: str, request: str, at_ms: int) -> KeyedRequest | None:
        """The request that a key stands for, `request` where it is new; None where it belongs to another question.
        `asked` is the digest of the question."""
        owner = (tenant, user, sha256_hex(key.encode()))
        with self._file.opened() as db:
            db.execute(_CLAIM_KEY, (*owner, asked, request, at_ms))
            found = db.execute(_KEY, owner).fetchone()
        if found[0] != asked:
            return None
        # Hashed, so that no key of a client is one that the product makes, such as that of a turn of a conversation.
        session_key = sha256_hex(canonical_bytes(["again", key, found[2]]))
        return KeyedRequest(request=found[1] or request, session_key=session_key)

    def abandon(self, tenant: str, user: str, key: str, request: str) -> None:
        """The client of a keyed request left before there was a reply: the next one with this key begins anew."""
        with self._file.opened() as db:
            db.execute(_ABANDON, (tenant, user, sha256_hex(key.encode()), request))

    def release(self, tenant: str, user: str, key: str) -> None:
        """The request of a key was refused for its arguments: the key is as if it had not been used."""
        with self._file.opened() as db:
            db.execute(_RELEASE, (tenant, user, sha256_hex(key.encode())))

    def prune(self, older_than_ms: int) -> int:
        """Forget requests from before a moment, and say how many they were."""
        with self._file.opened() as db:
            db.execute("DELETE FROM keyed_requests WHERE at_ms < ?", (older_than_ms,))
            return db.execute("DELETE FROM requests WHERE started_at_ms < ?", (older_than_ms,)).rowcount

    def forget(self, tenant: str) -> int:
        """Forget every request of a tenant, and say how many they were."""
        with self._file.opened() as db:
            db.execute("DELETE FROM keyed_requests WHERE tenant = ?", (tenant,))
            return db.execute("DELETE FROM requests WHERE tenant = ?", (tenant,)).rowcount

    def claim(self, chore: str, at_ms: int, every_ms: int) -> bool:
        """True for the one process that is to do a chore now."""
        with self._file.opened() as db:
            return db.execute(_CLAIM, (chore, at_ms, every_ms)).rowcount == 1

    def close(self) -> None:
        """Close the file."""
        self._file.close()
