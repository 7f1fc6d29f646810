"""The adapter: the only way to a tool. It runs a plan in batches and judges what comes back in plan order (§3.1)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..kernel.calls import Batch, CallContext, Done, Ended, ToolCall
from ..kernel.canonical import digest_of
from ..kernel.catalog import ToolEntry
from ..kernel.errors import ContractViolation, StoreBusy
from ..kernel.journal_records import Called, ReserveDecided
from ..kernel.ledger import Refused, Reservation, Reserved
from ..kernel.outcome import Collected, SoFar
from ..kernel.ports import Clock, Ledger, Observer, Plan, Toolbox
from ..kernel.request import Grant
from ..kernel.results import CallOutcome, Finding, LocatedFinding, RawResult, Rejection, ScreenedResult, Source
from ..kernel.stops import Cause, Signal, StopReason
from ..kernel.tripwire import NO_TRIPWIRE, Tripwire
from ..tools.opener import ToolOpener
from . import validator
from .call_results import LOST, WITHDRAWN, CallResult, TakenResult, read_answer, remembered, take
from .record.blocked_sources import located
from .record.session_log import SessionLog
from .record.terms import Terms
from .telemetry import Telemetry
from .time_limits import Cutter, Ran

# INVARIANT 3.1: no other module of the house imports `tools`; wiring takes the opener of all tools from here.
__all__ = [
    "LEASE_SLACK_MS",
    "Adapter",
    "Screen",
    "Tally",
    "ToolOpener",
]

LEASE_SLACK_MS = 10_000


class Screen(Protocol):
    """The injection screen as the adapter sees it."""

    def __call__(self, call_id: str, raw: RawResult) -> ScreenedResult: ...


@dataclass
class Tally:
    """What a session has called and spent so far; the router still has it when a room breaks half-way."""

    outcomes: list[CallOutcome] = field(default_factory=list)
    spent_units: int = 0


class Adapter:
    """Holds the tools; everything that comes out of them leaves here screened and judged."""

    def __init__(
        self,
        toolbox: Toolbox,
        screen: Screen,
        ledger: Ledger,
        clock: Clock,
        telemetry: Telemetry,
        tripwire: Tripwire = NO_TRIPWIRE,
    ) -> None:
        self._toolbox = toolbox
        self._screen = screen
        self._ledger = tripwire.outside(ledger)
        self._telemetry = tripwire.outside(telemetry)
        self._tripwire = tripwire
        self._cutter = Cutter(clock)

    async def collect(
        self,
        grant: Grant,
        plan: Plan,
        terms: Terms,
        log: SessionLog,
        tally: Tally,
        observer: Observer | None = None,
    ) -> Collected:
        """Run the plan to its own end, or to the first batch that signals; keep every signal (R1)."""
        run = _Run(grant, terms, log, tally, observer)
        # INVARIANT 3.5: every turn of this loop reserves at least one call of a fixed number, so it ends.
        while not run.signals:
            # R34: applied between batches, once something was asked; it removes no signal.
            if run.batches and log.finish_asked(run.calls):
                run.ended = Ended.FINISHED_EARLY
                break
            step = plan.next_step(grant, run.so_far())
            if isinstance(step, Done):
                run.ended = Ended(step.why)
                break
            await self._batch(run, step)
        _late(run)
        run.signals.extend(validator.conclude(run.candidates, len(run.sources), run.rejections))
        return run.collected()

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools of this host, by name."""
        return tuple(sorted(self._toolbox))

    async def _batch(self, run: _Run, batch: Batch) -> None:
        entries = self._allowed(run, batch)
        if batch.wait_ms:
            await self._wait(run, batch.wait_ms)
        if _late(run):
            return
        wish = self._wish(run, batch, entries)
        try:
            decision, again = await self._decision(run, wish)
        except StoreBusy:
            # The ledger was locked until the session's time was over: that is a time-out like any other.
            if not run.log.breaks_off and _late(run):
                return
            raise
        decided = ReserveDecided(batch=digest_of(batch), wish=wish, decision=decision)
        if isinstance(decision, Refused):
            run.signals.extend(decision.signals)
            run.log.note(decided)
            return
        run.charged, whole = 0, False
        try:
            run.calls += wish.calls
            run.log.note(decided)
            await run.log.written()
            # From the first call on, which an earlier life may have made, the worst case until the record says less.
            run.charged = decision.units if run.log.came_back else 0
            run.observed_batch()
            run.charged = decision.units
            await self._call_all(run, batch.calls, entries, again)
            await run.log.written()
            whole = True
        finally:
            # R11: settled whatever happened; where the session stays open, by whoever goes on with it (R19).
            run.tally.spent_units += run.charged
            with run.log.port("ledger.settle"):
                if await run.log.may_settle(whole=whole):
                    await self._ledger.settle(decision.reservation_id, run.charged)

    async def _decision(self, run: _Run, wish: Reservation) -> tuple[Reserved | Refused, bool]:
        """The ledger's word, and whether it was given before."""
        recorded = run.log.decided()
        if recorded is not None:
            if run.log.past.goes_on and isinstance(recorded.decision, Reserved):
                # The ledger knows the key; where it has forgotten it, the calls to come are counted anew.
                await self._ledger.reserve(wish)
            return recorded.decision, True
        with run.log.port("ledger.reserve"):
            return await self._ledger.reserve(wish, lambda: _over(run)), False

    def _allowed(self, run: _Run, batch: Batch) -> list[ToolEntry]:
        """Refuse what no registered plan may ask for; such a plan is our own mistake."""
        entries = []
        recorded = run.log.past.tools_now
        seen = {outcome.call_id for outcome in run.tally.outcomes}
        for call in batch.calls:
            entry = run.terms.entry(call.tool, recorded)
            # INVARIANT 3.1: only tools of the catalogue, and only those of this grant.
            if entry is None or call.tool not in run.grant.allowed_tools:
                raise ContractViolation(f"tool `{call.tool}` is not allowed")
            if call.call_id in seen:
                raise ContractViolation(f"call `{call.call_id}` is asked for twice")
            if entry.effect == "external_write" and len(batch.calls) > 1:
                raise ContractViolation(f"external write `{call.call_id}` must be alone in its batch")
            seen.add(call.call_id)
            entries.append(entry)
        return entries

    async def _wait(self, run: _Run, wait_ms: int) -> None:
        """A pause that the plan asked for; it cannot outlast the session."""
        remaining_ms = run.grant.deadline_ms - run.log.read().at_ms
        if not run.log.past.repeating:
            await self._cutter.run([asyncio.sleep(wait_ms / 1000)], max(0, remaining_ms), run.log.cancellation)

    def _wish(self, run: _Run, batch: Batch, entries: Sequence[ToolEntry]) -> Reservation:
        grant = run.grant
        run.batches += 1
        return Reservation(
            subject=grant.subject,
            session_id=grant.session_id,
            key=f"batch-{run.batches}",
            calls=len(batch.calls),
            units=sum(entry.price_units for entry in entries),
            max_calls_per_minute=grant.caps.max_tool_calls_per_minute,
            max_calls_total=grant.caps.max_tool_calls_total,
            max_units=grant.budget_units,
            lease_ms=grant.caps.total_research_timeout_ms + LEASE_SLACK_MS,
        )

    async def _call_all(self, run: _Run, calls: Sequence[ToolCall], entries: Sequence[ToolEntry], again: bool) -> None:
        remaining_ms = max(0, run.grant.deadline_ms - run.log.read().at_ms)
        limit_ms = min(run.grant.caps.per_call_timeout_ms, remaining_ms)
        spans = [self._telemetry.call_started(call) for call in calls]
        ended = await self._take_all(run, calls, entries, limit_ms, again)
        cause = _cut_cause(run.log.read().cancelled, limit_ms == remaining_ms)
        results = [
            take(entry, end, run.log.keep) if isinstance(end, Ran) else end
            for entry, end in zip(entries, ended, strict=True)
        ]
        await run.log.stored()
        for call, entry, taken, span in zip(calls, entries, results, spans, strict=True):
            answer = read_answer(call, entry, taken, limit_ms, cause)
            called = self._judge(run, call, entry, answer, taken)
            self._telemetry.call_ended(span, called.outcome)
            run.log.note(called)
            run.charged += answer.spent_units - entry.price_units
            run.observed_call(called.outcome)

    async def _take_all(
        self, run: _Run, calls: Sequence[ToolCall], entries: Sequence[ToolEntry], limit_ms: int, again: bool
    ) -> list[Ran[RawResult] | TakenResult]:
        """What came from outside for each call: from the record where it is there, else from the tool itself."""
        known = {call.call_id: found for call in calls if (found := run.log.past.answered(call.call_id)) is not None}
        pairs = [
            (call, entry)
            for call, entry in zip(calls, entries, strict=True)
            if call.call_id not in known and not (again and entry.effect == "external_write")
        ]
        gone = [call.call_id for call, _ in pairs if call.tool in run.terms.withdrawn]
        pairs = [(call, entry) for call, entry in pairs if call.call_id not in gone]
        ended: dict[str, Ran[RawResult] | TakenResult] = dict.fromkeys(gone, WITHDRAWN)
        if pairs:
            work = [self._invoke(run.grant, call, entry, limit_ms) for call, entry in pairs]
            ran = await self._cutter.run(work, limit_ms, run.log.cancellation)
            ended.update({call.call_id: end for (call, _), end in zip(pairs, ran, strict=True)})
        for call_id, found in known.items():
            ended[call_id] = remembered(*found)
        return [ended.get(call.call_id, LOST) for call in calls]

    async def _invoke(self, grant: Grant, call: ToolCall, entry: ToolEntry, limit_ms: int) -> RawResult:
        context = CallContext(
            tenant=grant.tenant,
            user=grant.subject.removeprefix(f"{grant.tenant}/"),
            collection=grant.collection,
            own_deadline_ms=min(entry.own_deadline_ms, limit_ms),
            max_output_bytes=entry.max_output_bytes,
        )
        with self._tripwire.tool_call():
            return await self._toolbox[call.tool].call(call, context)

    def _judge(self, run: _Run, call: ToolCall, entry: ToolEntry, answer: CallResult, taken: TakenResult) -> Called:
        """Screen, then validate: in plan order, so that the order of completion leaves no trace."""
        candidates, carriers_removed, judged = 0, 0, _NONE
        findings: tuple[Finding, ...] = ()
        if answer.signal is not None:
            run.signals.append(answer.signal)
        if answer.raw is not None:
            screened = self._screen(call.call_id, answer.raw)
            judged = validator.accept(screened.items, call, entry.schemes, run.grant.collection, tuple(run.sources))
            candidates, findings = len(screened.items), screened.findings
            carriers_removed = screened.carriers_removed
            run.take(call, screened, judged)
            run.blocked.extend(located(call.call_id, screened.findings, answer.raw))
        outcome = CallOutcome(
            call_id=call.call_id,
            branch=call.branch,
            tool=call.tool,
            status=answer.status,
            unavailable=answer.unavailable,
            spent_units=answer.spent_units,
            elapsed_ms=taken.input.elapsed_ms,
            candidates=candidates,
            accepted=len(judged.sources),
            carriers_removed=carriers_removed,
            truncated=answer.raw is not None and answer.raw.truncated,
            age_ms=None if answer.raw is None else answer.raw.age_ms,
            max_age_ms=None if answer.raw is None else answer.raw.max_age_ms,
            rungs=() if answer.raw is None else answer.raw.rungs,
            offered=() if answer.raw is None else answer.raw.offered,
        )
        run.tally.outcomes.append(outcome)
        return Called(
            input=taken.input,
            outcome=outcome,
            sources=tuple([source.source_id for source in judged.sources]),
            rejections=judged.rejections,
            findings=findings,
        )


_NONE = validator.Accepted(sources=(), rejections=(), signals=())


@dataclass
class _Run:
    """What one run of a plan has brought home so far; it never leaves this room."""

    grant: Grant
    terms: Terms
    log: SessionLog
    tally: Tally
    observer: Observer | None
    sources: list[Source] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    blocked: list[LocatedFinding] = field(default_factory=list)
    signals: list[Signal] = field(default_factory=list)
    candidates: int = 0
    carriers_removed: int = 0
    batches: int = 0
    calls: int = 0
    charged: int = 0
    """Units of the batch under way."""
    ended: Ended = Ended.STOPPED

    def so_far(self) -> SoFar:
        return SoFar(
            sources=tuple(self.sources),
            outcomes=tuple(self.tally.outcomes),
            calls_left=self.calls_left,
            units_left=self.units_left,
        )

    @property
    def calls_left(self) -> int:
        return self.grant.caps.max_tool_calls_total - self.calls

    @property
    def units_left(self) -> int:
        return self.grant.budget_units - self.tally.spent_units

    def take(self, call: ToolCall, screened: ScreenedResult, judged: validator.Accepted) -> None:
        self.candidates += len(screened.items)
        self.carriers_removed += screened.carriers_removed
        self.findings.extend(screened.findings)
        for finding in screened.findings:
            # INVARIANT 3.4: one directive anywhere stops the session (R7).
            self.signals.append(
                Signal(
                    reason=StopReason.INJECTION_DETECTED,
                    cause=Cause.DIRECTIVE,
                    call_id=call.call_id,
                    code=finding.rule_id,
                    value=finding.start,
                )
            )
        self.sources.extend(judged.sources)
        self.rejections.extend(judged.rejections)
        self.signals.extend(judged.signals)

    def observed_batch(self) -> None:
        calls, units = self.calls_left, self.units_left
        remaining_ms = max(0, self.grant.deadline_ms - self.log.peek().at_ms)
        self.log.tell(self.observer, lambda told: told.batch_started(calls, units, remaining_ms))

    def observed_call(self, outcome: CallOutcome) -> None:
        self.log.tell(self.observer, lambda told: told.call_finished(outcome))

    def collected(self) -> Collected:
        return Collected(
            sources=tuple(self.sources),
            outcomes=tuple(self.tally.outcomes),
            rejections=tuple(self.rejections),
            findings=tuple(self.findings),
            blocked=tuple(self.blocked),
            signals=tuple(self.signals),
            carriers_removed=self.carriers_removed,
            spent_units=self.tally.spent_units,
            ended=Ended.STOPPED if self.signals else self.ended,
        )


def _over(run: _Run) -> bool:
    now = run.log.peek()
    return now.cancelled or now.at_ms > run.grant.deadline_ms


def _late(run: _Run) -> bool:
    """Signal TIMEOUT once when the session's time is over or the caller has gone."""
    now = run.log.read()
    elapsed_ms, limit_ms = now.at_ms - run.grant.started_at_ms, run.grant.caps.total_research_timeout_ms
    known = {signal.cause for signal in run.signals}
    if now.cancelled and Cause.CANCELLED not in known:
        run.signals.append(Signal(reason=StopReason.TIMEOUT, cause=Cause.CANCELLED, value=elapsed_ms))
    if elapsed_ms > limit_ms and Cause.TOTAL_TIMEOUT not in known:
        cause = Cause.TOTAL_TIMEOUT
        run.signals.append(Signal(reason=StopReason.TIMEOUT, cause=cause, limit=limit_ms, value=elapsed_ms))
    return bool(run.signals)


def _cut_cause(cancelled: bool, total_bound: bool) -> Cause:
    if cancelled:
        return Cause.CANCELLED
    return Cause.TOTAL_TIMEOUT if total_bound else Cause.PER_CALL_TIMEOUT
