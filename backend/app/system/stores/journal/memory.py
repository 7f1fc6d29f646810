"""A journal in memory: for tests and for hosts that want no record on disk beyond this process."""

from __future__ import annotations

from typing import Final

from ....kernel.errors import StoreBusy, StoreUnusable
from ....kernel.journal_records import Recalled

__all__ = ["MemoryJournal"]

_SESSIONS_KEPT: Final = 256


class MemoryJournal:
    """Keeps the lines of the last sessions; the oldest closed session makes room."""

    def __init__(self, keep: int = _SESSIONS_KEPT) -> None:
        self._keep = keep
        self._lines: dict[str, list[bytes]] = {}
        self._closed: dict[str, None] = {}
        self._held: dict[str, None] = {}

    def begin(self, tenant: str, session_id: str, *, keyed: bool = False) -> None:
        """Make room for a new session."""
        if session_id in self._lines:
            raise StoreBusy(f"session `{session_id}` exists already")
        self._lines[session_id] = []
        self._held[session_id] = None

    def recall(self, tenant: str, session_id: str) -> Recalled | None:
        """What was written of a session; one that is open is held from here on."""
        if session_id not in self._lines:
            return None
        if session_id in self._held:
            raise StoreBusy(f"session `{session_id}` is running")
        if not self.is_closed(session_id):
            self._held[session_id] = None
        return Recalled(self.lines(session_id), self.is_closed(session_id))

    def append(self, session_id: str, line: bytes) -> None:
        """Add a line to a session."""
        if session_id not in self._held:
            raise StoreUnusable(f"session `{session_id}` is not open")
        self._lines[session_id].append(line)

    def close(self, session_id: str) -> None:
        """No line follows."""
        self.abandon(session_id)
        self._closed[session_id] = None
        while len(self._closed) > self._keep:
            oldest = next(iter(self._closed))
            del self._closed[oldest]
            self._lines.pop(oldest, None)

    def abandon(self, session_id: str) -> None:
        """Let go of a session without closing it."""
        self._held.pop(session_id, None)

    def discard(self, session_id: str) -> None:
        """Take away an open session that was never opened."""
        self.abandon(session_id)
        del self._lines[session_id]

    def lines(self, session_id: str) -> tuple[bytes, ...]:
        """What was written of a session."""
        return tuple(self._lines.get(session_id, ()))

    def is_closed(self, session_id: str) -> bool:
        """Whether the session has come to its end."""
        return session_id in self._closed
