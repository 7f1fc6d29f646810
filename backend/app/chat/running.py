"""Research under way: started, watched, finished and cancelled by its owner, and kept for a while afterwards."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from ..capabilities.answers.research_input import Depth
from ..capabilities.answers.research_models import ResearchConstraints, ResearchResult
from ..front.researcher import Researcher, ResearchEvent
from ..kernel.canonical import JsonValue
from ..kernel.errors import RequestInvalid, StoreBusy, StoreUnusable
from ..kernel.outcome import ResearchOutcome
from ..kernel.ports import Clock, Ids
from ..kernel.request import Principal
from ..kernel.stops import Action
from ..research.audience import OPERATOR_SCOPE
from ..research.router import Router
from ..system.stores.conversations.requests import RequestStore
from .reply import action_shown

__all__ = [
    "KeyReused",
    "Overloaded",
    "QueueLimits",
    "ResearchOrder",
    "RunState",
    "RunView",
    "RunningSessions",
    "UnknownResearch",
]

RunState = Literal["queued", "running", "ended", "cancelled", "failed"]
_LOG: Final = logging.getLogger("portcullis.chat")
_RETRY_AFTER_S: Final = 2


class Overloaded(Exception):
    """As much research runs and waits as the queue holds; nothing was started."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("too much research is under way")
        self.retry_after_s = retry_after_s


class KeyReused(Exception):
    """The session key of an order belongs to another order that this process knows."""


class UnknownResearch(Exception):
    """There is no such request, or it belongs to somebody else: both look alike."""


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """How much research one process takes on, and how long it keeps what has ended."""

    running: int = 128
    waiting: int = 512
    kept_ms: int = 15 * 60_000
    kept: int = 2_000


@dataclass(frozen=True, slots=True)
class ResearchOrder:
    """What is to be researched, and how the door knows it."""

    question: str
    context: str | None = None
    depth: Depth = "balanced"
    constraints: ResearchConstraints | Mapping[str, JsonValue] | None = None
    clarified: bool = False
    """R6, derived by the door from the conversation."""
    session_key: str | None = None
    """R19: the same key again gives the same outcome."""
    conversation: str | None = None


@dataclass(frozen=True, slots=True)
class RunView:
    """One request at one moment. `outcome` is for operators; `result` and `action` are there once it has ended;
    `wanted` is False once every connection that asked for it has gone."""

    request_id: str
    tenant: str
    user: str
    question: str
    conversation: str | None
    state: RunState
    session_id: str
    started_at_ms: int
    ended_at_ms: int | None
    action: Action | None
    result: ResearchResult | None
    outcome: ResearchOutcome | None
    wanted: bool = True


@dataclass(slots=True)
class _OneResearch:
    request_id: str
    principal: Principal
    order: ResearchOrder
    started_at_ms: int
    researcher: Researcher
    state: RunState = "queued"
    session_id: str = ""
    ended_at_ms: int | None = None
    result: ResearchResult | None = None
    error: RequestInvalid | StoreBusy | None = None
    finish_wanted: bool = False
    holders: int = 1
    """Connections that asked for it and wait; when the last one has left, nobody wants it any more."""
    events: list[ResearchEvent] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    @property
    def over(self) -> bool:
        return self.ended_at_ms is not None

    def tell(self, event: ResearchEvent) -> None:
        """Keep an event for those who come later, and wake those who wait."""
        if event.session_id:
            self.session_id = event.session_id
        self.events.append(event)
        self.wake()

    def wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()

    def view(self) -> RunView:
        outcome = self.researcher.outcome if self.over else None
        action = None if outcome is None else outcome.verdict.action
        action = Action.BASELINE if self.over and action is None else action_shown(action, self.result)
        return RunView(
            request_id=self.request_id,
            tenant=self.principal.tenant,
            user=self.principal.user,
            question=self.order.question,
            conversation=self.order.conversation,
            state=self.state,
            session_id=self.session_id if outcome is None else outcome.session_id,
            started_at_ms=self.started_at_ms,
            ended_at_ms=self.ended_at_ms,
            action=action,
            result=self.result,
            outcome=outcome,
            wanted=self.holders > 0,
        )


class RunningSessions:
    """The research of one process. A request is known to its own tenant and user, and to operators of that tenant."""

    def __init__(
        self,
        router: Router,
        clock: Clock,
        ids: Ids,
        limits: QueueLimits | None = None,
        requests: RequestStore | None = None,
    ) -> None:
        """`requests` tells the other processes of a server what runs here, and brings their wishes."""
        self._requests = requests
        self._router = router
        self._clock = clock
        self._ids = ids
        self._limits = limits or QueueLimits()
        self._places = asyncio.Semaphore(self._limits.running)
        self._runs: dict[str, _OneResearch] = {}
        self._closing = False

    def start(self, principal: Principal, order: ResearchOrder, request_id: str | None = None) -> str:
        """Start research, or put it into the queue; gives the id of the request. The same order with the same session
        key again gives the request that is known.

        Raises:
            RequestInvalid: an argument is wrong; it is named, its value is not.
            KeyReused: the session key is that of another order.
            Overloaded: the queue is full, or the server is being stopped; no session was opened.
        """
        researcher = Researcher(self._router, principal)
        capability = self._router.capabilities["research"]
        given = researcher.arguments(order.question, order.context, order.depth, order.constraints)
        capability.request(capability.read(given))
        self._forget_old()
        known = self._known(principal, order)
        if known is not None:
            known.holders += 1
            return known.request_id
        under_way = sum(not run.over for run in self._runs.values())
        if self._closing or under_way >= self._limits.running + self._limits.waiting:
            raise Overloaded(_RETRY_AFTER_S)
        named = request_id or self._ids.session_id()
        run = _OneResearch(named, principal, order, self._clock.now_ms(), researcher)
        if self._requests is not None:
            who = principal
            self._requests.begin(run.request_id, who.tenant, who.user, order.conversation, run.started_at_ms)
        self._runs[run.request_id] = run  # only now: a store that fails must not leave a request that never ends
        run.task = asyncio.create_task(self._conducted(run))
        return run.request_id

    async def watch(
        self, request_id: str, principal: Principal, beat_s: float | None = None
    ) -> AsyncIterator[ResearchEvent | None]:
        """Every event from the beginning; ends with the request. Any number of watchers may look on. With `beat_s`,
        None comes whenever nothing has happened for so long.

        Raises:
            UnknownResearch: there is no such request for this principal.
        """
        run, told = self._run(request_id, principal), 0
        while True:
            waiting = run.changed
            while told < len(run.events):
                told += 1
                yield run.events[told - 1]
            if run.over:
                return
            try:
                async with asyncio.timeout(beat_s):
                    await waiting.wait()
            except TimeoutError:
                yield None

    async def begun(self, request_id: str, principal: Principal) -> None:
        """Wait until a request has a session or has ended without one; raises as `ended` does."""
        run = self._run(request_id, principal)
        while not run.over and not run.events:
            await run.changed.wait()
        if run.error is not None:
            raise run.error

    async def ended(self, request_id: str, principal: Principal) -> RunView:
        """Wait until a request has ended; raises as `watch` does.

        Raises:
            RequestInvalid, StoreBusy: the gate did not open a session for it.
        """
        run = self._run(request_id, principal)
        while not run.over:
            await run.changed.wait()
        if run.error is not None:
            raise run.error
        return run.view()

    def look(self, request_id: str, principal: Principal) -> RunView:
        """A request as it is now; raises as `watch` does."""
        return self._run(request_id, principal).view()

    def listed(self, principal: Principal) -> tuple[RunView, ...]:
        """Every request that this principal may see, the newest first."""
        seen = [run.view() for run in list(self._runs.values()) if _may_see(run, principal)]
        return tuple(reversed(seen))

    def finish(self, request_id: str, principal: Principal) -> RunView:
        """End after the batch that is running and answer from what was found (R34); raises as `watch` does."""
        self._finished(run := self._run(request_id, principal))
        return run.view()

    def cancel(self, request_id: str, principal: Principal) -> RunView:
        """End now, without an answer (R12); raises as `watch` does."""
        self._cancelled(run := self._run(request_id, principal))
        return run.view()

    def leave(self, request_id: str, principal: Principal) -> bool:
        """A connection that asked for it has gone; True if it was the last one of a request under way, which is
        cancelled then. Raises as `watch`."""
        run = self._run(request_id, principal)
        run.holders -= 1
        abandoned = run.holders <= 0 and not run.over
        if abandoned:
            self._cancelled(run)
        return abandoned

    @property
    def under_way(self) -> tuple[int, int]:
        """How many requests run, and how many wait."""
        states = [run.state for run in list(self._runs.values())]  # also asked from threads
        return states.count("running"), states.count("queued")

    def follow(self, wishes: Iterable[tuple[str, str]]) -> None:
        """End what other processes were asked to end here."""
        for request_id, wish in wishes:
            run = self._runs.get(request_id)
            if run is None or run.over:
                continue
            if wish == "cancel":
                self._cancelled(run)
            elif not run.finish_wanted:
                self._finished(run)

    async def close(self, grace_s: float) -> None:
        """Start nothing more, give what runs some time, then cancel it and wait until it is closed."""
        self._closing = True
        tasks = [run.task for run in self._runs.values() if run.task is not None and not run.over]
        gathered = asyncio.gather(*tasks, return_exceptions=True)
        try:
            await asyncio.wait_for(asyncio.shield(gathered), grace_s)
        except TimeoutError:
            for run in self._runs.values():
                self._cancelled(run)
            await gathered

    @staticmethod
    def _finished(run: _OneResearch) -> None:
        run.finish_wanted = True
        run.researcher.finish()

    def _cancelled(self, run: _OneResearch) -> None:
        if run.over:
            return
        if run.state == "queued" and run.task is not None:
            run.task.cancel()
        run.state = "cancelled"
        run.researcher.cancel()

    async def _conducted(self, run: _OneResearch) -> None:
        try:
            async with self._places:
                if run.state == "queued":
                    run.state = "running"
                    await self._researched(run)
        except asyncio.CancelledError:
            run.state = "cancelled"
        except (RequestInvalid, StoreBusy) as exc:
            run.state, run.error = "failed", exc
            if isinstance(exc, StoreBusy):  # another process runs the same request: it is shown as it is there
                self._runs.pop(run.request_id, None)
        except Exception as exc:  # noqa: BLE001  a process border: the text of an error stays inside, its type is logged
            run.state = "failed"
            _LOG.error("research: unexpected %s", type(exc).__name__)
        finally:
            run.ended_at_ms = self._clock.now_ms()
            run.wake()
            self._tell_end(run)

    def _tell_end(self, run: _OneResearch) -> None:
        if self._requests is None or run.ended_at_ms is None:
            return
        try:
            self._requests.end(run.request_id, run.state, run.view().session_id or None, run.ended_at_ms)
        except StoreUnusable as exc:
            _LOG.error("%s", exc)  # the answer is there all the same

    async def _researched(self, run: _OneResearch) -> None:
        order = run.order
        events = run.researcher.events(
            order.question,
            order.context,
            order.depth,
            order.constraints,
            clarified=order.clarified,
            session_key=order.session_key,
        )
        async for event in events:
            if event.kind == "started" and run.finish_wanted:
                run.researcher.finish()  # it was asked for while the request waited
            run.result = event.result
            if event.kind == "result":
                run.state = "ended"
            run.tell(event)

    def _run(self, request_id: str, principal: Principal) -> _OneResearch:
        run = self._runs.get(request_id)
        if run is None or not _may_see(run, principal):
            raise UnknownResearch
        return run

    def _known(self, principal: Principal, order: ResearchOrder) -> _OneResearch | None:
        """The request that this key has here already; one that failed or that everybody left may be tried again."""
        if order.session_key is None:
            return None
        for run in self._runs.values():
            same_owner = (run.principal.tenant, run.principal.user) == (principal.tenant, principal.user)
            if same_owner and run.order.session_key == order.session_key and run.state != "failed" and run.holders > 0:
                if run.order != order:
                    raise KeyReused
                return run
        return None

    def _forget_old(self) -> None:
        """What ended long ago goes, and when there are too many, the oldest."""
        oldest_ms = self._clock.now_ms() - self._limits.kept_ms
        ended = [run for run in self._runs.values() if run.ended_at_ms is not None]
        too_many = len(ended) - self._limits.kept
        for place, run in enumerate(ended):
            if place < too_many or (run.ended_at_ms or 0) < oldest_ms:
                del self._runs[run.request_id]


def _may_see(run: _OneResearch, principal: Principal) -> bool:
    same_tenant = run.principal.tenant == principal.tenant
    return same_tenant and (run.principal.user == principal.user or OPERATOR_SCOPE in principal.scopes)
