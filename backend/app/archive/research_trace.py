"""The trace of a research session: one JSON line per step, with the content hash of everything that was read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from ..capabilities.answers.research_models import ResearchResult
from ..capabilities.answers.research_plan import DOCUMENTS, PAGES, facet_of, iteration_of
from ..kernel.calls import Batch
from ..kernel.journal_records import Called, Line, Opening
from ..kernel.models import FrozenModel
from ..kernel.results import RawItem, RawResult
from ..parsing.text.dates import iso_date_of_ms

__all__ = ["TraceEntry", "queries_of", "starts_of", "trace_of"]

_ACTIONS: Final = {DOCUMENTS: "read_document", PAGES: "fetch_url"}
Get = Callable[[str], bytes | None]


class TraceEntry(FrozenModel):
    """One step, as the contract shapes it; a field that says nothing is left out."""

    step: int
    action: str
    url: str | None = None
    query: str | None = None
    """What was looked up; made again from the question in the content store, so it is gone with that."""
    content_hash: str | None = None
    content_length: int | None = None
    """How many bytes `content_hash` is of; left out where the store does not have them."""
    text_length: int | None = None
    """How many characters of the derived text were read."""
    offset_ms: int | None = None
    """When the step began, from the start of the session."""
    timestamp: str
    decision: str


def trace_of(
    lines: Sequence[Line], get: Get, result: ResearchResult, queries: Mapping[str, str] | None = None
) -> tuple[TraceEntry, ...]:
    """The calls of a session in plan order, then its discoveries and its answer; `queries` by the id of their call."""
    entries: list[TraceEntry] = []
    listed: set[tuple[str, str, int, int]] = set()
    starts = starts_of(lines)
    at_ms = 0
    for line in lines:
        at_ms = max([at_ms, *(reading.at_ms for reading in line.reads)])
        if isinstance(line.record, Called):
            call_id = line.record.outcome.call_id
            query = (queries or {}).get(call_id)
            for told in _call_entries(line.record, get, query, listed):
                entries.append(
                    TraceEntry(
                        step=len(entries) + 1, timestamp=_timestamp(at_ms), offset_ms=starts.get(call_id), **told
                    )
                )
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


def starts_of(lines: Sequence[Line]) -> dict[str, int]:
    """When each call began, in milliseconds from the start of its session."""
    began = next((line.record.started_at_ms for line in lines if isinstance(line.record, Opening)), 0)
    found: dict[str, int] = {}
    at_ms = began
    for line in lines:
        at_ms = max([at_ms, *(reading.at_ms for reading in line.reads)])
        if isinstance(line.record, Called):
            found[line.record.outcome.call_id] = max(0, at_ms - began - line.record.outcome.elapsed_ms)
    return found


def queries_of(batches: Iterable[Batch]) -> dict[str, str]:
    """What the calls of a plan looked up, by their ids."""
    params = {call.call_id: dict(call.params) for batch in batches for call in batch.calls}
    return {call_id: str(given["query"]) for call_id, given in params.items() if "query" in given}


def _call_entries(
    called: Called, get: Get, query: str | None, listed: set[tuple[str, str, int, int]]
) -> list[dict[str, Any]]:
    """One entry for every passage or page that was not listed before; one without a place where there is none."""
    outcome = called.outcome
    part = f"iteration {iteration_of(outcome.call_id)}, facet {facet_of(outcome.call_id)}"
    ended = outcome.status.value + (f" ({outcome.unavailable.value})" if outcome.unavailable else "")
    decision = f"{part}: {ended}, {outcome.accepted} of {outcome.candidates} accepted"
    action = _ACTIONS.get(outcome.tool, "search")
    entries: list[dict[str, Any]] = []
    for item in _items(called, get) if action != "search" else ():
        place = (item.locator, item.content_hash, item.start, item.end)
        if place in listed:
            continue
        listed.add(place)
        stored = get(item.content_hash)
        entries.append(
            {
                "action": action,
                "url": item.locator,
                "query": query,
                "content_hash": f"sha256:{item.content_hash}",
                "content_length": None if stored is None else len(stored),
                "text_length": len(item.body),
                "decision": decision,
            }
        )
    # A look-up that brought nothing new has read nothing.
    searched = "search" if action == _ACTIONS[DOCUMENTS] else action
    return entries or [{"action": searched, "query": query, "decision": decision}]


def _items(called: Called, get: Get) -> tuple[RawItem, ...]:
    stored = None if called.input.raw is None else get(called.input.raw)
    try:
        return () if stored is None else RawResult.model_validate_json(stored).items
    except ValidationError:
        return ()


def _timestamp(at_ms: int) -> str:
    seconds = at_ms // 1000 % 86_400
    return f"{iso_date_of_ms(at_ms)}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}Z"
