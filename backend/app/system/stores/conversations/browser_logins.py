"""The login store: which browsers are signed in to the console, for every process of a server."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ....kernel.models import Digest, FrozenModel
from ...api_keys import KeyId
from .turns_file import TurnsFile

__all__ = ["LoginStore", "StoredLogin"]

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS logins (
    cookie TEXT PRIMARY KEY,
    key_id TEXT NOT NULL,
    token TEXT NOT NULL,
    since_ms INTEGER NOT NULL,
    seen_ms INTEGER NOT NULL
) WITHOUT ROWID
"""
_ADD: Final = "INSERT INTO logins (cookie, key_id, token, since_ms, seen_ms) VALUES (?, ?, ?, ?, ?)"
_FIND: Final = "SELECT cookie, key_id, token, since_ms, seen_ms FROM logins WHERE cookie = ?"


class StoredLogin(FrozenModel):
    """One browser: the digest of its cookie, the key behind it, and the token of its forms."""

    cookie: Digest
    key_id: KeyId
    token: str
    since_ms: int
    seen_ms: int


class LoginStore:
    """Beside the conversations, in their file; neither a key nor a cookie stands in it."""

    def __init__(self, path: Path) -> None:
        self._file = TurnsFile(path, (_TABLE,))

    def add(self, login: StoredLogin) -> None:
        """Keep a login.

        Raises:
            StoreUnusable: the file cannot be written; so do all others.
        """
        with self._file.opened() as db:
            db.execute(_ADD, (login.cookie, login.key_id, login.token, login.since_ms, login.seen_ms))

    def find(self, cookie: str) -> StoredLogin | None:
        """The login under the digest of a cookie."""
        with self._file.opened() as db:
            row = db.execute(_FIND, (cookie,)).fetchone()
        return (
            None if row is None else StoredLogin.model_validate(dict(zip(StoredLogin.model_fields, row, strict=True)))
        )

    def seen(self, cookie: str, at_ms: int) -> None:
        """It was used."""
        with self._file.opened() as db:
            db.execute("UPDATE logins SET seen_ms = ? WHERE cookie = ?", (at_ms, cookie))

    def remove(self, cookie: str) -> None:
        """Forget one."""
        with self._file.opened() as db:
            db.execute("DELETE FROM logins WHERE cookie = ?", (cookie,))

    def prune(self, since_before_ms: int, seen_before_ms: int) -> int:
        """Forget those that have run out, and say how many they were."""
        with self._file.opened() as db:
            done = db.execute("DELETE FROM logins WHERE since_ms < ? OR seen_ms < ?", (since_before_ms, seen_before_ms))
            return done.rowcount

    def close(self) -> None:
        """Close the file."""
        self._file.close()
