"""The store of worded answers: which text of the operator's model was the answer of a session, by its digest (R33)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ....kernel.models import FrozenModel, Text
from .turns_file import TurnsFile

__all__ = ["WordedStore", "WordedTurn"]

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS worded (
    tenant TEXT NOT NULL,
    session_id TEXT NOT NULL,
    written TEXT NOT NULL,
    model TEXT NOT NULL,
    PRIMARY KEY (tenant, session_id)
) WITHOUT ROWID
"""
_ADD: Final = "INSERT OR IGNORE INTO worded (tenant, session_id, written, model) VALUES (?, ?, ?, ?)"
_FIND: Final = "SELECT written, model FROM worded WHERE tenant = ? AND session_id = ?"
_FORGET_ONE: Final = "DELETE FROM worded WHERE tenant = ? AND session_id = ?"
_OTHERS: Final = "SELECT 1 FROM worded WHERE tenant = ? AND written = ? LIMIT 1"


class WordedTurn(FrozenModel):
    """How the answer of a session was worded."""

    written: Text
    """The digest of what the model wrote, in the content store; empty where the sentences of the sources were shown."""
    model: Text


class WordedStore:
    """Beside the conversations, in their file; it holds digests, the texts lie in the content store."""

    def __init__(self, path: Path) -> None:
        self._file = TurnsFile(path, (_TABLE,))

    def add(self, tenant: str, session_id: str, turn: WordedTurn) -> WordedTurn:
        """Keep how an answer was worded; gives what is kept, which is the first that came.

        Raises:
            StoreUnusable: the file cannot be used; so do all others.
        """
        with self._file.opened() as db:
            db.execute(_ADD, (tenant, session_id, turn.written, turn.model))
            written, model = db.execute(_FIND, (tenant, session_id)).fetchone()
        return WordedTurn(written=written, model=model)

    def find(self, tenant: str, session_id: str) -> WordedTurn | None:
        """How the answer of a session was worded; None where no model was asked."""
        with self._file.opened() as db:
            row = db.execute(_FIND, (tenant, session_id)).fetchone()
        return None if row is None else WordedTurn(written=row[0], model=row[1])

    def written(self, tenant: str) -> frozenset[str]:
        """The digests of all texts of a tenant."""
        with self._file.opened() as db:
            rows = db.execute("SELECT DISTINCT written FROM worded WHERE tenant = ?", (tenant,)).fetchall()
        return frozenset(written for (written,) in rows if written)

    def forget_session(self, tenant: str, session_id: str) -> str | None:
        """Forget a session; gives the digest of its text if no other session has the same."""
        with self._file.opened() as db:
            db.execute("BEGIN IMMEDIATE")
            row = db.execute(_FIND, (tenant, session_id)).fetchone()
            db.execute(_FORGET_ONE, (tenant, session_id))
            shared = row is not None and db.execute(_OTHERS, (tenant, row[0])).fetchone() is not None
            db.execute("COMMIT")
        return None if row is None or shared or not row[0] else str(row[0])

    def forget(self, tenant: str) -> int:
        """Forget every session of a tenant, and say how many they were."""
        with self._file.opened() as db:
            return db.execute("DELETE FROM worded WHERE tenant = ?", (tenant,)).rowcount

    def close(self) -> None:
        """Close the file."""
        self._file.close()
