"""The recording of a session: its lines of earlier lives, and how far this life has repeated them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...kernel.catalog import ToolEntry
from ...kernel.errors import ContractViolation
from ...kernel.journal_records import CHAIN_START, Called, CallInput, Line, Opened, PortFailed, Reading, Record, Resumed
from ...kernel.models import FrozenModel

__all__ = ["Difference", "Past", "Recording", "RememberedFailure"]


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


class Recording:
    """Facts about the past of a session; nothing is written here.

    `goes_on` is False for a replay: behind the last recorded line nothing may follow.
    """

    def __init__(self, past: Past, *, goes_on: bool) -> None:
        self.goes_on = goes_on
        self.difference: Difference | None = None
        self._past = past
        self._place = 0
        self._used = 0

    @property
    def repeating(self) -> bool:
        """True if the next step is already on record."""
        return self._place < len(self._past.lines)

    @property
    def empty(self) -> bool:
        """True if nothing is on record."""
        return not self._past.lines

    @property
    def step(self) -> int:
        """The number of the next line, counted from 1."""
        return self._place + 1

    @property
    def next_line(self) -> Line | None:
        """The next recorded line; None behind the last one."""
        return self._past.lines[self._place] if self.repeating else None

    @property
    def next_record(self) -> Record | None:
        """What the next recorded line says; None behind the last one."""
        return None if (line := self.next_line) is None else line.record

    @property
    def opened(self) -> Opened | None:
        """How the session was opened, where that is on record."""
        first = self._past.lines[0].record if self._past.lines else None
        return first if isinstance(first, Opened) else None

    @property
    def tools_now(self) -> dict[str, ToolEntry] | None:
        """The entries that rule the next step, where that is on record."""
        return self._tools_at(self._place) if self.repeating else None

    @property
    def tools_at_end(self) -> dict[str, ToolEntry]:
        """The entries that rule at the end of the record."""
        return self._tools_at(len(self._past.lines))

    @property
    def last_ms(self) -> int:
        """The latest moment on record."""
        return max((reading.at_ms for line in self._past.lines for reading in line.reads), default=0)

    @property
    def head(self) -> str:
        """The digest of the last recorded line."""
        return self._past.lines[-1].digest if self._past.lines else CHAIN_START

    def holds(self, digest: str) -> bool:
        """True if the record names this object: it is stored already."""
        return digest in self._past.contents

    def answered(self, call_id: str) -> tuple[CallInput, bytes | None] | None:
        """How the outside answered a call, where it is on record."""
        for line in self._past.lines[self._place :]:
            if isinstance(line.record, Called) and line.record.outcome.call_id == call_id:
                given = line.record.input
                return given, None if given.raw is None else self._past.contents[given.raw]
        # A replay asks nobody: what a kill kept from the record is lost, and the line that says so will differ.
        return None if self.goes_on else (CallInput(ended="lost", elapsed_ms=0), None)

    def next_reading(self) -> Reading | None:
        """The next recorded look at the clock before the next line; None where there is no further one."""
        line = self.next_line
        if line is None or self._used == len(line.reads):
            return None
        self._used += 1
        return line.reads[self._used - 1]

    def advance(self) -> None:
        """The next line was found again."""
        self._place += 1
        self._used = 0

    def leave(self, found: str) -> Difference:
        """The session differs from its record here; whatever a replay still writes stands behind all that is on it."""
        self.difference = self.difference or self.difference_at(found)
        self._place = len(self._past.lines)
        return self.difference

    def difference_at(self, found: str) -> Difference:
        """What is on record at the next step, and what was found instead."""
        line = self.next_line
        return Difference(step=self.step, recorded="the end" if line is None else line.step, found=found)

    def _tools_at(self, place: int) -> dict[str, ToolEntry]:
        ruling: tuple[ToolEntry, ...] = ()
        for line in self._past.lines[:place] or self._past.lines[:1]:
            if isinstance(line.record, Opened) or (isinstance(line.record, Resumed) and line.record.tools):
                ruling = line.record.tools
        return {entry.name: entry for entry in ruling}
