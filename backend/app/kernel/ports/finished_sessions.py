"""Finished sessions as a port: what one of the caller's own sessions rested on, under the numbers that it showed."""

from __future__ import annotations

from typing import Protocol

from ..models import FrozenModel, Text
from ..request import Principal

__all__ = ["FinishedSessions", "ShownSources"]


class ShownSources(FrozenModel):
    """The texts that a session cited, first is number 1, each with its title; and the parts of its question."""

    texts: tuple[tuple[Text, Text], ...]
    labels: tuple[Text, ...] = ()


class FinishedSessions(Protocol):
    """Looks only into sessions of the principal's own tenant and user that ended in SUCCESS_COMPLETED."""

    def shown(self, principal: Principal, session_id: str) -> ShownSources | None:
        """What a session showed; None where there is no such session for this principal, or its content was erased."""
        ...
