"""A journal in memory: for tests and for hosts that want no record on disk beyond this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from ....kernel.errors import StoreBusy, StoreUnusable
from ....kernel.journal_records import Recalled
from ....kernel.ports import FoundSession

__all__ = ["MemoryJournal"]

_SESSIONS_KEPT: Final = 256


@dataclass
class _KeptSession:
    tenant: str
    lines: list[bytes] = field(default_factory=list)
    closed: bool = False
    changed_ms: int = field(default_factory=lambda: time.time_ns() // 1_000_000)


class MemoryJournal:
    """Keeps the lines of the last sessions; the oldest closed session makes room."""

    def __init__(self, keep: int = _SESSIONS_KEPT) -> None:
        self._keep = keep
        self._sessions: dict[str, _KeptSession] = {}
        self._held: dict[str, None] = {}
        self._failed: dict[str, str] = {}

    async def begin(self, tenant: str, session_id: str, *, keyed: bool = False) -> None:
        """Make room for a new session."""
        if session_id in self._sessions:
            raise StoreBusy(f"session `{session_id}` exists already")
        self._sessions[session_id] = _KeptSession(tenant)
        self._held[session_id] = None

    async def recall(self, tenant: str, session_id: str) -> Recalled | None:
        """What was written of a session; one that is open is held from here on."""
        kept = self._sessions.get(session_id)
        if kept is None or kept.tenant != tenant:
            return None
        if session_id in self._held:
            raise StoreBusy(f"session `{session_id}` is running")
        if not kept.closed:
            self._held[session_id] = None
        return Recalled(tuple(kept.lines), kept.closed)

    def append(self, session_id: str, line: bytes) -> None:
        """Add a line to a session."""
        if session_id not in self._held:
            self._failed.setdefault(session_id, f"session `{session_id}` is not open in this journal")
            return
        kept = self._sessions[session_id]
        kept.lines.append(line)
        kept.changed_ms = time.time_ns() // 1_000_000

    async def flush(self, session_id: str) -> None:
        """What was appended is there, unless the session was not open."""
        why = self._failed.get(session_id)
        if why is not None:
            raise StoreUnusable(why)

    def close(self, session_id: str) -> None:
        """No line follows."""
        self.abandon(session_id)
        kept = self._sessions.pop(session_id)
        kept.closed = True
        self._sessions[session_id] = kept  # behind those that were closed before
        closed = [name for name, one in self._sessions.items() if one.closed]
        for oldest in closed[: max(0, len(closed) - self._keep)]:
            del self._sessions[oldest]

    def abandon(self, session_id: str) -> None:
        """Let go of a session without closing it."""
        self._held.pop(session_id, None)
        self._failed.pop(session_id, None)

    async def discard(self, session_id: str) -> None:
        """Delete a session that was begun and never opened."""
        self.abandon(session_id)
        del self._sessions[session_id]

    def open_sessions(self) -> Iterator[FoundSession]:
        """Every session that has not ended."""
        return iter([found for found in self._found() if not found.closed])

    def closed_sessions(self, newest_first: bool = True) -> Iterator[FoundSession]:
        """Every session that has ended and is still kept."""
        closed = [found for found in self._found() if found.closed]
        return iter(closed[::-1] if newest_first else closed)

    def find(self, session_id: str) -> FoundSession | None:
        """A session by its id."""
        return next((found for found in self._found() if found.session_id == session_id), None)

    def count(self) -> int:
        """How many sessions have ended and are still here."""
        return sum(kept.closed for kept in self._sessions.values())

    def read(self, found: FoundSession) -> tuple[FoundSession, tuple[bytes, ...]] | None:
        """The lines of a session; None where it was removed."""
        kept = self._sessions.get(found.session_id)
        if kept is None:
            return None
        return FoundSession(kept.tenant, found.session_id, kept.closed), tuple(kept.lines)

    def hold(self, found: FoundSession) -> bool:
        """Take over an open session that its writer has let go of."""
        kept = self._sessions.get(found.session_id)
        if kept is None or kept.closed or found.session_id in self._held:
            return False
        self._held[found.session_id] = None
        return True

    def amend(self, found: FoundSession, write: Callable[[tuple[bytes, ...]], bytes | None]) -> bool:
        """Add a line behind the end of a closed session; False where it was removed meanwhile."""
        kept = self._sessions.get(found.session_id)
        if kept is None:
            return False
        line = write(tuple(kept.lines))
        if line is not None:
            kept.lines.append(line)
            kept.changed_ms = time.time_ns() // 1_000_000
        return True

    def untouched(self, found: FoundSession, before_ms: int) -> bool:
        """True if the session is there and nothing was added to it since a moment."""
        kept = self._sessions.get(found.session_id)
        return kept is not None and kept.changed_ms < before_ms

    def remove(self, found: FoundSession, before_ms: int) -> bool:
        """Delete a closed session if nothing was added to it since a moment; False where it stays or is gone."""
        if not self.untouched(found, before_ms) or not self._sessions[found.session_id].closed:
            return False
        del self._sessions[found.session_id]
        return True

    def lines(self, session_id: str) -> tuple[bytes, ...]:
        """What was written of a session."""
        kept = self._sessions.get(session_id)
        return () if kept is None else tuple(kept.lines)

    def is_closed(self, session_id: str) -> bool:
        """True if the session has come to its end."""
        kept = self._sessions.get(session_id)
        return kept is not None and kept.closed

    def _found(self) -> Iterator[FoundSession]:
        return (FoundSession(kept.tenant, name, kept.closed) for name, kept in self._sessions.items())
