"""One request as its page shows it: why it stopped, what it spent, calls, sources, findings, receipt, journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ....archive.blocked_words import BlockedWords
from ....archive.recut import RecutSource
from ....archive.run_again import SessionAgain
from ....kernel.contract import StopTable
from ....kernel.journal_records import Line, ReserveDecided
from ....research.record.history import Receipt, SessionHistory, TimelineStep
from .ask_page import AnswerView, answer_of
from .call_steps import CallStep, calls_of
from .shown_words import age, day_time, millis, stop_family, visible
from .source_panels import SourcePanel, panels_of
from .stop_reason_why import StopWhy, why_stopped
from .waterfall import Waterfall, waterfall_of

__all__ = ["FindingRow", "RecordedParts", "RequestPage", "SpendBar", "StepRow", "neighbours", "page_of"]

SPEND_WIDTH: Final = 84
_NOT_AGAIN: Final = {
    "erased": "The content of this session was erased. Its journal and receipt stay; question, sources and plan "
    "are gone.",
    "missing": "The store has lost an object of this session, so its plan and answer cannot be shown.",
    "older_format": "This session is recorded in an older format: it can be shown and verified, but not run again.",
    "damaged": "The journal of this session is damaged. Move the file away after you have looked at it, or restore it "
    "from a back-up.",
    "open": "This session has not ended, so its plan and answer are not shown yet.",
    "differs": "This session does not come out as it is recorded, so its plan and answer are not shown. "
    "Replay it to see the first step that differs.",
}


@dataclass(frozen=True, slots=True)
class RecordedParts:
    """What the archive gives of one session."""

    history: SessionHistory
    lines: tuple[Line, ...]
    question: str
    recut: tuple[RecutSource, ...]
    blocked: tuple[BlockedWords, ...]
    receipt: Receipt | None
    again: SessionAgain


@dataclass(frozen=True, slots=True)
class SpendBar:
    """What was used of one cap."""

    name: str
    text: str
    used: int
    full: int
    family: str


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One blocked text, shown as text."""

    rule_id: str
    call_id: str
    part: str
    place: str
    locator: str
    title: str
    before: str
    words: str
    after: str


@dataclass(frozen=True, slots=True)
class StepRow:
    """One line of the journal."""

    step: int
    at: str
    kind: str
    facts: str
    selected: bool


@dataclass(frozen=True, slots=True)
class RequestPage:
    """Everything on the page."""

    session_id: str
    stop: str
    family: str
    action: str
    state: str
    capability: str
    environment: str
    tenant: str
    user: str
    tier: str
    moment: str
    age: str
    question: str
    notice: str
    why: StopWhy
    spend: tuple[SpendBar, ...]
    waterfall: Waterfall
    calls: tuple[CallStep, ...]
    selected_call: CallStep | None
    answer: AnswerView | None
    sources: tuple[SourcePanel, ...]
    findings: tuple[FindingRow, ...]
    receipt: str
    receipt_id: str
    steps: tuple[StepRow, ...]
    broken_at: int | None
    ended: bool


def page_of(parts: RecordedParts, stops: StopTable, now_ms: int, step: int | None = None) -> RequestPage:
    """The page of one session; `step` is the line of the journal that is looked at."""
    row, again = parts.history.summary, parts.again
    calls = calls_of(parts.lines, again)
    caps = None if again.grant is None else again.grant.caps
    principal = again.principal
    return RequestPage(
        session_id=row.session_id,
        stop=row.state if row.stop is None else row.stop.value,
        family="security" if row.state == "damaged" else stop_family(row.stop),
        action="" if row.action is None else row.action.value,
        state=f"{row.state}, content erased" if row.erased else row.state,
        capability=row.capability,
        environment=row.environment,
        tenant=row.tenant,
        user="" if principal is None else principal.user,
        tier="" if principal is None else principal.tier,
        moment=f"{day_time(row.started_at_ms)} UTC",
        age=age(row.started_at_ms, now_ms),
        question=visible(parts.question),
        notice=_notice(parts),
        why=why_stopped(
            row.stop,
            parts.history.signals,
            stops,
            calls=row.calls,
            sources=row.sources,
            broken_at=parts.history.broken_at,
        ),
        spend=_spend(parts),
        waterfall=waterfall_of(calls, row.elapsed_ms, None if caps is None else caps.total_research_timeout_ms, step),
        calls=calls,
        selected_call=next((call for call in calls if step is not None and call.step == step), None),
        answer=None if again.result is None else answer_of(again.result),
        sources=panels_of(parts.recut, again.result),
        findings=tuple(_finding(one) for one in parts.blocked),
        receipt="" if parts.receipt is None else parts.receipt.model_dump_json(exclude_defaults=True, indent=2),
        receipt_id="" if parts.receipt is None else parts.receipt.receipt_id,
        steps=tuple(_step(one, step) for one in parts.history.timeline),
        broken_at=parts.history.broken_at,
        ended=row.stop is not None,
    )


def _notice(parts: RecordedParts) -> str:
    """What is missing from the page, and what to do about it."""
    told = parts.again.replayed
    text = _NOT_AGAIN.get(told.result, "")
    if told.result in ("missing", "damaged", "differs") and told.why:
        return f"{text} ({told.why})"
    return text


def _spend(parts: RecordedParts) -> tuple[SpendBar, ...]:
    row, grant = parts.history.summary, parts.again.grant
    caps = None if grant is None else grant.caps
    # Where it cannot be run again, its first reservation says what it was granted.
    wish = next((line.record.wish for line in parts.lines if isinstance(line.record, ReserveDecided)), None)
    calls, units = (None, None) if wish is None else (wish.max_calls_total, wish.max_units)
    return (
        _bar("calls", row.calls, calls if caps is None else caps.max_tool_calls_total, f"{row.calls}", ""),
        _bar(
            "time",
            row.elapsed_ms,
            None if caps is None else caps.total_research_timeout_ms,
            millis(row.elapsed_ms),
            "" if caps is None else millis(caps.total_research_timeout_ms),
        ),
        _bar("units", row.spent_units, units if grant is None else grant.budget_units, f"{row.spent_units:,}", ""),
    )


def _bar(name: str, used: int, cap: int | None, said: str, cap_said: str) -> SpendBar:
    if cap is None:
        return SpendBar(name, f"{said} (no cap on record)", 0, SPEND_WIDTH, "access")
    width = min(SPEND_WIDTH, -(-SPEND_WIDTH * used // max(1, cap)))
    return SpendBar(
        name, f"{said} of {cap_said or f'{cap:,}'}", width, SPEND_WIDTH, "limit" if used >= cap else "accent"
    )


def _finding(one: BlockedWords) -> FindingRow:
    return FindingRow(
        rule_id=one.rule_id,
        call_id=one.call_id,
        part=one.part,
        place=f"{one.start} to {one.end}",
        locator=visible(one.locator),
        title=visible(one.title),
        before=visible(one.before),
        words=visible(one.words),
        after=visible(one.after),
    )


def _step(one: TimelineStep, selected: int | None) -> StepRow:
    return StepRow(one.step, f"{one.at_ms:,}", one.kind, visible(one.facts), one.step == selected)


def neighbours(ids: Sequence[str], session_id: str) -> tuple[str, str]:
    """The next newer and the next older session."""
    if session_id not in ids:
        return "", ""
    place = ids.index(session_id)
    return ids[place - 1] if place else "", ids[place + 1] if place + 1 < len(ids) else ""
