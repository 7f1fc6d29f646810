"""The rows of a tenant's sessions, newest first; read once each, so that lists and counts stay quick over many."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from pydantic import ValidationError

from ..kernel.calls import Ended
from ..kernel.canonical import sha256_hex
from ..kernel.journal_records import CHAIN_START, Closed, Opened, OpenedV1, Recovered
from ..kernel.models import Digest, FrozenModel, Identifier
from ..kernel.outcome import Verdict
from ..kernel.ports import Clock, FoundSession, Journal
from ..kernel.stops import Action, Cause, StopReason

__all__ = ["IndexedSession", "SessionIndex"]

_FRESH_MS: Final = 1_000
_COARSE_MS: Final = 2_000
"""By how much a file's time may lag behind the clock: a tick of the kernel, a whole second on some file systems."""
_State = Literal["open", "closed", "recovered", "damaged"]


class IndexedSession(FrozenModel):
    """One session as a list shows it: how it ended, and what it used of what it was granted."""

    session_id: Identifier
    tenant: Identifier
    state: _State
    erased: bool = False
    stop: StopReason | None = None
    action: Action | None = None
    cause: Cause | None = None
    """Of the signals that name the stop, the first."""
    capability: Identifier = "unknown"
    environment: str = ""
    request: Digest | None = None
    caps: Digest | None = None
    """Of the caps table that ruled; None in the older format."""
    older_format: bool = False
    started_at_ms: int = 0
    elapsed_ms: int = 0
    calls: int = 0
    max_calls: int | None = None
    """None where nothing was reserved, so that no cap is on record."""
    spent_units: int = 0
    max_units: int | None = None
    sources: int = 0
    finished_early: bool = False
    """Whether its owner asked it to finish (R34)."""


class _Read(NamedTuple):
    row: IndexedSession
    at_ms: int
    """A moment before the lines were read."""


class _LightLine(NamedTuple):
    """What is looked at of a line."""

    step: str
    facts: dict[str, object]
    reads: list[list[int]]


@dataclass(slots=True)
class _Listing:
    at_ms: int
    rows: tuple[IndexedSession, ...]


class SessionIndex:
    """Keeps a row for each session of the tenants that were asked for. Not for the event loop: it reads files.

    A line is held against its own sum and its predecessor's; whether it is canonical, and a record of its kind, is
    asked of the first and the last one alone. `Archive.show` looks at everything.
    """

    def __init__(self, journal: Journal, clock: Clock) -> None:
        self._journal = journal
        self._clock = clock
        self._read: dict[tuple[str, str], _Read] = {}
        self._listed: dict[str, _Listing] = {}

    def rows(self, tenant: str, *, now: bool = False) -> tuple[IndexedSession, ...]:
        """Every session of a tenant, the newest first; at most a second old, or as it is `now`.

        Raises:
            StoreUnusable: the journal cannot be read.
        """
        at_ms = self._clock.now_ms()
        known = self._listed.get(tenant)
        if known is not None and not now and at_ms - known.at_ms < _FRESH_MS:
            return known.rows
        found: dict[str, IndexedSession] = {}  # one that closes meanwhile is met twice
        for one in (*self._journal.open_sessions(), *self._journal.closed_sessions()):
            if one.tenant == tenant:
                row = self._row(one, at_ms)
                if row is not None:
                    found[one.session_id] = row
        ordered = tuple(sorted(found.values(), key=lambda row: (-row.started_at_ms, row.session_id)))
        gone = [key for key in list(self._read) if key[0] == tenant and key[1] not in found]
        for key in gone:
            self._read.pop(key, None)
        self._listed[tenant] = _Listing(at_ms, ordered)
        return ordered

    def _row(self, found: FoundSession, at_ms: int) -> IndexedSession | None:
        key = (found.tenant, found.session_id)
        known = self._read.get(key)
        # Whatever was added since, such as the word that its content was erased, is read.
        lasting = known is not None and found.closed and known.row.state != "open"
        if known is not None and lasting and self._journal.untouched(found, known.at_ms - _COARSE_MS):
            return known.row
        read = self._journal.read(found)
        if read is None:
            return None
        row = _row_of(*read)
        self._read[key] = _Read(row, at_ms)
        return row


def _row_of(found: FoundSession, lines: tuple[bytes, ...]) -> IndexedSession:
    records = _records(lines)
    whole = len(records) == len(lines)
    bare = IndexedSession(session_id=found.session_id, tenant=found.tenant, state="damaged" if lines else "open")
    try:
        opened = _opened(records[0].facts) if records and records[0].step == Opened.__name__ else None
        return bare if opened is None else _told(found, opened, records, whole=whole)
    except (ArithmeticError, KeyError, TypeError, ValueError, RecursionError, ValidationError):
        return bare


def _records(lines: tuple[bytes, ...]) -> list[_LightLine]:
    """The lines up to the first that is not what its sum says, or does not follow the one before it."""
    found: list[_LightLine] = []
    head = CHAIN_START
    for line in lines:
        body, mark, rest = line.rpartition(b',"sum":"')
        digest = sha256_hex(body)
        if not mark or rest != digest.encode() + b'"}':
            break
        try:
            told = json.loads(line)
            if told["prev"] != head:
                break
            found.append(_LightLine(str(told["step"]), told["facts"], told["reads"]))
        except (ArithmeticError, KeyError, TypeError, ValueError, RecursionError):
            break
        head = digest
    return found


def _opened(facts: dict[str, object]) -> Opened | OpenedV1 | None:
    kind = Opened if "format" in facts else OpenedV1
    return kind.model_validate_json(json.dumps(facts))


def _told(found: FoundSession, opened: Opened | OpenedV1, records: list[_LightLine], *, whole: bool) -> IndexedSession:
    steps = [one.step for one in records]
    ends = [one for one in records if one.step in ("Closed", "Recovered")]
    last_ms = max([reading[0] for one in records for reading in one.reads], default=opened.started_at_ms)
    called = [one.facts for one in records if one.step == "Called"]
    wish = next((one.facts["wish"] for one in records if one.step == "ReserveDecided"), {})
    caps = wish if isinstance(wish, dict) else {}
    verdict, closed = _ending(ends[0]) if ends else (None, None)
    state: _State = "open" if verdict is None else "recovered" if closed is None else "closed"
    if not whole or (verdict is None and found.closed):
        state = "damaged"  # one that was closed and has no end has lost it
    return IndexedSession(
        session_id=found.session_id,
        tenant=found.tenant,
        state=state,
        erased="Erased" in steps,
        stop=None if verdict is None else verdict.stop,
        action=None if verdict is None else verdict.action,
        cause=None if verdict is None else _cause(verdict),
        capability=opened.capability,
        environment=opened.environment,
        request=opened.request,
        caps=opened.caps if isinstance(opened, Opened) else None,
        older_format=isinstance(opened, OpenedV1),
        started_at_ms=opened.started_at_ms,
        elapsed_ms=last_ms - opened.started_at_ms if closed is None else closed.elapsed_ms,
        calls=len(called),
        max_calls=caps.get("max_calls_total"),
        spent_units=sum(_units(facts) for facts in called) if closed is None else closed.spent_units,
        max_units=caps.get("max_units"),
        sources=0 if closed is None else len(closed.sources),
        finished_early=closed is not None and closed.ended == Ended.FINISHED_EARLY.value,
    )


def _ending(end: _LightLine) -> tuple[Verdict, Closed | None]:
    if end.step == "Closed":
        closed = Closed.model_validate_json(json.dumps(end.facts))
        return closed.verdict, closed
    return Recovered.model_validate_json(json.dumps(end.facts)).verdict, None


def _cause(verdict: Verdict) -> Cause | None:
    return next((signal.cause for signal in verdict.signals if signal.reason is verdict.stop), None)


def _units(called: dict[str, object]) -> int:
    outcome = called["outcome"]
    units = outcome["spent_units"] if isinstance(outcome, dict) else 0
    return units if isinstance(units, int) else 0
