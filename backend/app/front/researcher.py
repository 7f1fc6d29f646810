"""`Researcher`: the call of the research contract, over an open gate, with progress, finish and cancel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Annotated, Literal

from pydantic import Field

from ..capabilities.answers.research_input import ConversationTurn, Depth
from ..capabilities.answers.research_models import ResearchConstraints, ResearchResult
from ..capabilities.answers.research_plan import facet_of, iteration_of
from ..kernel.canonical import JsonValue
from ..kernel.errors import ContractViolation
from ..kernel.failure import Failure
from ..kernel.models import FrozenModel
from ..kernel.outcome import ResearchOutcome
from ..kernel.request import Grant, Principal
from ..kernel.results import CallOutcome
from ..research.basis import Answer
from ..research.router import Router

__all__ = ["ResearchEvent", "Researcher"]

_COLLECTION = "documents"


class ResearchEvent(FrozenModel):
    """One step of a session in numbers; `result` stands in the last event alone, after the verdict."""

    kind: Literal["started", "batch", "call", "result"]
    calls_left: Annotated[int, Field(ge=0)] = 0
    units_left: Annotated[int, Field(ge=0)] = 0
    remaining_ms: Annotated[int, Field(ge=0)] = 0
    iteration: int = 0
    facet: int = 0
    tool: str = ""
    status: str = ""
    accepted: int = 0
    session_id: str = ""
    """In the first event: under which id the session is recorded."""
    result: ResearchResult | None = None


class Researcher:
    """Asks `research` for one principal. One instance runs one question at a time.

    With `finish_first`, the first cancellation of the task that waits finishes the session and the second one cancels
    it, which is what a person at a terminal means by pressing Ctrl-C once or twice.
    """

    def __init__(
        self,
        gate: Router,
        principal: Principal,
        *,
        progress: Callable[[ResearchEvent], None] | None = None,
        finish_first: bool = False,
    ) -> None:
        self._gate = gate
        self._principal = principal
        self._progress = progress
        self._finish_first = finish_first
        self._finish = False
        self._task: asyncio.Task[Answer] | None = None
        self.outcome: ResearchOutcome | None = None
        """The session behind the last result, for operators."""

    async def research(
        self,
        question: str,
        context: str | None = None,
        depth: Depth = "balanced",
        constraints: ResearchConstraints | Mapping[str, JsonValue] | None = None,
        *,
        clarified: bool = False,
        session_key: str | None = None,
        turn: ConversationTurn | None = None,
    ) -> ResearchResult:
        """Research a question; `clarified` and `session_key` are those of `Router.run` (R6, R19). As a turn of a
        conversation it may name sources of earlier turns (R35).

        Raises:
            RequestInvalid: an argument is wrong; it is named, its value is not.
            asyncio.CancelledError: after `cancel()`, or where the caller's own task is cancelled.
        """
        watcher = _Watcher(self._progress or _ignored)
        given = self.arguments(question, context, depth, constraints, turn)
        return await self._asked(given, watcher, clarified, session_key)

    async def events(
        self,
        question: str,
        context: str | None = None,
        depth: Depth = "balanced",
        constraints: ResearchConstraints | Mapping[str, JsonValue] | None = None,
        *,
        clarified: bool = False,
        session_key: str | None = None,
        turn: ConversationTurn | None = None,
    ) -> AsyncIterator[ResearchEvent]:
        """The same as a stream: numbers while it runs, then the result. No source or text leaves before the verdict."""
        queue: asyncio.Queue[ResearchEvent | None] = asyncio.Queue()
        watcher = _Watcher(queue.put_nowait)
        given = self.arguments(question, context, depth, constraints, turn)
        task = asyncio.create_task(self._asked(given, watcher, clarified, session_key))
        task.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            yield ResearchEvent(kind="result", result=await task)
        finally:
            if not task.done():
                task.cancel()

    def finish(self) -> None:
        """End after the batch that is running and answer from what was found (R34)."""
        self._finish = True

    def cancel(self) -> None:
        """End now, without an answer (R12)."""
        if self._task is not None:
            self._task.cancel()

    def arguments(
        self,
        question: str,
        context: str | None,
        depth: Depth,
        constraints: ResearchConstraints | Mapping[str, JsonValue] | None,
        turn: ConversationTurn | None = None,
    ) -> dict[str, JsonValue]:
        """What `research` is called with, for whoever wants to know beforehand whether it can be read."""
        given: dict[str, JsonValue] = {"question": question, "context": context or "", "depth": depth}
        if isinstance(constraints, ResearchConstraints):
            given["constraints"] = constraints.model_dump(mode="json")
        elif constraints is not None:
            given["constraints"] = dict(constraints)
        given["collection"] = _COLLECTION if _COLLECTION in self._principal.collections else None
        if turn is not None:
            given |= turn.model_dump(mode="json", exclude_none=True)
        return given

    async def _asked(
        self, given: dict[str, JsonValue], watcher: _Watcher, clarified: bool, session_key: str | None
    ) -> ResearchResult:
        self._finish, self.outcome = False, None
        self._task = asyncio.create_task(
            self._gate.call(
                "research",
                given,
                self._principal,
                session_key=session_key,
                observer=watcher,
                clarified=clarified,
                finish=lambda: self._finish,
            )
        )
        try:
            answer = await self._waited(self._task)
        finally:
            self._task = None
        self.outcome = answer.outcomes[0] if answer.outcomes else None
        if isinstance(answer.result, ResearchResult):
            return answer.result
        if isinstance(answer.result, Failure):
            raise ContractViolation(answer.result.message)
        raise ContractViolation("`research` answered with something else than its result")

    async def _waited(self, session: asyncio.Task[Answer]) -> Answer:
        if not self._finish_first:
            return await session
        try:
            return await asyncio.shield(session)
        except asyncio.CancelledError:
            waiting = asyncio.current_task()
            if session.done() or waiting is None:
                raise
            waiting.uncancel()
            self.finish()
        return await session


def _ignored(_: ResearchEvent) -> None:
    """For callers who do not watch."""


class _Watcher:
    """An observer that turns progress into events."""

    def __init__(self, tell: Callable[[ResearchEvent], None]) -> None:
        self._tell = tell

    def session_started(self, grant: Grant) -> None:
        caps = grant.caps
        self._tell(
            ResearchEvent(
                kind="started",
                calls_left=caps.max_tool_calls_total,
                units_left=grant.budget_units,
                remaining_ms=caps.total_research_timeout_ms,
                session_id=grant.session_id,
            )
        )

    def batch_started(self, calls_left: int, units_left: int, remaining_ms: int) -> None:
        self._tell(ResearchEvent(kind="batch", calls_left=calls_left, units_left=units_left, remaining_ms=remaining_ms))

    def call_finished(self, outcome: CallOutcome) -> None:
        self._tell(
            ResearchEvent(
                kind="call",
                iteration=iteration_of(outcome.call_id),
                facet=facet_of(outcome.call_id),
                tool=outcome.tool,
                status=outcome.status.value,
                accepted=outcome.accepted,
            )
        )
