"""Where a session's new lines and objects are written to; a replay writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ...kernel.canonical import sha256_hex
from ...kernel.ports import ContentStore, Journal

__all__ = ["NoWriter", "SessionWriter", "StoreWriter"]


class SessionWriter(Protocol):
    """Where new lines and objects go. `append` and `keep` return at once; the two awaited methods say what is safe."""

    async def begin(self) -> None: ...

    def append(self, line: bytes) -> None: ...

    def keep(self, data: bytes) -> str: ...

    async def stored(self, digests: Sequence[str]) -> None: ...

    async def written(self) -> None: ...

    def close(self) -> None: ...

    def abandon(self) -> None: ...


@dataclass(frozen=True, slots=True)
class StoreWriter:
    """Writes one session into journal and content store."""

    journal: Journal
    store: ContentStore
    tenant: str
    session_id: str
    held: bool = False
    """True if the journal already made us the writer of the session."""

    async def begin(self) -> None:
        """Make room for the lines of a new session."""
        if not self.held:
            await self.journal.begin(self.tenant, self.session_id)

    def append(self, line: bytes) -> None:
        """Add a line."""
        self.journal.append(self.session_id, line)

    def keep(self, data: bytes) -> str:
        """Store an object."""
        return self.store.put(self.tenant, data)

    async def stored(self, digests: Sequence[str]) -> None:
        """Return when these objects are safe."""
        await self.store.flush(self.tenant, digests)

    async def written(self) -> None:
        """Return when every line is safe."""
        await self.journal.flush(self.session_id)

    def close(self) -> None:
        """No line follows."""
        self.journal.close(self.session_id)

    def abandon(self) -> None:
        """Let go of a session that could not be closed; the next start closes it."""
        self.journal.abandon(self.session_id)


class NoWriter:
    """For replay, which writes nothing."""

    async def begin(self) -> None:
        """Begins nothing."""

    def append(self, line: bytes) -> None:
        """Drops the line."""

    def keep(self, data: bytes) -> str:
        """Only names the object."""
        return sha256_hex(data)

    async def stored(self, digests: Sequence[str]) -> None:
        """Has nothing to wait for."""

    async def written(self) -> None:
        """Has nothing to wait for."""

    def close(self) -> None:
        """Closes nothing."""

    def abandon(self) -> None:
        """Leaves nothing."""
