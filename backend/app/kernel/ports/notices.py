"""The operator"s log as a port."""

from __future__ import annotations

from typing import Protocol

from ..results import LocatedFinding

__all__ = ["Notices"]


class Notices(Protocol):
    """Lines for the operator's log: codes, numbers, fixed words, names of documents; never a word of a request."""

    def refused(self, reason: str, *, callers_mistake: bool) -> None: ...

    def blocked(self, session_id: str, findings: tuple[LocatedFinding, ...]) -> None: ...
