"""What-if: recorded sessions again under other caps or rules, with the answers that their tools gave then."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from pydantic import ValidationError

from ..kernel.calls import CallContext, ToolCall
from ..kernel.errors import RequestInvalid, ToolUnavailable
from ..kernel.journal_records import Called, Closed, Opened, ending_of
from ..kernel.models import FrozenModel
from ..kernel.outcome import ResearchOutcome
from ..kernel.ports import ContentStore, Journal
from ..kernel.request import Principal, ResearchRequest
from ..kernel.results import RawResult, UnavailableKind
from ..kernel.stops import StopReason
from .lookup import SessionLookup

__all__ = ["RecordedSession", "RecordedTool", "WhatIfReport", "WhatIfRow", "what_if"]


class WhatIfRow(FrozenModel):
    """One session: how it ended, and how it would have."""

    session_id: str
    stop_then: StopReason
    stop_now: StopReason
    sources_then: int
    sources_now: int
    units_then: int
    units_now: int
    unrecorded_calls: int
    """Calls that the session would make now and did not make then; their answers are not known."""

    @property
    def changed(self) -> bool:
        """True if stop, sources or spend differ."""
        return (self.stop_then, self.sources_then, self.units_then) != (
            self.stop_now,
            self.sources_now,
            self.units_now,
        )


class WhatIfReport(FrozenModel):
    """Every session that could be run again, and those that could not, by the reason."""

    sessions: int
    changed: tuple[WhatIfRow, ...]
    skipped: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """What a session began with, and what its tools answered, by call."""

    opened: Opened
    closed: Closed
    request: ResearchRequest
    principal: Principal
    answers: Mapping[str, Called]
    get: Callable[[str], bytes | None]


class RunAgain(Protocol):
    """Runs a recorded session as wiring has built it; also the number of calls that have no recorded answer."""

    def __call__(self, session: RecordedSession) -> Awaitable[tuple[ResearchOutcome, int]]: ...


class RecordedTool:
    """Answers a call as it was answered then; one that was not made then is unreachable, and counted."""

    def __init__(self, session: RecordedSession) -> None:
        self._session = session
        self.unrecorded = 0

    async def call(self, call: ToolCall, context: CallContext) -> RawResult:
        """The recorded answer of a call.

        Raises:
            ToolUnavailable: there is none.
        """
        known = self._session.answers.get(call.call_id)
        if known is None:
            self.unrecorded += 1
            raise ToolUnavailable(UnavailableKind.UNREACHABLE)
        raised = known.input.raised
        if raised is not None and raised.unavailable is not None:
            raise ToolUnavailable(raised.unavailable)
        stored = None if known.input.raw is None else self._session.get(known.input.raw)
        if stored is None:
            raise ToolUnavailable(UnavailableKind.SLOW)
        return RawResult.model_validate_json(stored)


async def what_if(
    journal: Journal, store: ContentStore, limit: int, run: RunAgain, tenant: str | None = None
) -> WhatIfReport:
    """Run the newest sessions again, the oldest of them first, so that they share one rate window."""
    lookup = SessionLookup(journal)
    changed: list[WhatIfRow] = []
    skipped: list[tuple[str, str]] = []
    count = 0
    for row in sorted(lookup.newest(limit, tenant), key=lambda one: (one.started_at_ms, one.session_id)):
        session = _recorded(row.session_id, lookup, store)
        if isinstance(session, str):
            skipped.append((row.session_id, session))
            continue
        try:
            outcome, unrecorded = await run(session)
        except RequestInvalid as exc:
            skipped.append((row.session_id, str(exc)))
            continue
        count += 1
        found = WhatIfRow(
            session_id=row.session_id,
            stop_then=session.closed.verdict.stop,
            stop_now=outcome.verdict.stop,
            sources_then=len(session.closed.sources),
            sources_now=len(outcome.bundle.sources),
            units_then=session.closed.spent_units,
            units_now=outcome.spent_units,
            unrecorded_calls=unrecorded,
        )
        if found.changed:
            changed.append(found)
    return WhatIfReport(sessions=count, changed=tuple(changed), skipped=tuple(skipped))


def _recorded(session_id: str, lookup: SessionLookup, store: ContentStore) -> RecordedSession | str:
    found, chain = lookup.session(session_id)
    opened = chain.lines[0].record if chain.lines else None
    closed = ending_of(chain.lines)
    if chain.broken_at is not None or not isinstance(opened, Opened) or not isinstance(closed, Closed):
        return "it is damaged, open, or of an older format"
    request, principal = store.get(found.tenant, opened.request), store.get(found.tenant, opened.principal)
    if request is None or principal is None:
        return "its content is erased or missing"
    try:
        return RecordedSession(
            opened,
            closed,
            ResearchRequest.model_validate_json(request),
            Principal.model_validate_json(principal),
            {line.record.outcome.call_id: line.record for line in chain.lines if isinstance(line.record, Called)},
            lambda digest: store.get(found.tenant, digest),
        )
    except ValidationError:
        return "its content cannot be read"
