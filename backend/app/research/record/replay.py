"""Replay: a recorded session through the same rooms again, from journal and content store alone (§4.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from ...kernel.errors import RequestInvalid, StoreUnusable
from ...kernel.journal_records import Closed, Erased, Line, Opened, OpenedV1, Recovered, ending_of
from ...kernel.models import FrozenModel
from ...kernel.request import Principal, ResearchRequest
from ...kernel.stops import StopReason
from .opening import Chain, contents_of
from .recording import Past
from .session_log import SessionLog

__all__ = ["Replayed", "Rooms", "replay"]


class Rooms(Protocol):
    """The rooms that a recorded session is run through again: the router, without tools."""

    async def repeat(
        self, past: Past, opened: Opened, request: ResearchRequest, principal: Principal
    ) -> SessionLog: ...

    def changed_since(self, opened: Opened) -> tuple[str, ...]: ...


Result = Literal["identical", "differs", "damaged", "erased", "missing", "older_format", "open"]


class Replayed(FrozenModel):
    """What a replay found; `step` counts the lines of the journal from 1 and is the first that is not as recorded."""

    session_id: str
    result: Result
    steps: int
    step: int | None = None
    why: str = ""
    stop: StopReason | None = None
    journal_head: str = ""
    derived: int = 0
    """How many texts of fetched pages were derived from their bytes again."""

    @property
    def identical(self) -> bool:
        """Whether every byte came out again."""
        return self.result == "identical"


async def replay(
    session_id: str, chain: Chain, get: Callable[[str], bytes | None], rooms_of: Callable[[Opened], Rooms | None]
) -> Replayed:
    """Run a session again and compare every line; `rooms_of` gives rooms without tools, set as they were then."""
    lines = chain.lines
    steps = len(lines)
    if chain.broken_at is not None:
        why = f"step {chain.broken_at} is damaged: its hash is not the one that the journal holds"
        return Replayed(session_id=session_id, result="damaged", steps=steps, step=chain.broken_at, why=why)
    opened = lines[0].record if lines else None
    if isinstance(opened, OpenedV1) and opened.session_id == session_id:
        why = "the session is recorded in format 1, which this version can show and verify, but not run again"
        return Replayed(session_id=session_id, result="older_format", steps=steps, why=why)
    if not isinstance(opened, Opened) or opened.session_id != session_id or not lines[0].reads:
        why = "the journal does not begin with the opening of this session"
        return Replayed(session_id=session_id, result="damaged", steps=steps, step=1, why=why)
    end = ending_of(lines)
    if end is None:
        return Replayed(session_id=session_id, result="open", steps=steps, why="the session has not ended")
    try:
        contents = contents_of(lines, get)
    except StoreUnusable as exc:
        erased = any(isinstance(line.record, Erased) for line in lines)
        return Replayed(session_id=session_id, result="erased" if erased else "missing", steps=steps, why=str(exc))
    rooms = rooms_of(opened)
    if rooms is None:
        why = f"the caps table {opened.caps[:12]} of this session is missing"
        return Replayed(session_id=session_id, result="missing", steps=steps, why=why)
    return await _again(opened, end, steps, Past(_rooms_own(lines), contents), rooms)


async def _again(opened: Opened, end: Closed | Recovered, steps: int, past: Past, rooms: Rooms) -> Replayed:
    request = ResearchRequest.model_validate_json(past.contents[opened.request])
    principal = Principal.model_validate_json(past.contents[opened.principal])
    stop = end.verdict.stop
    try:
        log = await rooms.repeat(past, opened, request, principal)
    except RequestInvalid as exc:
        return Replayed(session_id=opened.session_id, result="differs", steps=steps, step=1, why=str(exc), stop=stop)
    found = log.past.difference
    # A session whose process went away is repeated as far as it came; the step after that was never written.
    cut = isinstance(end, Recovered) and found is not None and found.step == len(past.lines) + 1
    if found is not None and not cut:
        why = f"step {found.step}: recorded {found.recorded}, found {found.found}"
        if found.recorded == found.found:
            why = f"step {found.step} ({found.recorded}) comes out with other content"
            changed = rooms.changed_since(opened)
            if found.step == 1 and changed:
                why += f": the {' and the '.join(changed)} changed since"
        return Replayed(
            session_id=opened.session_id, result="differs", steps=steps, step=found.step, why=why, stop=stop
        )
    if log.past.repeating:
        why = f"step {log.past.step}: recorded {past.lines[log.past.step - 1].step}, found the end"
        return Replayed(
            session_id=opened.session_id, result="differs", steps=steps, step=log.past.step, why=why, stop=stop
        )
    head = past.lines[-1].digest
    return Replayed(session_id=opened.session_id, result="identical", steps=steps, stop=stop, journal_head=head)


def _rooms_own(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """The lines that the rooms wrote: nothing of what was added when they were gone."""
    return tuple(line for line in lines if not isinstance(line.record, Recovered | Erased))
