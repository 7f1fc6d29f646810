"""The conversation store: the turns of every conversation in a SQLite file, by tenant and user first."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ....kernel.stops import Action
from ...conversations import StoredTurn
from .turns_file import TurnsFile

__all__ = ["ConversationStore"]

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS turns (
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    conversation TEXT NOT NULL,
    number INTEGER NOT NULL,
    request TEXT NOT NULL,
    role TEXT NOT NULL,
    action TEXT,
    session_id TEXT,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, user, conversation, number)
) WITHOUT ROWID
"""
_LAST: Final = "SELECT coalesce(max(number), 0) FROM turns WHERE tenant = ? AND user = ? AND conversation = ?"
_KNOWN: Final = "SELECT 1 FROM turns WHERE tenant = ? AND user = ? AND conversation = ? AND request = ? LIMIT 1"
_ADD: Final = (
    "INSERT INTO turns (tenant, user, conversation, number, request, role, action, session_id, at_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_TURNS: Final = (
    "SELECT number, role, action, session_id, at_ms FROM turns"
    " WHERE tenant = ? AND user = ? AND conversation = ? ORDER BY number"
)
_LAST_ACTION: Final = (
    "SELECT action FROM turns WHERE tenant = ?1 AND user = ?2 AND conversation = ?3 AND role = 'assistant'"
    " AND number < coalesce((SELECT min(number) FROM turns"
    " WHERE tenant = ?1 AND user = ?2 AND conversation = ?3 AND request = ?4), 9223372036854775807)"
    " ORDER BY number DESC LIMIT 1"
)


class ConversationStore:
    """Remembers who spoke and how it was answered; a conversation is found by its own tenant and user alone."""

    def __init__(self, path: Path) -> None:
        self._file = TurnsFile(path, (_TABLE,))

    def add(
        self,
        tenant: str,
        user: str,
        conversation: str,
        *,
        request: str,
        action: Action,
        session_id: str | None,
        at_ms: int,
    ) -> None:
        """Add a question and its answer, as one; a request that is there already is not added again.

        Raises:
            StoreUnusable: the file cannot be written.
        """
        whose = (tenant, user, conversation)
        with self._file.opened() as db:
            db.execute("BEGIN IMMEDIATE")
            if db.execute(_KNOWN, (*whose, request)).fetchone() is None:
                (last,) = db.execute(_LAST, whose).fetchone()
                db.execute(_ADD, (*whose, last + 1, request, "user", None, session_id, at_ms))
                db.execute(_ADD, (*whose, last + 2, request, "assistant", action.value, session_id, at_ms))
            db.execute("COMMIT")

    def turns(self, tenant: str, user: str, conversation: str) -> tuple[StoredTurn, ...]:
        """Every turn, the oldest first; none where this user has no such conversation."""
        with self._file.opened() as db:
            rows = db.execute(_TURNS, (tenant, user, conversation)).fetchall()
        return tuple(
            StoredTurn(
                number=number,
                role=role,
                action=None if action is None else Action(action),
                session_id=session_id,
                at_ms=at_ms,
            )
            for number, role, action, session_id, at_ms in rows
        )

    def last_action(self, tenant: str, user: str, conversation: str, before: str | None = None) -> Action | None:
        """How the last question of a conversation was answered; `before` a request, where that is there already."""
        with self._file.opened() as db:
            row = db.execute(_LAST_ACTION, (tenant, user, conversation, before or "")).fetchone()
        return None if row is None else Action(row[0])

    def prune(self, older_than_ms: int) -> int:
        """Forget turns from before a moment, and say how many they were."""
        with self._file.opened() as db:
            return db.execute("DELETE FROM turns WHERE at_ms < ?", (older_than_ms,)).rowcount

    def forget(self, tenant: str) -> int:
        """Forget every turn of a tenant, and say how many they were."""
        with self._file.opened() as db:
            return db.execute("DELETE FROM turns WHERE tenant = ?", (tenant,)).rowcount

    def close(self) -> None:
        """Close the file."""
        self._file.close()
