"""Sources of earlier turns as a port: what a conversation has shown before, from the record of its sessions (R35)."""

from __future__ import annotations

from typing import Protocol

from ..conversation import SourceOfTurn
from ..results import RawItem

__all__ = ["EarlierSources"]


class EarlierSources(Protocol):
    """Looks only into sessions of one tenant, user and conversation that ended in SUCCESS_COMPLETED."""

    def find(self, tenant: str, user: str, conversation: str, wanted: SourceOfTurn) -> RawItem | None:
        """The item behind a source as its tool had found it; None where there is none, or it was erased.

        Raises:
            StoreUnusable: the record of the turn cannot be read.
        """
        ...
