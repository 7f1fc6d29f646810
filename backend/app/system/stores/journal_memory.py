"""A journal in memory: the last sessions of this process, for tests and until a durable one is wired in."""

from __future__ import annotations

from typing import Final

from ...kernel.canonical import canonical_bytes
from ...kernel.records import Record

__all__ = ["MemoryJournal"]

_SESSIONS_KEPT: Final = 256


class MemoryJournal:
    """Keeps the canonical lines of the last sessions; the oldest closed session makes room."""

    def __init__(self, keep: int = _SESSIONS_KEPT) -> None:
        self._keep = keep
        self._lines: dict[str, list[bytes]] = {}
        self._closed: dict[str, None] = {}

    def append(self, session_id: str, record: Record) -> None:
        """Add a line to a session."""
        step = type(record).__name__.encode()
        line = b'{"facts":' + canonical_bytes(record) + b',"step":"' + step + b'"}'
        self._lines.setdefault(session_id, []).append(line)

    def close(self, session_id: str) -> None:
        """No line follows."""
        self._closed[session_id] = None
        while len(self._closed) > self._keep:
            oldest = next(iter(self._closed))
            del self._closed[oldest]
            self._lines.pop(oldest, None)

    def lines(self, session_id: str) -> tuple[bytes, ...]:
        """What was written of a session."""
        return tuple(self._lines.get(session_id, ()))

    def is_closed(self, session_id: str) -> bool:
        """Whether the session has come to its end."""
        return session_id in self._closed
