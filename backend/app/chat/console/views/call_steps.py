"""The calls of a session in plan order: when they ran, what they reserved and spent, how they ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ....archive.run_again import SessionAgain
from ....kernel.calls import ToolCall
from ....kernel.journal_records import Called, Closed, Line, Opening, ReserveDecided
from ....kernel.ledger import Reserved
from ....kernel.results import CallOutcome
from ....parsing.html.links import host_of
from .shown_words import calls_family, param_text

__all__ = ["CallStep", "RungRow", "calls_of"]

_DOCUMENTS: Final = "doc_lookup"


@dataclass(frozen=True, slots=True)
class RungRow:
    """One provider of a ladder."""

    provider: str
    ended: str
    family: str


@dataclass(frozen=True, slots=True)
class CallStep:
    """One call that the plan asked for; `step` is the line of the journal that says how it ended."""

    step: int | None
    batch: int
    call_id: str
    tool: str
    place: str
    """The host, the provider that answered, or the collection."""
    ended: str
    family: str
    start_ms: int
    settled_ms: int
    limit_ms: int | None
    """How long it was allowed to take; None where that is not known."""
    units: int
    candidates: int
    accepted: int
    findings: int
    carriers: int
    rejected: tuple[tuple[str, int], ...]
    rungs: tuple[RungRow, ...]
    params: tuple[tuple[str, str], ...]
    about: str
    stored: str
    """The object that holds the answer."""


def calls_of(lines: Sequence[Line], again: SessionAgain | None) -> tuple[CallStep, ...]:
    """Every call, those of a refused batch included where the plan is known."""
    first = lines[0].record if lines else None
    started_ms = first.started_at_ms if isinstance(first, Opening) else 0
    asked = {call.call_id: call for batch in (again.batches if again else ()) for call in batch.calls}
    return tuple(_steps(lines, again, asked, started_ms))


def _steps(
    lines: Sequence[Line], again: SessionAgain | None, asked: Mapping[str, ToolCall], started_ms: int
) -> Iterator[CallStep]:
    caps = again.grant.caps if again is not None and again.grant is not None else None
    batch = at_ms = 0
    limit_ms: int | None = None
    fresh = False
    for number, line in enumerate(lines, start=1):
        record = line.record
        if line.reads:
            at_ms = max(at_ms, *(reading.at_ms - started_ms for reading in line.reads))
        if isinstance(record, ReserveDecided):
            batch, fresh = batch + 1, True
            if not isinstance(record.decision, Reserved):
                yield from _refused(number, batch, again, at_ms)
        elif isinstance(record, Called):
            if fresh and line.reads:
                begun_ms, fresh = max(0, line.reads[0].at_ms - started_ms), False
                if caps is not None:
                    limit_ms = max(0, min(caps.per_call_timeout_ms, caps.total_research_timeout_ms - begun_ms))
            start_ms = begun_ms if batch else 0
            yield _called(number, batch, record, start_ms, limit_ms, asked.get(record.outcome.call_id))
        elif isinstance(record, Closed):
            return


def _called(
    number: int, batch: int, record: Called, start_ms: int, limit_ms: int | None, call: ToolCall | None
) -> CallStep:
    out = record.outcome
    codes = [rejection.code.value for rejection in record.rejections]
    return CallStep(
        step=number,
        batch=batch,
        call_id=out.call_id,
        tool=out.tool,
        place=_place(call, out),
        ended=out.unavailable.value if out.unavailable is not None else out.status.value,
        family="security" if record.findings else calls_family(out.status),
        start_ms=start_ms,
        settled_ms=out.elapsed_ms,
        limit_ms=limit_ms,
        units=out.spent_units,
        candidates=out.candidates,
        accepted=out.accepted,
        findings=len(record.findings),
        carriers=out.carriers_removed,
        rejected=tuple((code, codes.count(code)) for code in dict.fromkeys(codes)),
        rungs=tuple(_rungs(out)),
        params=() if call is None else tuple((name, param_text(value)) for name, value in call.params),
        about="" if call is None else call.about,
        stored=record.input.raw or "",
    )


def _refused(number: int, batch: int, again: SessionAgain | None, at_ms: int) -> Iterator[CallStep]:
    """The calls that the ledger did not let start."""
    batches = again.batches if again is not None else ()
    for call in batches[batch - 1].calls if len(batches) >= batch else ():
        yield CallStep(
            step=number,
            batch=batch,
            call_id=call.call_id,
            tool=call.tool,
            place=_place(call, None),
            ended="not started",
            family="access",
            start_ms=at_ms,
            settled_ms=0,
            limit_ms=None,
            units=0,
            candidates=0,
            accepted=0,
            findings=0,
            carriers=0,
            rejected=(),
            rungs=(),
            params=tuple((name, param_text(value)) for name, value in call.params),
            about=call.about,
            stored="",
        )


def _place(call: ToolCall | None, out: CallOutcome | None) -> str:
    answered = next((rung.provider for rung in out.rungs if rung.fault is None), "") if out is not None else ""
    if answered:
        return answered
    url = call.param("url") if call is not None else None
    if isinstance(url, str):
        return host_of(url)
    if call is not None and call.tool == _DOCUMENTS:
        return "documents"
    return out.rungs[-1].provider if out is not None and out.rungs else ""


def _rungs(out: CallOutcome) -> Iterator[RungRow]:
    for rung in out.rungs:
        ended = "answered" if rung.fault is None else rung.fault.value
        cached = ", from the cache" if rung.cached else ""
        breaker = f", breaker {rung.breaker.replace('_', ' ')}" if rung.breaker else ""
        yield RungRow(rung.provider, f"{ended}{cached}{breaker}", "success" if rung.fault is None else "limit")
