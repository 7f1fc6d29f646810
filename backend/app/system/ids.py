"""Fresh ids from the machine's random source."""

from __future__ import annotations

import uuid

__all__ = ["RandomIds"]


class RandomIds:
    """Session ids as UUIDv4; they are inputs of a session, never derived from it."""

    def session_id(self) -> str:
        """A new session id."""
        return str(uuid.uuid4())
