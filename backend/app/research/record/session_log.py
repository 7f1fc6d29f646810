"""The session's own log: everything it reads from outside and everything it tells its journal goes through here.

A log may have a past. It then gives the recorded readings and answers again, compares every line that the rooms write
with the recorded one, and only after the last of them turns to the clock and the journal. Replay is a log whose past is
the whole session; resuming is one whose past ends early.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, NoReturn, Protocol

from ...kernel.canonical import sha256_hex
from ...kernel.catalog import ToolEntry
from ...kernel.errors import ContractViolation, StoreBusy, StoreUnusable
from ...kernel.journal_records import (
    CHAIN_START,
    Called,
    CallInput,
    Line,
    Opened,
    PortFailed,
    Reading,
    Record,
    ReserveDecided,
    Resumed,
    step_of,
    written_line,
)
from ...kernel.models import FrozenModel
from ...kernel.ports import Clock, ContentStore, Journal, Observer

__all__ = ["Difference", "NoPen", "Past", "Pen", "PenOf", "RememberedFailure", "SessionLog"]

Port = Literal["content.put", "ledger.reserve", "ledger.settle", "observer"]


class Difference(FrozenModel):
    """Where a session that is run again leaves its record; steps count from 1."""

    step: int
    recorded: str
    found: str


class RememberedFailure(ContractViolation):
    """A port failed here when the session was recorded; the record names the error."""

    def __init__(self, failed: PortFailed) -> None:
        super().__init__(f"{failed.port} failed with {failed.error}")
        self.failed = failed


@dataclass(frozen=True)
class Past:
    """What is known of a session: its lines, and the stored objects that they name."""

    lines: Sequence[Line] = ()
    contents: Mapping[str, bytes] = field(default_factory=dict)


class Pen(Protocol):
    """Where new lines and objects go."""

    def begin(self) -> None: ...

    def append(self, line: bytes) -> None: ...

    def keep(self, data: bytes) -> str: ...

    def close(self) -> None: ...

    def abandon(self) -> None: ...


@dataclass(frozen=True, slots=True)
class PenOf:
    """Writes one session into journal and content store."""

    journal: Journal
    store: ContentStore
    tenant: str
    session_id: str
    held: bool = False
    """Whether the journal gave us the session already, to go on with it."""

    def begin(self) -> None:
        """Make room for the lines of a new session."""
        if not self.held:
            self.journal.begin(self.tenant, self.session_id)

    def append(self, line: bytes) -> None:
        """Add a line."""
        self.journal.append(self.session_id, line)

    def keep(self, data: bytes) -> str:
        """Store an object."""
        return self.store.put(self.tenant, data)

    def close(self) -> None:
        """No line follows."""
        self.journal.close(self.session_id)

    def abandon(self) -> None:
        """Let go of a session that could not be closed; the next start closes it."""
        self.journal.abandon(self.session_id)


class NoPen:
    """For replay, which writes nothing."""

    def begin(self) -> None:
        """Begins nothing."""

    def append(self, line: bytes) -> None:
        """Drops the line."""

    def keep(self, data: bytes) -> str:
        """Only names the object."""
        return sha256_hex(data)

    def close(self) -> None:
        """Closes nothing."""

    def abandon(self) -> None:
        """Leaves nothing."""


class SessionLog:
    """One session, live, resumed or replayed; the rooms cannot tell which."""

    def __init__(
        self,
        session_id: str,
        clock: Clock,
        pen: Pen,
        cancellation: asyncio.Future[None],
        past: Past | None = None,
        *,
        goes_on: bool = True,
    ) -> None:
        self.session_id = session_id
        self.cancellation = cancellation
        self.difference: Difference | None = None
        self._clock = clock
        self._pen = pen
        self._past = past or Past()
        self.goes_on = goes_on
        self._place = 0
        self._used = 0
        self._away_ms = 0
        self._reads: list[Reading] = []
        self._head = CHAIN_START
        self._fell = False
        self.came_back = False
        """Whether a life of this session ended right behind its last line: what it did next is not known."""
        self._keyed = past is not None
        self.carried_on_with = Resumed(away_ms=1)
        """What the line says that is written when the session goes on behind its record."""
        self.lost = False
        """Whether a line of a session with a key could not be written: it stays open, for whoever goes on with it."""

    @property
    def repeating(self) -> bool:
        """Whether the next step is already on record."""
        return self._place < len(self._past.lines)

    @property
    def breaks_off(self) -> bool:
        """For a room that broke: whether it did so inside the record. That stands, so nothing is written behind it or
        settled, and whoever comes with the key again finds it as it was (R19)."""
        return self.goes_on and (self.repeating or self.difference is not None)

    @property
    def step(self) -> int:
        """The number of the next line, counted from 1."""
        return self._place + 1

    @property
    def opened(self) -> Opened | None:
        """How the session was opened, where that is on record."""
        first = self._past.lines[0].record if self._past.lines else None
        return first if isinstance(first, Opened) else None

    @property
    def recorded_tools(self) -> dict[str, ToolEntry] | None:
        """The entries that rule the next step, where that is on record."""
        return self._tools_at(self._place) if self.repeating else None

    @property
    def last_tools(self) -> dict[str, ToolEntry]:
        """The entries that rule at the end of the record."""
        return self._tools_at(len(self._past.lines))

    def begin(self) -> None:
        """Nothing has been written yet."""
        self._pen.begin()

    def read(self) -> Reading:
        """Time and cancellation, journalled with the next record; never an error for a session that fell."""
        recorded = self._past.lines[self._place].reads if self.repeating else ()
        if self._fell and (self.breaks_off or (self.repeating and self._used == len(recorded))):
            self._leave("a look at the clock")
            return Reading(self._last_ms(), self.cancellation.done())
        if self.repeating:
            if self._used == len(recorded):
                self._differ("a look at the clock")
            reading = recorded[self._used]
            self._used += 1
        else:
            self._begin_anew()
            reading = Reading(self._clock.now_ms() - self._away_ms, self.cancellation.done())
        self._reads.append(reading)
        return reading

    def peek(self) -> Reading:
        """Time and cancellation for whoever only shows them; nothing that is journalled may depend on it."""
        return Reading(self._clock.now_ms() - self._away_ms, self.cancellation.done())

    def note(self, record: Record) -> None:
        """Write the next line, or find it again."""
        if not self.repeating:
            self._begin_anew()
            self._write(record)
            return
        digest = written_line(self._head, tuple(self._reads), record).digest
        if digest != self._past.lines[self._place].digest:
            self._differ(step_of(record))
        self._advance(digest)
        self.came_back = not self.repeating
        while self.repeating and isinstance(self._past.lines[self._place].record, Resumed):
            # It was written by whoever carried the session on, not by a room; who died at once left one more.
            self._advance(self._past.lines[self._place].digest)
            self.came_back = True

    def keep(self, data: bytes) -> str:
        """Put bytes under their digest; what is on record is there already."""
        digest = sha256_hex(data)
        if self._fell:
            # The last word of a session that fell: should it not fit, the session stays open and is closed later.
            return digest if digest in self._past.contents else self._pen.keep(data)
        self.keeps()
        if digest in self._past.contents:
            return digest
        with self.noting("content.put"):
            return self._pen.keep(data)

    def close(self) -> None:
        """No line follows."""
        self._pen.close()

    def abandon(self) -> None:
        """Leave the session open, for the next start to close."""
        self._pen.abandon()

    def decided(self) -> ReserveDecided | None:
        """The ledger's decision, where it is on record."""
        self._fail_as_recorded("ledger.reserve")
        if not self.repeating:
            return None
        record = self._past.lines[self._place].record
        return record if isinstance(record, ReserveDecided) else self._differ("ReserveDecided")

    def answered(self, call_id: str) -> tuple[CallInput, bytes | None] | None:
        """How the outside answered a call, where it is on record."""
        for line in self._past.lines[self._place :]:
            if isinstance(line.record, Called) and line.record.outcome.call_id == call_id:
                given = line.record.input
                return given, None if given.raw is None else self._past.contents[given.raw]
        # A replay asks nobody: what a kill kept from the record is lost, and the line that says so will differ.
        return None if self.goes_on else (CallInput(ended="lost", elapsed_ms=0), None)

    def keeps(self) -> None:
        """Fail where the record says that the content store failed."""
        self._fail_as_recorded("content.put")

    def settles(self) -> None:
        """Fail where the record says that settling failed."""
        self._fail_as_recorded("ledger.settle")

    def tell(self, observer: Observer | None, what: Callable[[Observer], None]) -> None:
        """Tell an observer; one that raises ends the session, now and in every replay."""
        self._fail_as_recorded("observer")
        if observer is not None:
            with self.noting("observer"):
                what(observer)

    def noting(self, port: Port) -> AbstractContextManager[None]:
        """Journal that the port inside raised, and let it pass."""
        return _Noting(self, port)

    def falls(self) -> None:
        """A room broke; where a replay's record ends here, what follows was never written, and nobody raises again."""
        self._fell = True
        if not self.goes_on and not self.repeating:
            self.difference = self.difference or self._difference("another step")

    def _fail_as_recorded(self, port: Port) -> None:
        record = self._past.lines[self._place].record if self.repeating else None
        if isinstance(record, PortFailed) and record.port == port:
            self.note(record)
            raise StoreBusy(f"{port} was busy") if record.error == StoreBusy.__name__ else RememberedFailure(record)

    def _begin_anew(self) -> None:
        """The past is over: go on from its last moment, or say that nothing should follow."""
        if not self._past.lines or self._away_ms or self.difference is not None:
            return
        if not self.goes_on:
            self._differ("another step")
        self._away_ms = max(1, self._clock.now_ms() - self._last_ms())
        try:
            self._write(
                Resumed(
                    away_ms=self._away_ms,
                    plan_source=self.carried_on_with.plan_source,
                    tools=self.carried_on_with.tools,
                )
            )
        except StoreUnusable:
            # A session that fell only wants the time for its last word, and gets it; that word will not be written
            # either, and the session stays open for whoever goes on with it (R12).
            if not self._fell:
                raise

    def _write(self, record: Record) -> None:
        line = written_line(self._head, tuple(self._reads), record)
        if self.goes_on:
            self.lost = self._keyed
            self._pen.append(line.data)
            self.lost = False
        self._head = line.digest
        self._reads.clear()
        self.came_back = False

    def _tools_at(self, place: int) -> dict[str, ToolEntry]:
        ruling: tuple[ToolEntry, ...] = ()
        for line in self._past.lines[:place] or self._past.lines[:1]:
            if isinstance(line.record, Opened) or (isinstance(line.record, Resumed) and line.record.tools):
                ruling = line.record.tools
        return {entry.name: entry for entry in ruling}

    def _last_ms(self) -> int:
        return max((reading.at_ms for line in self._past.lines for reading in line.reads), default=0)

    def _advance(self, head: str) -> None:
        self._place += 1
        self._used = 0
        self._head = head
        self._reads.clear()

    def _difference(self, found: str) -> Difference:
        recorded = self._past.lines[self._place].step if self.repeating else "the end"
        return Difference(step=self._place + 1, recorded=recorded, found=found)

    def _leave(self, found: str) -> Difference:
        lines = self._past.lines
        self.difference = self.difference or self._difference(found)
        # Whatever a replay still writes stands behind all that is on record.
        self._place = len(lines)
        self._head = lines[-1].digest
        self._reads.clear()
        return self.difference

    def _differ(self, found: str) -> NoReturn:
        raise ContractViolation(f"step {self._leave(found).step} is not as recorded")


class _Noting:
    """No `except`: it looks at what passes and lets it pass. What went wrong on the way back to the end of a record is
    no part of it."""

    def __init__(self, log: SessionLog, port: Port) -> None:
        self._log = log
        self._port: Port = port

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if isinstance(error, Exception) and not self._log.repeating:
            violation = isinstance(error, ContractViolation)
            self._log.note(PortFailed(port=self._port, error=type(error).__name__, violation=violation))
