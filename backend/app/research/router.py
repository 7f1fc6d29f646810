"""The router: conducts one session through all rooms and falls closed when anything is wrong (§3.6)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from typing import Any, Final

from ..kernel.canonical import JsonValue, canonical_bytes, digest_of
from ..kernel.capability import AnyCapability
from ..kernel.caps import CapsNarrowing
from ..kernel.errors import RequestInvalid, SandboxViolation
from ..kernel.health import Health
from ..kernel.journal_records import Opened
from ..kernel.outcome import Collected, ResearchOutcome, SourceBundle, Verdict
from ..kernel.ports import Machine, Notices, Observer, Plan
from ..kernel.request import Grant, Principal, ResearchRequest, capability_name, read_request, scopes_of
from ..kernel.results import SourceKind
from ..kernel.stops import Signal, StopReason
from ..kernel.tripwire import NO_TRIPWIRE, Tripwire
from . import audience, bundle, failures, resolver, validator
from .adapter import Adapter, Tally
from .basis import Answer, Basis, Running
from .health import NoMachine, health_of
from .policy import Policy
from .record.history import closed_record, fallen_verdict
from .record.opening import Memory, check_key, terms_for
from .record.recording import Past
from .record.session_log import SessionLog
from .record.terms import Terms, by_name
from .refused_openings import NoNotices, OpeningWatch
from .serving import Serving, narrowed, series_key
from .telemetry import Telemetry
from .time_limits import SessionTask

__all__ = ["Router"]

_NO_CAPABILITY: Final = "there is no such capability, or the principal lacks its scope"


class Router:
    """The one entrance; it has no rule of its own."""

    def __init__(
        self,
        basis: Basis,
        policy: Policy,
        adapter: Adapter,
        capabilities: Mapping[str, AnyCapability],
        memory: Memory,
        telemetry: Telemetry,
        tripwire: Tripwire = NO_TRIPWIRE,
        serving: Serving | None = None,
        notices: Notices | None = None,
        machine: Machine | None = None,
    ) -> None:
        self._basis = basis
        self._contract = basis.contract
        self._frozen = (basis.contract.digest, digest_of(policy.caps), basis.rules)
        self._policy = policy
        self._adapter = adapter
        self._capabilities = capabilities
        self._memory = memory
        self._telemetry = telemetry
        self._tripwire = tripwire
        self._serving = serving
        self._notices: Notices = tripwire.outside(notices or NoNotices())
        self._machine: Machine = machine or NoMachine()
        self._under_way: dict[SessionTask, None] = {}

    @property
    def capabilities(self) -> Mapping[str, AnyCapability]:
        """Everything that can be asked of this gate, by name."""
        return self._capabilities

    def health(self) -> Health:
        """Whether this gate can answer now, and what stands in the way; it changes nothing and waits for nobody."""
        return health_of(
            self._machine,
            self._policy.environment,
            self._policy.disabled_by,
            custom_caps=self._basis.custom_caps,
            tools=self._adapter.tools,
            capabilities=self._capabilities,
            sessions=len(self._under_way),
        )

    async def call(
        self,
        name: str,
        arguments: Mapping[str, JsonValue],
        principal: Principal,
        *,
        session_key: str | None = None,
        observer: Observer | None = None,
        narrow: CapsNarrowing | Mapping[str, int] | None = None,
        balance_units: int | None = None,
        clarified: bool = False,
        finish: Callable[[], bool] | None = None,
    ) -> Answer:
        """Ask one capability by name; the answer is its output, or a `Failure`.

        Raises:
            RequestInvalid: there is no such capability, or an argument is wrong: it is named, its value is not.
            Everything that `run` raises.
        """
        more: dict[str, Any] = {"narrow": narrow or {}, "balance_units": balance_units, "clarified": clarified}
        with OpeningWatch(self._notices, _NO_CAPABILITY) as opening:
            capability = self._capability(name, principal)
            opening.reason = f"the arguments of `{capability.name}` are wrong"
            given = capability.read(arguments)
            request = None if capability.result is None else capability.request(given, **more)
        result, serving, own_key = capability.result, self._serving, session_key or capability.key_of(given)
        if result is not None and request is not None:
            outcome = await self.run(request, principal, session_key=own_key, observer=observer, finish=finish)
            failed, conclude = failures.failure_of(outcome), result
            if failed is not None:
                if capability.stopped is None:
                    return Answer(failed, (outcome,))
                conclude = capability.stopped
            if serving is None:
                return Answer(conclude(given, outcome), (outcome,))
            return Answer(serving.concluded(capability, principal, lambda: conclude(given, outcome)), (outcome,))
        with OpeningWatch(
            self._notices, f"`{capability.name}` is not served here, or takes no such key, limits or balance"
        ):
            if serving is None:
                raise RequestInvalid(f"capability `{name}` is not served by this gate")
            allowed = read_request(question=capability.title, **more)
            if capability.kind != "series" and (session_key or allowed != read_request(question=allowed.question)):
                raise RequestInvalid(f"capability `{name}` opens no session, so it takes no key, limits or balance")
            if session_key is not None:
                check_key(session_key)

        async def session(asked: ResearchRequest, number: int, spent: int) -> ResearchOutcome:
            key = None if session_key is None else series_key(session_key, number)
            return await self.run(narrowed(asked, allowed, spent), principal, session_key=key, observer=observer)

        served = await serving.serve(capability, given, principal, session)
        return Answer(served.result, served.outcomes, served.withheld)

    async def run(
        self,
        request: ResearchRequest,
        principal: Principal,
        *,
        session_key: str | None = None,
        observer: Observer | None = None,
        finish: Callable[[], bool] | None = None,
    ) -> ResearchOutcome:
        """Run one session to its one stop; with a key, a finished session gives its outcome again and an unfinished
        one goes on without repeating a recorded call (R19). `finish` is asked between batches: True ends the plan
        there, and what was found stays (R34).

        Raises:
            RequestInvalid: the capability does not exist, its arguments are wrong, or the key belongs to another
                request, other rules or other settings; no session was opened.
            StoreBusy: a session with this key runs at this moment.
            StoreUnusable: the record of this key is damaged, or none can be begun; nothing was asked of anybody.
            asyncio.CancelledError: after the session was ended as TIMEOUT and its journal closed (R12).
        """
        cancellation: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        with OpeningWatch(self._notices, _NO_CAPABILITY) as opening:
            capability = self._capability(capability_name(request), principal)
            opening.reason = f"the arguments of `{capability.name}` are wrong"
            plan = self._plan(capability, request)
            opening.reason = ""  # what follows speaks of keys and stores, and repeats nothing that a caller wrote
            source = self._basis.plan_source(capability)
            known = await self._begun(request, principal, session_key, cancellation)
        if isinstance(known, ResearchOutcome):
            return known
        log = known
        if finish is not None:
            log.finish_wanted = finish
        if observer is not None:
            observer = self._tripwire.outside(observer)
        keyed = session_key is not None
        terms = terms_for(capability, self._basis.tools, self._adapter.tools, source, log)
        running = Running(log, request, principal, plan, terms, source, keyed, observer)
        session = SessionTask(self._session(running), cancellation)
        self._under_way[session] = None
        try:
            return await asyncio.shield(session)
        except asyncio.CancelledError:
            # R12: cancellation moves the deadline to now; it passes on once the session is closed.
            session.cancel()
            await session.closed()
            raise
        finally:
            del self._under_way[session]

    async def _begun(
        self, request: ResearchRequest, principal: Principal, key: str | None, cancellation: asyncio.Future[None]
    ) -> SessionLog | ResearchOutcome:
        """The log of a session that begins or goes on, or the outcome of one that has ended."""
        if key is None:
            return self._memory.begin(principal, cancellation)
        known = await self._memory.recall(request, principal, key, cancellation)
        if isinstance(known, ResearchOutcome):
            return known
        if known.past.opened is not None and self._depends_on(known.past.opened) != self._depends_on(None):
            known.writer.abandon()
            raise RequestInvalid("the session of this key was begun under other rules, caps or settings")
        return known

    async def end_sessions(self) -> None:
        """Cancel what is under way on this loop and wait until it is closed; a cancellation passes on after that."""
        loop = asyncio.get_running_loop()
        here = [session for session in self._under_way if session.get_loop() is loop]
        for session in here:
            session.cancel()
        for session in here:
            await session.closed()

    async def repeat(self, past: Past, opened: Opened, request: ResearchRequest, principal: Principal) -> SessionLog:
        """Run a recorded session again, from its record alone; the log knows where it differs.

        Tools are what their recorded entries say, and the plan's source is the recorded one: if the plan does
        otherwise today, a later step shows it (R22).

        Raises:
            RequestInvalid: there is no such capability any more, or it no longer takes these arguments.
        """
        plan = self._plan(self._capability(request.capability, principal), request)
        log = self._memory.repeat(past, opened.session_id, asyncio.get_running_loop().create_future())
        terms = Terms(by_name(opened.tools))
        running = Running(log, request, principal, plan, terms, opened.plan_source, opened.keyed)
        log.outcome = await self._session(running)
        return log

    def changed_since(self, opened: Opened) -> tuple[str, ...]:
        """What is no longer as it was when a session was opened, by name."""
        then = (opened.contract, opened.caps, opened.rules)
        return tuple(
            name
            for name, one, other in zip(("contract", "caps", "rules"), then, self._frozen, strict=True)
            if one != other
        )

    def _depends_on(self, opened: Opened | None) -> tuple[object, ...]:
        """What a session depends on beside its request and its tools: as it was recorded, or as it is here."""
        if opened is not None:
            switches = opened.environment, opened.research_enabled, opened.sealed
            return opened.contract, opened.caps, opened.rules, *switches
        policy = self._policy
        return *self._frozen, policy.environment, policy.research_enabled, policy.sealed

    def _capability(self, name: str, principal: Principal) -> AnyCapability:
        capability = self._capabilities.get(name) if isinstance(name, str) else None
        # One that needs a scope does not exist for those who lack it.
        if capability is None or not set(capability.scopes) <= scopes_of(principal):
            raise RequestInvalid(f"capability `{name}` does not exist")
        return capability

    def _plan(self, capability: AnyCapability, request: ResearchRequest) -> Plan | SandboxViolation:
        if capability.plan is None:
            raise RequestInvalid(f"capability `{capability.name}` opens no session; call it by its name")
        try:
            with self._tripwire.armed():
                return capability.plan(capability.input_of(request), request)
        except SandboxViolation as exc:
            return exc  # the session is opened all the same, so that its record says what happened

    async def _session(self, running: Running) -> ResearchOutcome:
        log, keyed = running.log, running.keyed
        started_ms = log.read().at_ms
        tally = Tally()
        with ExitStack() as held, self._telemetry.session(log.session_id, running.request.capability) as span:
            # For what is not an Exception: the process ends, or nobody runs this loop any more.
            held.callback(log.writer.abandon)
            try:
                with OpeningWatch(self._notices):
                    await self._open(running, started_ms)
                outcome = await self._conduct(running, started_ms, tally)
                await self._close(log, outcome, keyed)
            except Exception as exc:  # noqa: BLE001  the gate's last resort: whatever broke, it falls shut (R12)
                log.mark_failed()
                outcome = self._fallen(log, started_ms, running.request, tally, exc)
                await self._last_word(log, outcome, keyed)
            held.pop_all()
            self._telemetry.session_ended(span, outcome)
        if outcome.blocked:
            self._notices.blocked(outcome.session_id, outcome.blocked)
        return outcome

    async def _open(self, running: Running, started_ms: int) -> None:
        log, request, principal = running.log, running.request, running.principal
        recorded = log.past.opened
        await log.writer.begin()
        asked, asking = log.keep(canonical_bytes(request)), log.keep(canonical_bytes(principal))
        await log.stored()
        contract, caps, rules = self._frozen
        opened = Opened(
            format=2,
            session_id=log.session_id,
            tenant=principal.tenant,
            request=asked,
            principal=asking,
            capability=request.capability,
            contract_version=self._contract.version,
            environment=self._policy.environment,
            research_enabled=self._policy.research_enabled,
            sealed=self._policy.sealed,
            contract=contract,
            caps=caps,
            custom_caps=self._basis.custom_caps,
            rules=rules,
            tools=tuple(running.terms.entries.values()) if recorded is None else recorded.tools,
            plan_source=running.plan_source if recorded is None else recorded.plan_source,
            keyed=running.keyed,
            started_at_ms=started_ms,
        )
        log.note(opened)

    async def _conduct(self, running: Running, started_ms: int, tally: Tally) -> ResearchOutcome:
        log, request, plan, terms = running.log, running.request, running.plan, running.terms
        if isinstance(plan, SandboxViolation):
            raise plan
        with self._tripwire.armed():
            tools = tuple(terms.entries)
            granted = self._policy.grant(request, running.principal, log.session_id, started_ms, tools)
            if isinstance(granted, Grant):
                log.tell(running.observer, lambda told: told.session_started(granted))
                collected = await self._adapter.collect(granted, plan, terms, log, tally, running.observer)
            else:
                self._not_granted(log.session_id, granted)
                collected = Collected(signals=granted)
            return self._judged(log, started_ms, request, plan, collected)

    def _not_granted(self, session_id: str, signals: tuple[Signal, ...]) -> None:
        causes = ", ".join([signal.cause.value for signal in signals])
        unentitled = all(signal.reason is StopReason.ENTITLEMENT_CAP for signal in signals)
        self._notices.refused(f"session {session_id} is not granted: {causes}", callers_mistake=unentitled)

    async def _close(self, log: SessionLog, outcome: ResearchOutcome, keyed: bool) -> None:
        kept = log.keep(bundle.kept_outcome(outcome)) if keyed else None
        await log.stored()
        log.note(closed_record(outcome, bundle.outcome_digest(outcome), kept))
        await log.written()
        log.writer.close()

    async def _last_word(self, log: SessionLog, outcome: ResearchOutcome, keyed: bool) -> None:
        """Close a session that fell. Where its record goes on, or a store is the trouble, it stays open there: whoever
        has its key goes on with it, and the next start closes one without."""
        if not log.breaks_off:
            with suppress(Exception):
                await self._close(log, outcome, keyed)
                return
        log.writer.abandon()

    def _judged(
        self, log: SessionLog, started_ms: int, request: ResearchRequest, plan: Plan, collected: Collected
    ) -> ResearchOutcome:
        version = self._contract.version
        # INVARIANT R21: what an outside agent says it read grounds nothing, whatever a plan counts.
        kinds = tuple([kind for kind in plan.counts if kind is not SourceKind.REPORTED])
        counted = sum(source.kind in kinds for source in collected.sources)
        verdict = resolver.resolve(collected.signals, counted, request.clarified, self._contract)
        proposed = bundle.freeze(collected.sources, counted, verdict, version)
        checked = validator.check(verdict, proposed, request.clarified)
        sealed = bundle.freeze(collected.sources, counted, checked, version)
        return self._outcome(log, started_ms, request, checked, collected, sealed)

    def _fallen(
        self, log: SessionLog, started_ms: int, request: ResearchRequest, tally: Tally, exc: Exception
    ) -> ResearchOutcome:
        """INVARIANT 3.6: an unforeseen error ends in the baseline, told by its type alone."""
        verdict = fallen_verdict(exc)
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
            blocked=collected.blocked,
            gaps=audience.gaps_of(collected.outcomes),
            spent_units=collected.spent_units,
            ended=collected.ended,
        )
