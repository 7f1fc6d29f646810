"""The journal as a port: the lines of sessions, written behind, and found again by whoever looks back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from ..journal_records import Recalled

__all__ = ["FoundSession", "Journal"]


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A session that a journal holds; `place` is the store's own note of where, which nobody else reads."""

    tenant: str
    session_id: str
    closed: bool
    place: str = ""


class Journal(Protocol):
    """The lines of sessions: codes, hashes, lengths and numbers, never question or source text.

    Writing: `append` returns at once and never fails; `flush` says whether all lines so far are safe. Behind a line
    that could not be written there is never another. One session has one writer, until it is closed, let go or, where
    it was never opened, discarded. Looking back may wait and belongs into a thread or a command of its own.

    Raises:
        StoreUnusable: the journal is damaged or full.
        StoreBusy: another process writes this session.
    """

    async def begin(self, tenant: str, session_id: str, *, keyed: bool = False) -> None:
        """Make room for the lines of a new session and become its writer."""
        ...

    async def recall(self, tenant: str, session_id: str) -> Recalled | None:
        """What was written of a session; whoever recalls an open one is its writer from here on."""
        ...

    def append(self, session_id: str, line: bytes) -> None:
        """Begin to write a line."""
        ...

    async def flush(self, session_id: str) -> None:
        """Return when all lines of this session are safe; raise if one could not be written."""
        ...

    def close(self, session_id: str) -> None:
        """The session has ended: no line follows."""
        ...

    def abandon(self, session_id: str) -> None:
        """Let go of a session without closing it; the next start closes it, or whoever has its key goes on."""
        ...

    async def discard(self, session_id: str) -> None:
        """Delete a session that was begun and never opened."""
        ...

    def open_sessions(self) -> Iterator[FoundSession]:
        """Every session that has not ended, its writer alive or not."""
        ...

    def closed_sessions(self, newest_first: bool = True) -> Iterator[FoundSession]:
        """Every session that has ended, by the time of its end."""
        ...

    def find(self, session_id: str) -> FoundSession | None:
        """A session by its id, whoever's it is."""
        ...

    def count(self) -> int:
        """How many sessions have ended and are still here."""
        ...

    def read(self, found: FoundSession) -> tuple[FoundSession, tuple[bytes, ...]] | None:
        """The lines of a session, also where it was closed since it was found; None where it was removed."""
        ...

    def hold(self, found: FoundSession) -> bool:
        """Become the writer of an open session whose writer is gone; False where it lives or has just closed it."""
        ...

    def amend(self, found: FoundSession, write: Callable[[tuple[bytes, ...]], bytes | None]) -> bool:
        """Add the line that `write` makes of the lines of a closed session; False where it was removed meanwhile."""
        ...

    def untouched(self, found: FoundSession, before_ms: int) -> bool:
        """True if the session is there and nothing was added to it since a moment."""
        ...

    def remove(self, found: FoundSession, before_ms: int) -> bool:
        """Delete a closed session if nothing was added to it since a moment; False where it stays or is gone."""
        ...
