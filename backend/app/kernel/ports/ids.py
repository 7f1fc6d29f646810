"""Fresh ids as a port."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Ids"]


class Ids(Protocol):
    """Fresh session ids (UUIDv4), journalled as inputs."""

    def session_id(self) -> str: ...
