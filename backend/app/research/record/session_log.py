"""The session's own log: everything it reads from outside and everything it tells its journal goes through here.

A log may have a past. It then gives the recorded readings and answers again, compares every line that the rooms write
with the recorded one, and only after the last of them turns to the clock and the journal. Replay is a log whose past is
the whole session; resuming is one whose past ends early.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Literal, NoReturn

from ...kernel.canonical import sha256_hex
from ...kernel.errors import ContractViolation, StoreBusy, StoreUnusable
from ...kernel.journal_records import (
    CHAIN_START,
    FinishAsked,
    PortFailed,
    Reading,
    Record,
    ReserveDecided,
    Resumed,
    step_of,
    written_line,
)
from ...kernel.outcome import ResearchOutcome
from ...kernel.ports import Clock, Observer
from .recording import Past, Recording, RememberedFailure
from .session_writers import SessionWriter

__all__ = ["SessionLog"]


def _never() -> bool:
    return False


Port = Literal["content.put", "ledger.reserve", "ledger.settle", "observer"]


class SessionLog:
    """One session, live, resumed or replayed; the rooms cannot tell which.

    `past` says what is on record, `writer` opens and closes the record. Lines and objects are written behind: `stored`
    and `written` wait until they are safe.
    """

    def __init__(
        self,
        session_id: str,
        clock: Clock,
        writer: SessionWriter,
        cancellation: asyncio.Future[None],
        past: Past | None = None,
        *,
        goes_on: bool = True,
    ) -> None:
        self.session_id = session_id
        self.cancellation = cancellation
        self.past = Recording(past or Past(), goes_on=goes_on)
        self.writer = writer
        self.resumes_with = Resumed(away_ms=1)
        """What the line says that is written when the session goes on behind its record."""
        self.finish_wanted: Callable[[], bool] = _never
        """Whether the session's owner has asked it to finish (R34)."""
        self.outcome: ResearchOutcome | None = None
        """How a repeated session came out."""
        self.came_back = False
        """True if a life of this session ended right behind its last line: what it did next is not known."""
        self._clock = clock
        self._keyed = past is not None
        self._away_ms = 0
        self._reads: list[Reading] = []
        self._unsafe: list[str] = []
        self._head = CHAIN_START
        self._failed = False

    @property
    def breaks_off(self) -> bool:
        """For a room that broke: True if it did so inside the record. That stands, so nothing is written behind it or
        settled, and whoever comes with the key again finds it as it was (R19)."""
        return self.past.goes_on and (self.past.repeating or self.past.difference is not None)

    async def may_settle(self, *, whole: bool) -> bool:
        """True if what a batch used may be settled: not where a session stays open for whoever goes on with it."""
        if not whole and self.breaks_off:
            return False
        try:
            await self.written()
        except StoreUnusable:
            return not self._keyed
        return True

    def read(self) -> Reading:
        """Time and cancellation, journalled with the next record; never an error for a session that failed."""
        if self._failed and self.breaks_off:
            return self._last_look()
        if self.past.repeating:
            recorded = self.past.next_reading()
            if recorded is None and self._failed:
                return self._last_look()
            reading = recorded or self._differ("a look at the clock")
        else:
            self._begin_anew()
            reading = self.peek()
        self._reads.append(reading)
        return reading

    def peek(self) -> Reading:
        """Time and cancellation for whoever only shows them; nothing that is journalled may depend on it."""
        return Reading(self._clock.now_ms() - self._away_ms, self.cancellation.done())

    def note(self, record: Record) -> None:
        """Write the next line, or find it again."""
        recorded = self.past.next_line
        if recorded is None:
            self._begin_anew()
            self._write(record)
            return
        digest = written_line(self._head, tuple(self._reads), record).digest
        if digest != recorded.digest:
            self._differ(step_of(record))
        self._advance(digest)
        self.came_back = not self.past.repeating
        while (line := self.past.next_line) is not None and isinstance(line.record, Resumed):
            # It was written by whoever carried the session on, not by a room; who died at once left one more.
            self._advance(line.digest)
            self.came_back = True

    def keep(self, data: bytes) -> str:
        """Put bytes under their digest; what is on record is there already. `stored` says whether they are safe."""
        digest = sha256_hex(data)
        if self.past.holds(digest):
            return digest
        self._unsafe.append(digest)
        return self.writer.keep(data)

    async def stored(self) -> None:
        """Wait until all that was kept is safe: before a line names it. A failure is journalled, like any port's.

        For the last word of a session that failed it is not: should that not fit, the session stays open.
        """
        unsafe, self._unsafe = tuple(self._unsafe), []
        if self._failed:
            await self.writer.stored(unsafe)
            return
        with self.port("content.put"):
            if unsafe:
                await self.writer.stored(unsafe)

    async def written(self) -> None:
        """Wait until every line is safe: before a tool is called, a batch is settled and an outcome leaves."""
        if self.past.goes_on and not self.past.repeating:
            await self.writer.written()

    def decided(self) -> ReserveDecided | None:
        """The ledger's decision, where it is on record."""
        self._fail_as_recorded("ledger.reserve")
        record = self.past.next_record
        if record is None or isinstance(record, ReserveDecided):
            return record
        self._differ("ReserveDecided")

    def finish_asked(self, calls: int) -> bool:
        """R34: whether the session is to end now; a journalled input, so a replay ends where the record says."""
        recorded = self.past.next_record
        asked = isinstance(recorded, FinishAsked) if self.past.repeating else self.finish_wanted()
        if asked:
            self.note(FinishAsked(calls=calls))
        return asked

    def port(self, name: Port) -> AbstractContextManager[None]:
        """Work with a port: what the record says of its failure happens again, and a new failure is journalled."""
        return _PortUse(self, name, self._fail_as_recorded)

    def tell(self, observer: Observer | None, what: Callable[[Observer], None]) -> None:
        """Tell an observer; one that raises ends the session, now and in every replay."""
        with self.port("observer"):
            if observer is not None:
                what(observer)

    def mark_failed(self) -> None:
        """A room broke; where a replay's record ends here, what follows was never written, and nobody raises again."""
        self._failed = True
        if not self.past.goes_on and not self.past.repeating:
            self.past.difference = self.past.difference or self.past.difference_at("another step")

    def _fail_as_recorded(self, port: Port) -> None:
        record = self.past.next_record
        if isinstance(record, PortFailed) and record.port == port:
            self.note(record)
            raise StoreBusy(f"{port} was busy") if record.error == StoreBusy.__name__ else RememberedFailure(record)

    def _begin_anew(self) -> None:
        """The past is over: go on from its last moment, or say that nothing should follow."""
        if self.past.empty or self._away_ms or self.past.difference is not None:
            return
        if not self.past.goes_on:
            self._differ("another step")
        self._away_ms = max(1, self._clock.now_ms() - self.past.last_ms)
        plan_source, tools = self.resumes_with.plan_source, self.resumes_with.tools
        self._write(Resumed(away_ms=self._away_ms, plan_source=plan_source, tools=tools))

    def _write(self, record: Record) -> None:
        line = written_line(self._head, tuple(self._reads), record)
        if self.past.goes_on:
            self.writer.append(line.data)
        self._head = line.digest
        self._reads.clear()
        self.came_back = False

    def _advance(self, head: str) -> None:
        self.past.advance()
        self._head = head
        self._reads.clear()

    def _last_look(self) -> Reading:
        self._leave("a look at the clock")
        return Reading(self.past.last_ms, self.cancellation.done())

    def _leave(self, found: str) -> int:
        step = self.past.leave(found).step
        self._head = self.past.head
        self._reads.clear()
        return step

    def _differ(self, found: str) -> NoReturn:
        raise ContractViolation(f"step {self._leave(found)} is not as recorded")


class _PortUse:
    """No `except`: it looks at what passes and lets it pass. What went wrong on the way back to the end of a record is
    no part of it."""

    def __init__(self, log: SessionLog, port: Port, fail_as_recorded: Callable[[Port], None]) -> None:
        self._log = log
        self._port: Port = port
        self._fail_as_recorded = fail_as_recorded

    def __enter__(self) -> None:
        self._fail_as_recorded(self._port)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if isinstance(error, Exception) and not self._log.past.repeating:
            violation = isinstance(error, ContractViolation)
            self._log.note(PortFailed(port=self._port, error=type(error).__name__, violation=violation))
