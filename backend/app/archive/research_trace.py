"""The trace of a research session: one JSON line per step, with the content hash of everything that was read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pydantic import ValidationError

from ..capabilities.answers.research_models import ResearchResult
from ..capabilities.answers.research_plan import DOCUMENTS, PAGES, facet_of, iteration_of
from ..kernel.journal_records import Called, Line
from ..kernel.models import FrozenModel
from ..kernel.results import RawItem, RawResult
from ..parsing.text.dates import iso_date_of_ms

__all__ = ["TraceEntry", "trace_of"]

_ACTIONS: Final = {DOCUMENTS: "read_document", PAGES: "fetch_url"}
Get = Callable[[str], bytes | None]


class TraceEntry(FrozenModel):
    """One step, as the contract shapes it; a field that says nothing is left out."""

    step: int
    action: str
    url: str | None = None
    query: str | None = None
    content_hash: str | None = None
    content_length: int | None = None
    timestamp: str
    decision: str


def trace_of(lines: Sequence[Line], get: Get, result: ResearchResult) -> tuple[TraceEntry, ...]:
    """The calls of a session in plan order, then its discoveries and its answer."""
    entries: list[TraceEntry] = []
    at_ms = 0
    for line in lines:
        at_ms = max([at_ms, *(reading.at_ms for reading in line.reads)])
        if isinstance(line.record, Called):
            entries.extend(_call_entries(line.record, get, at_ms, len(entries)))
    for event in result.discovery_events:
        entries.append(
            TraceEntry(
                step=len(entries) + 1,
                action="discovery",
                url=event.source_locator,
                query=event.query,
                timestamp=_timestamp(at_ms),
                decision=f"{event.type}: {event.reason}",
            )
        )
    decision = f"{len(result.citations)} citations, {len(result.gaps)} gaps, confidence {result.confidence}"
    entries.append(TraceEntry(step=len(entries) + 1, action="answer", timestamp=_timestamp(at_ms), decision=decision))
    return tuple(entries)


def _call_entries(called: Called, get: Get, at_ms: int, before: int) -> list[TraceEntry]:
    outcome = called.outcome
    part = f"iteration {iteration_of(outcome.call_id)}, facet {facet_of(outcome.call_id)}"
    ended = outcome.status.value + (f" ({outcome.unavailable.value})" if outcome.unavailable else "")
    decision = f"{part}: {ended}, {outcome.accepted} of {outcome.candidates} accepted"
    action = _ACTIONS.get(outcome.tool, "search")
    entries: list[TraceEntry] = []
    for item in _items(called, get) if action != "search" else ():
        entries.append(
            TraceEntry(
                step=before + len(entries) + 1,
                action=action,
                url=item.locator,
                content_hash=f"sha256:{item.content_hash}",
                content_length=len(item.body),
                timestamp=_timestamp(at_ms),
                decision=decision,
            )
        )
    if not entries:
        entries.append(TraceEntry(step=before + 1, action=action, timestamp=_timestamp(at_ms), decision=decision))
    return entries


def _items(called: Called, get: Get) -> tuple[RawItem, ...]:
    stored = None if called.input.raw is None else get(called.input.raw)
    try:
        return () if stored is None else RawResult.model_validate_json(stored).items
    except ValidationError:
        return ()


def _timestamp(at_ms: int) -> str:
    seconds = at_ms // 1000 % 86_400
    return f"{iso_date_of_ms(at_ms)}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}Z"
