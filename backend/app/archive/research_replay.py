"""A research session run again for its result: the rooms of a replay, with the outcome kept."""

from __future__ import annotations

from collections.abc import Callable

from ..capabilities.answers.research import RESEARCH, result, stopped
from ..capabilities.answers.research_models import ResearchResult
from ..kernel.journal_records import Opened
from ..kernel.outcome import ResearchOutcome
from ..kernel.request import Principal, ResearchRequest
from ..research.failures import failure_of
from ..research.record.recording import Past
from ..research.record.replay import Rooms
from ..research.record.session_log import SessionLog

__all__ = ["KeptOutcomes", "result_of"]


class KeptOutcomes:
    """Rooms that remember how the session came out."""

    def __init__(self, rooms_of: Callable[[Opened], Rooms | None]) -> None:
        self._rooms_of = rooms_of
        self._rooms: Rooms | None = None
        self.request: ResearchRequest | None = None
        self.principal: Principal | None = None
        self.outcome: ResearchOutcome | None = None

    def rooms_of(self, opened: Opened) -> Rooms | None:
        """The rooms of a session; None where they cannot be built."""
        self._rooms = self._rooms_of(opened)
        return None if self._rooms is None else self

    async def repeat(self, past: Past, opened: Opened, request: ResearchRequest, principal: Principal) -> SessionLog:
        """Run the session again."""
        if self._rooms is None:
            raise ValueError("the rooms were not opened")
        log = await self._rooms.repeat(past, opened, request, principal)
        self.request, self.principal, self.outcome = request, principal, log.outcome
        return log

    def changed_since(self, opened: Opened) -> tuple[str, ...]:
        """What is no longer as it was."""
        return () if self._rooms is None else self._rooms.changed_since(opened)


def result_of(request: ResearchRequest, outcome: ResearchOutcome) -> ResearchResult:
    """What `research()` makes of an outcome."""
    given = RESEARCH.input_of(request)
    return result(given, outcome) if failure_of(outcome) is None else stopped(given, outcome)
