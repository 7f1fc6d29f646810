"""The router: conducts one session through all rooms and falls closed when anything is wrong (§3.6)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from ..kernel.canonical import digest_of
from ..kernel.capability import Capability
from ..kernel.contract import ContractData
from ..kernel.errors import ContractViolation, RequestInvalid, SandboxViolation, StoreUnusable
from ..kernel.outcome import Collected, ResearchOutcome, SourceBundle, Verdict
from ..kernel.ports import Clock, Ids, Journal, Observer, Plan
from ..kernel.records import Closed, Opened
from ..kernel.request import Grant, Principal, ResearchRequest
from ..kernel.stops import Action, Cause, Signal, StopReason
from ..kernel.tripwire import NO_TRIPWIRE, Tripwire
from . import audience, bundle, resolver, validator
from .adapter import Adapter, Tally
from .policy import Policy
from .telemetry import Telemetry

__all__ = ["Router"]


class Router:
    """The one entrance; it has no rule of its own."""

    def __init__(
        self,
        contract: ContractData,
        policy: Policy,
        adapter: Adapter,
        capabilities: Mapping[str, Capability],
        clock: Clock,
        ids: Ids,
        journal: Journal,
        telemetry: Telemetry,
        tripwire: Tripwire = NO_TRIPWIRE,
    ) -> None:
        self._contract = contract
        self._policy = policy
        self._adapter = adapter
        self._capabilities = capabilities
        self._clock = clock
        self._ids = ids
        self._journal = journal
        self._telemetry = telemetry
        self._tripwire = tripwire

    async def run(
        self, request: ResearchRequest, principal: Principal, *, observer: Observer | None = None
    ) -> ResearchOutcome:
        """Run one session to its one stop.

        Raises:
            RequestInvalid: the capability does not exist or its arguments are wrong; no session was opened.
            asyncio.CancelledError: after the session was ended as TIMEOUT and its journal closed (R12).
        """
        capability = self._capabilities.get(request.capability)
        if capability is None:
            raise RequestInvalid(f"capability `{request.capability}` does not exist")
        try:
            with self._tripwire.armed():
                plan: Plan | SandboxViolation = capability.plan(request)
        except SandboxViolation as exc:
            plan = exc  # the session is opened all the same, so that its record says what happened
        if observer is not None:
            observer = self._tripwire.outside(observer)
        loop = asyncio.get_running_loop()
        cancelled: asyncio.Future[None] = loop.create_future()
        session = loop.create_task(self._session(request, principal, plan, cancelled, observer))
        try:
            return await asyncio.shield(session)
        except asyncio.CancelledError:
            # R12: cancellation moves the deadline to now; it passes on once the session is closed.
            cancelled.set_result(None)
            await _ended(session)
            raise

    async def _session(
        self,
        request: ResearchRequest,
        principal: Principal,
        plan: Plan | SandboxViolation,
        cancelled: asyncio.Future[None],
        observer: Observer | None,
    ) -> ResearchOutcome:
        session_id = self._ids.session_id()
        started_ms = self._clock.now_ms()
        tally = Tally()
        with self._telemetry.session(session_id, request.capability) as span:
            try:
                outcome = await self._conduct(
                    session_id, started_ms, request, principal, plan, cancelled, tally, observer
                )
            except Exception as exc:  # noqa: BLE001  the gate's last resort: whatever broke, it falls shut (R12)
                outcome = self._fallen(session_id, started_ms, request, tally, exc)
                # A journal that is itself the trouble leaves the session open; the next start closes it.
                with suppress(StoreUnusable):
                    self._close(outcome)
            self._telemetry.session_ended(span, outcome)
        return outcome

    async def _conduct(
        self,
        session_id: str,
        started_ms: int,
        request: ResearchRequest,
        principal: Principal,
        plan: Plan | SandboxViolation,
        cancelled: asyncio.Future[None],
        tally: Tally,
        observer: Observer | None,
    ) -> ResearchOutcome:
        opened = Opened(
            request=digest_of(request),
            principal=digest_of(principal),
            capability=request.capability,
            started_at_ms=started_ms,
        )
        self._journal.append(session_id, opened)
        if isinstance(plan, SandboxViolation):
            raise plan
        with self._tripwire.armed():
            granted = self._policy.grant(request, principal, session_id, started_ms)
            if isinstance(granted, Grant):
                if observer is not None:
                    observer.session_started(granted)
                collected = await self._adapter.collect(granted, plan, cancelled, tally, observer)
            else:
                collected = Collected(signals=granted)
            outcome = self._judged(session_id, started_ms, request, plan, collected)
        self._close(outcome)
        return outcome

    def _close(self, outcome: ResearchOutcome) -> None:
        closed = Closed(
            outcome=bundle.outcome_digest(outcome),
            verdict=outcome.verdict,
            bundle=outcome.bundle.digest,
            sources=tuple(source.source_id for source in outcome.bundle.sources),
            withheld=outcome.bundle.withheld_source_ids,
            spent_units=outcome.spent_units,
            elapsed_ms=outcome.elapsed_ms,
            ended=outcome.ended.value,
        )
        self._journal.append(outcome.session_id, closed)
        self._journal.close(outcome.session_id)

    def _judged(
        self, session_id: str, started_ms: int, request: ResearchRequest, plan: Plan, collected: Collected
    ) -> ResearchOutcome:
        version = self._contract.version
        counted = sum(source.kind in plan.counts for source in collected.sources)
        verdict = resolver.resolve(collected.signals, counted, request.clarified, self._contract)
        sealed = bundle.freeze(collected.sources, counted, verdict, version)
        checked = validator.check(verdict, sealed, request.clarified)
        if checked is not verdict:
            sealed = bundle.freeze(collected.sources, counted, checked, version)
        return self._outcome(session_id, started_ms, request, checked, collected, sealed)

    def _fallen(
        self, session_id: str, started_ms: int, request: ResearchRequest, tally: Tally, exc: Exception
    ) -> ResearchOutcome:
        """INVARIANT 3.6: an unforeseen error ends in the baseline, told by its type alone."""
        reason, cause = StopReason.INTERNAL_INCONSISTENCY, Cause.UNEXPECTED_ERROR
        if isinstance(exc, ContractViolation):
            cause = Cause.CONTRACT_VIOLATION
        elif isinstance(exc, SandboxViolation):
            # R16: from a tool it would have been an answer; from a room it is what the tripwire caught.
            reason, cause = StopReason.SANDBOX_VIOLATION, exc.cause
        signal = Signal(reason=reason, cause=cause, code=type(exc).__name__)
        verdict = Verdict(stop=signal.reason, action=Action.BASELINE, signals=(signal,))
        sealed = bundle.freeze((), 0, verdict, self._contract.version)
        spent = Collected(outcomes=tuple(tally.outcomes), spent_units=tally.spent_units)
        return self._outcome(session_id, started_ms, request, verdict, spent, sealed)

    def _outcome(
        self,
        session_id: str,
        started_ms: int,
        request: ResearchRequest,
        verdict: Verdict,
        collected: Collected,
        sealed: SourceBundle,
    ) -> ResearchOutcome:
        return ResearchOutcome(
            session_id=session_id,
            contract_version=self._contract.version,
            capability=request.capability,
            environment=self._policy.environment,
            started_at_ms=started_ms,
            elapsed_ms=self._clock.now_ms() - started_ms,
            verdict=verdict,
            text=self._contract.actions.texts.of(verdict.action),
            bundle=sealed,
            outcomes=collected.outcomes,
            rejections=collected.rejections,
            findings=collected.findings,
            gaps=audience.gaps_of(collected.outcomes),
            spent_units=collected.spent_units,
            ended=collected.ended,
        )


async def _ended(session: asyncio.Task[ResearchOutcome]) -> None:
    """Wait for the session to close, however often the caller cancels meanwhile."""
    while not session.done():
        try:
            await asyncio.shield(session)
        except asyncio.CancelledError:
            continue
