"""Openings that are refused: the operator's log says why, in words of ours alone (R14)."""

from __future__ import annotations

from types import TracebackType

from ..kernel.errors import RequestInvalid, ResearchError
from ..kernel.ports import Notices
from ..kernel.results import LocatedFinding

__all__ = ["NoNotices", "OpeningWatch"]


class NoNotices:
    """For a replay and for hosts without a log."""

    def refused(self, reason: str, *, callers_mistake: bool) -> None:
        """Drops the line."""

    def blocked(self, session_id: str, findings: tuple[LocatedFinding, ...]) -> None:
        """Drops the line."""


class OpeningWatch:
    """No `except`: it looks at what ends the opening of a request, has it told in one line, and lets it pass."""

    def __init__(self, notices: Notices, reason: str = "") -> None:
        """`reason` is logged instead of a message that may repeat what a caller wrote; empty: the message is logged."""
        self._notices = notices
        self.reason = reason

    def __enter__(self) -> OpeningWatch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if isinstance(error, Exception):
            told = str(error) if isinstance(error, ResearchError) else type(error).__name__
            self._notices.refused(self.reason or told, callers_mistake=isinstance(error, RequestInvalid))
