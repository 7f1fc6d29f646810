"""The router: conducts one session through all rooms and falls closed when anything is wrong (§3.6)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from ..kernel.canonical import canonical_bytes, digest_of
from ..kernel.capability import Capability
from ..kernel.contract import ContractData
from ..kernel.errors import ContractViolation, RequestInvalid, SandboxViolation
from ..kernel.noun import Digest
from ..kernel.outcome import Collected, ResearchOutcome, SourceBundle, Verdict
from ..kernel.ports import Observer, Plan
from ..kernel.records import Closed, Opened
from ..kernel.request import Grant, Principal, ResearchRequest
from ..kernel.stops import Action, Cause, Signal, StopReason
from ..kernel.tripwire import NO_TRIPWIRE, Tripwire
from . import audience, bundle, resolver, validator
from .adapter import Adapter, Tally
from .memory import Memory
from .policy import Policy
from .session import Past, RememberedFailure, SessionLog
from .telemetry import Telemetry

__all__ = ["Router"]


class Router:
    """The one entrance; it has no rule of its own."""

    def __init__(
        self,
        contract: ContractData,
        rules: Digest,
        policy: Policy,
        adapter: Adapter,
        capabilities: Mapping[str, Capability],
        memory: Memory,
        telemetry: Telemetry,
        tripwire: Tripwire = NO_TRIPWIRE,
    ) -> None:
        self._contract = contract
        self._frozen = (digest_of(contract), rules)
        self._policy = policy
        self._adapter = adapter
        self._capabilities = capabilities
        self._memory = memory
        self._telemetry = telemetry
        self._tripwire = tripwire

    async def run(
        self,
        request: ResearchRequest,
        principal: Principal,
        *,
        session_key: str | None = None,
        observer: Observer | None = None,
    ) -> ResearchOutcome:
        """Run one session to its one stop; with a key, a finished session gives its outcome again and an unfinished
        one goes on without repeating a recorded call (R19).

        Raises:
            RequestInvalid: the capability does not exist, its arguments are wrong, or the key belongs to another
                request, other rules or other settings; no session was opened.
            StoreBusy: a session with this key runs at this moment.
            StoreUnusable: the record of this key is damaged, or none can be begun; nothing was asked of anybody.
            asyncio.CancelledError: after the session was ended as TIMEOUT and its journal closed (R12).
        """
        plan = self._plan(request)
        loop = asyncio.get_running_loop()
        cancellation: asyncio.Future[None] = loop.create_future()
        if session_key is None:
            log = self._memory.begin(principal, cancellation)
        else:
            known = self._memory.recall(request, principal, session_key, cancellation)
            if isinstance(known, ResearchOutcome):
                return known
            log = known
            if self._house(log.opened) != self._house(None):
                log.abandon()
                raise RequestInvalid("the session of this key was begun under other rules, settings or tools")
        if observer is not None:
            observer = self._tripwire.outside(observer)
        keyed = session_key is not None
        session = loop.create_task(self._session(log, request, principal, plan, keyed, observer))
        try:
            return await asyncio.shield(session)
        except asyncio.CancelledError:
            # R12: cancellation moves the deadline to now; it passes on once the session is closed.
            cancellation.set_result(None)
            await _ended(session)
            raise

    async def repeat(
        self, past: Past, session_id: str, request: ResearchRequest, principal: Principal, *, keyed: bool
    ) -> SessionLog:
        """Run a recorded session again, from its record alone; the log knows where it differs.

        Raises:
            RequestInvalid: there is no such capability any more, or it no longer takes these arguments.
        """
        plan = self._plan(request)
        log = self._memory.repeat(past, session_id, asyncio.get_running_loop().create_future())
        await self._session(log, request, principal, plan, keyed, None)
        return log

    def _house(self, opened: Opened | None) -> tuple[object, ...]:
        """What a session depends on beside its request: as it was recorded, or as it is here."""
        if opened is not None:
            switches = opened.environment, opened.research_enabled, opened.sealed
            return opened.contract, opened.rules, *switches, opened.tools
        policy = self._policy
        return *self._frozen, policy.environment, policy.research_enabled, policy.sealed, self._adapter.tools

    def _plan(self, request: ResearchRequest) -> Plan | SandboxViolation:
        capability = self._capabilities.get(request.capability)
        if capability is None:
            raise RequestInvalid(f"capability `{request.capability}` does not exist")
        try:
            with self._tripwire.armed():
                return capability.plan(request)
        except SandboxViolation as exc:
            return exc  # the session is opened all the same, so that its record says what happened

    async def _session(
        self,
        log: SessionLog,
        request: ResearchRequest,
        principal: Principal,
        plan: Plan | SandboxViolation,
        keyed: bool,
        observer: Observer | None,
    ) -> ResearchOutcome:
        started_ms = log.read().at_ms
        tally = Tally()
        with self._telemetry.session(log.session_id, request.capability) as span:
            try:
                self._open(log, request, principal, keyed, started_ms)
                outcome = await self._conduct(log, started_ms, request, principal, plan, tally, observer)
                self._close(log, outcome, keyed)
            except Exception as exc:  # noqa: BLE001  the gate's last resort: whatever broke, it falls shut (R12)
                log.falls()
                outcome = self._fallen(log, started_ms, request, tally, exc)
                self._last_word(log, outcome, keyed)
            self._telemetry.session_ended(span, outcome)
        return outcome

    def _open(
        self, log: SessionLog, request: ResearchRequest, principal: Principal, keyed: bool, started_ms: int
    ) -> None:
        log.begin()
        contract, rules = self._frozen
        opened = Opened(
            session_id=log.session_id,
            tenant=principal.tenant,
            request=log.keep(canonical_bytes(request)),
            principal=log.keep(canonical_bytes(principal)),
            capability=request.capability,
            contract_version=self._contract.version,
            environment=self._policy.environment,
            research_enabled=self._policy.research_enabled,
            sealed=self._policy.sealed,
            contract=contract,
            rules=rules,
            tools=self._adapter.tools,
            keyed=keyed,
            started_at_ms=started_ms,
        )
        log.note(opened)

    async def _conduct(
        self,
        log: SessionLog,
        started_ms: int,
        request: ResearchRequest,
        principal: Principal,
        plan: Plan | SandboxViolation,
        tally: Tally,
        observer: Observer | None,
    ) -> ResearchOutcome:
        if isinstance(plan, SandboxViolation):
            raise plan
        with self._tripwire.armed():
            granted = self._policy.grant(request, principal, log.session_id, started_ms)
            if isinstance(granted, Grant):
                log.tell(observer, lambda told: told.session_started(granted))
                collected = await self._adapter.collect(granted, plan, log, tally, observer)
            else:
                collected = Collected(signals=granted)
            return self._judged(log, started_ms, request, plan, collected)

    def _close(self, log: SessionLog, outcome: ResearchOutcome, keyed: bool) -> None:
        closed = Closed(
            outcome=bundle.outcome_digest(outcome),
            verdict=outcome.verdict,
            bundle=outcome.bundle.digest,
            sources=tuple(source.source_id for source in outcome.bundle.sources),
            withheld=outcome.bundle.withheld_source_ids,
            calls=len(outcome.outcomes),
            spent_units=outcome.spent_units,
            elapsed_ms=outcome.elapsed_ms,
            ended=outcome.ended.value,
            kept=log.keep(canonical_bytes(outcome)) if keyed else None,
        )
        log.note(closed)
        log.close()

    def _last_word(self, log: SessionLog, outcome: ResearchOutcome, keyed: bool) -> None:
        """Close a session that fell. Where its record goes on, or a store is the trouble, it stays open there: whoever
        has its key goes on with it, and the next start closes one without."""
        if not log.breaks_off:
            with suppress(Exception):
                self._close(log, outcome, keyed)
                return
        log.abandon()

    def _judged(
        self, log: SessionLog, started_ms: int, request: ResearchRequest, plan: Plan, collected: Collected
    ) -> ResearchOutcome:
        version = self._contract.version
        counted = sum(source.kind in plan.counts for source in collected.sources)
        verdict = resolver.resolve(collected.signals, counted, request.clarified, self._contract)
        proposed = bundle.freeze(collected.sources, counted, verdict, version)
        checked = validator.check(verdict, proposed, request.clarified)
        sealed = bundle.freeze(collected.sources, counted, checked, version)
        return self._outcome(log, started_ms, request, checked, collected, sealed)

    def _fallen(
        self, log: SessionLog, started_ms: int, request: ResearchRequest, tally: Tally, exc: Exception
    ) -> ResearchOutcome:
        """INVARIANT 3.6: an unforeseen error ends in the baseline, told by its type alone."""
        reason, cause = StopReason.INTERNAL_INCONSISTENCY, Cause.UNEXPECTED_ERROR
        code = type(exc).__name__
        if isinstance(exc, RememberedFailure):
            code, cause = exc.failed.error, Cause.CONTRACT_VIOLATION if exc.failed.violation else cause
        elif isinstance(exc, ContractViolation):
            cause = Cause.CONTRACT_VIOLATION
        elif isinstance(exc, SandboxViolation):
            # R16: from a tool it would have been an answer; from a room it is what the tripwire caught.
            reason, cause = StopReason.SANDBOX_VIOLATION, exc.cause
        signal = Signal(reason=reason, cause=cause, code=code)
        verdict = Verdict(stop=signal.reason, action=Action.BASELINE, signals=(signal,))
        sealed = bundle.freeze((), 0, verdict, self._contract.version)
        spent = Collected(outcomes=tuple(tally.outcomes), spent_units=tally.spent_units)
        return self._outcome(log, started_ms, request, verdict, spent, sealed)

    def _outcome(
        self,
        log: SessionLog,
        started_ms: int,
        request: ResearchRequest,
        verdict: Verdict,
        collected: Collected,
        sealed: SourceBundle,
    ) -> ResearchOutcome:
        return ResearchOutcome(
            session_id=log.session_id,
            contract_version=self._contract.version,
            capability=request.capability,
            environment=self._policy.environment,
            started_at_ms=started_ms,
            elapsed_ms=log.read().at_ms - started_ms,
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
        with suppress(asyncio.CancelledError):
            await asyncio.shield(session)
