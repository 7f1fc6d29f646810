"""What the journal tells an operator: one line per session, and one session step by step; no text of anybody's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ...kernel.canonical import digest_of
from ...kernel.counting import counted
from ...kernel.errors import ContractViolation, SandboxViolation, StoreUnusable
from ...kernel.journal_records import (
    Called,
    Closed,
    Erased,
    FinishAsked,
    Line,
    Opened,
    OpenedV1,
    Opening,
    PortFailed,
    Recovered,
    ReserveDecided,
    Resumed,
    Written,
    ending_of,
    written_line,
)
from ...kernel.ledger import Refused
from ...kernel.models import Digest, FrozenModel, Identifier
from ...kernel.outcome import ResearchOutcome, Verdict
from ...kernel.results import LocatedFinding
from ...kernel.stops import Action, Cause, Signal, StopReason
from .recording import RememberedFailure

__all__ = [
    "Receipt",
    "SessionHistory",
    "SessionSummary",
    "TimelineStep",
    "closed_record",
    "fallen_verdict",
    "history_of",
    "receipt_of",
    "recovered_line",
]

State = Literal["open", "closed", "recovered", "damaged"]


class SessionSummary(FrozenModel):
    """One row of a list; the id first."""

    session_id: Identifier
    tenant: Identifier
    state: State
    erased: bool
    stop: StopReason | None
    action: Action | None
    capability: Identifier
    environment: str
    started_at_ms: int
    elapsed_ms: int
    calls: int
    spent_units: int
    sources: int


class TimelineStep(FrozenModel):
    """One line of the journal, in words of the contract; `at_ms` counts from the start of the session."""

    step: int
    kind: str
    at_ms: int
    facts: str


class SessionHistory(FrozenModel):
    """One session: its summary, every signal with its numbers, and its timeline."""

    summary: SessionSummary
    signals: tuple[Signal, ...]
    timeline: tuple[TimelineStep, ...]
    broken_at: int | None = None
    blocked: tuple[LocatedFinding, ...] = ()
    """Which documents or pages carried a directive; from the content store, so nothing where that was erased."""


class Receipt(FrozenModel):
    """What a session leaves to show: hashes of what went in and came out, bound to its journal by the head."""

    receipt_id: Digest
    session_id: Identifier
    contract_version: str
    contract: Digest
    rules: Digest
    environment: str
    capability: Identifier
    request: Digest
    principal: Digest
    plan: Digest
    sources: tuple[Digest, ...]
    withheld: tuple[Digest, ...]
    bundle: Digest
    outcome: Digest
    stop: StopReason
    action: Action
    calls: int
    spent_units: int
    elapsed_ms: int
    started_at_ms: int
    journal_head: Digest
    lines: int
    caps: Digest | None = None
    """None for a session of format 1, where `contract` covers the caps."""
    custom_caps: bool = False
    """Whether an operator's own caps table ruled (R24)."""
    plan_source: Digest | None = None
    """Over the source of the plan; `plan` is over the batches that it asked for."""

    @property
    def intact(self) -> bool:
        """Whether the id is that of the content."""
        return self.receipt_id == _receipt_id(self)


def history_of(
    lines: Sequence[Line], broken_at: int | None = None, blocked: tuple[LocatedFinding, ...] = ()
) -> SessionHistory:
    """Read a journal for an operator.

    Raises:
        StoreUnusable: not even its first line can be read.
    """
    opened = _opened(lines)
    last = ending_of(lines)
    verdict = None if last is None else last.verdict
    calls = [line.record for line in lines if isinstance(line.record, Called)]
    state: State = "damaged" if broken_at is not None else "open"
    if broken_at is None and last is not None:
        state = "closed" if isinstance(last, Closed) else "recovered"
    moments = _moments(lines, opened.started_at_ms)
    summary = SessionSummary(
        session_id=opened.session_id,
        tenant=opened.tenant,
        state=state,
        erased=any(isinstance(line.record, Erased) for line in lines),
        stop=verdict.stop if verdict else None,
        action=verdict.action if verdict else None,
        capability=opened.capability,
        environment=opened.environment,
        started_at_ms=opened.started_at_ms,
        elapsed_ms=last.elapsed_ms if isinstance(last, Closed) else max(moments),
        calls=len(calls),
        spent_units=last.spent_units if isinstance(last, Closed) else sum(c.outcome.spent_units for c in calls),
        sources=len(last.sources) if isinstance(last, Closed) else 0,
    )
    timeline = tuple(
        TimelineStep(step=number, kind=line.step, at_ms=at_ms, facts=_facts(line))
        for number, (line, at_ms) in enumerate(zip(lines, moments, strict=True), start=1)
    )
    signals = verdict.signals if verdict else ()
    return SessionHistory(summary=summary, signals=signals, timeline=timeline, broken_at=broken_at, blocked=blocked)


def receipt_of(lines: Sequence[Line]) -> Receipt:
    """The receipt of a finished session.

    Raises:
        StoreUnusable: the session did not come to an end of its own.
    """
    opened = _opened(lines)
    ends = ((at, line.digest, line.record) for at, line in enumerate(lines, start=1) if isinstance(line.record, Closed))
    end = next(ends, None)
    if end is None:
        raise StoreUnusable(f"session `{opened.session_id}` has no end, so there is no receipt")
    count, head, closed = end
    draft = Receipt(
        receipt_id="0" * 64,
        session_id=opened.session_id,
        contract_version=opened.contract_version,
        contract=opened.contract,
        rules=opened.rules,
        environment=opened.environment,
        capability=opened.capability,
        request=opened.request,
        principal=opened.principal,
        plan=digest_of([line.record.batch for line in lines if isinstance(line.record, ReserveDecided)]),
        sources=closed.sources,
        withheld=closed.withheld,
        bundle=closed.bundle,
        outcome=closed.outcome,
        stop=closed.verdict.stop,
        action=closed.verdict.action,
        calls=closed.calls,
        spent_units=closed.spent_units,
        elapsed_ms=closed.elapsed_ms,
        started_at_ms=opened.started_at_ms,
        journal_head=head,
        lines=count,
        caps=opened.caps if isinstance(opened, Opened) else None,
        custom_caps=isinstance(opened, Opened) and opened.custom_caps,
        plan_source=opened.plan_source if isinstance(opened, Opened) else None,
    )
    return Receipt.model_validate({**dict(draft), "receipt_id": _receipt_id(draft)})


def closed_record(outcome: ResearchOutcome, digest: Digest, kept: Digest | None) -> Closed:
    """The last line of a session that came to its own end; `kept` is its outcome in the store, for who has its key."""
    return Closed(
        outcome=digest,
        verdict=outcome.verdict,
        bundle=outcome.bundle.digest,
        sources=tuple(source.source_id for source in outcome.bundle.sources),
        withheld=outcome.bundle.withheld_source_ids,
        calls=len(outcome.outcomes),
        spent_units=outcome.spent_units,
        elapsed_ms=outcome.elapsed_ms,
        ended=outcome.ended.value,
        kept=kept,
    )


def recovered_line(head: str, found_at_ms: int, released: int) -> Written:
    """R12: the last line of a session whose process went away."""
    signal = Signal(
        reason=StopReason.INTERNAL_INCONSISTENCY, cause=Cause.UNEXPECTED_ERROR, code="interrupted", value=released
    )
    verdict = Verdict(stop=signal.reason, action=Action.BASELINE, signals=(signal,))
    return written_line(head, (), Recovered(verdict=verdict, found_at_ms=found_at_ms, released=released))


def fallen_verdict(exc: Exception) -> Verdict:
    """INVARIANT 3.6: the verdict on a session that an unforeseen error ended, told by its type alone."""
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
    return Verdict(stop=signal.reason, action=Action.BASELINE, signals=(signal,))


def _receipt_id(receipt: Receipt) -> str:
    # Without fields at their default, so that a receipt of an older version keeps its id.
    return digest_of(receipt, without={"receipt_id"})


def _opened(lines: Sequence[Line]) -> Opened | OpenedV1:
    first = lines[0].record if lines else None
    if not isinstance(first, Opened | OpenedV1):
        raise StoreUnusable("the journal does not begin with the opening of a session")
    return first


def _moments(lines: Sequence[Line], started_ms: int) -> list[int]:
    """When each line was written, as far as the readings before it tell."""
    moments, last_ms = [], 0
    for line in lines:
        last_ms = max([last_ms, *(reading.at_ms - started_ms for reading in line.reads)])
        moments.append(last_ms)
    return moments


def _facts(line: Line) -> str:
    match line.record:
        case Opening() as opened:
            return f"{opened.capability} in {opened.environment}, contract {opened.contract_version}"
        case ReserveDecided() as asked if isinstance(asked.decision, Refused):
            causes = ", ".join(signal.cause.value for signal in asked.decision.signals)
            return f"{_wish(asked)}: refused ({causes})"
        case ReserveDecided() as asked:
            return f"{_wish(asked)}: reserved"
        case Called() as called:
            out = called.outcome
            why = f" ({out.unavailable.value})" if out.unavailable else ""
            found = f"{counted(out.candidates, 'candidate')}, {out.accepted} accepted"
            found = f"{found}, {counted(len(called.findings), 'finding')}"
            return f"{out.call_id} {out.tool}: {out.status.value}{why} in {out.elapsed_ms} ms, {found}"
        case PortFailed() as failed:
            return f"{failed.port} failed: {failed.error}"
        case Resumed() as resumed:
            return f"went on after {resumed.away_ms} ms"
        case FinishAsked() as finish:
            return f"asked to finish after {counted(finish.calls, 'call')}"
        case Closed() as closed:
            return f"{closed.verdict.stop.value}, {closed.verdict.action.value}, {counted(closed.spent_units, 'unit')}"
        case Recovered() as recovered:
            return f"found open, process gone; {counted(recovered.released, 'reservation')} released"
        case erased:
            return f"{counted(erased.objects, 'object')} erased, {erased.shared} kept for other sessions"


def _wish(asked: ReserveDecided) -> str:
    return f"{counted(asked.wish.calls, 'call')}, {counted(asked.wish.units, 'unit')}"
