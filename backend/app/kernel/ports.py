"""The ports: what the frozen core needs from outside, as protocols with one purpose each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from .audit import AuditEvent
from .calls import Batch, CallContext, Done, ToolCall
from .document_index import DocumentHit, IndexReport
from .health import HealthCheck
from .journal_records import Recalled
from .ledger import LedgerStanding, LedgerState, Refused, Reservation, Reserved
from .outcome import SoFar
from .request import Grant
from .results import CallOutcome, LocatedFinding, RawResult, SourceKind

__all__ = [
    "Audit",
    "Clock",
    "ContentStore",
    "DocumentIndex",
    "Ids",
    "Journal",
    "Ledger",
    "LedgerRule",
    "Machine",
    "Notices",
    "Observer",
    "Plan",
    "Tool",
    "Toolbox",
]


class Clock(Protocol):
    """Milliseconds since the epoch, never going back within a process."""

    def now_ms(self) -> int: ...


class Audit(Protocol):
    """Where requests that open no session leave their line."""

    def note(self, event: AuditEvent) -> None: ...


class Notices(Protocol):
    """Lines for the operator's log: codes, numbers, fixed words, names of documents; never a word of a request."""

    def refused(self, reason: str, *, callers_mistake: bool) -> None: ...

    def blocked(self, session_id: str, findings: tuple[LocatedFinding, ...]) -> None: ...


class Machine(Protocol):
    """What a gate stands on, looked at without changing anything: stores, lock, sandbox, workers."""

    @property
    def sandbox(self) -> str: ...

    @property
    def workers(self) -> int: ...

    def checks(self) -> tuple[HealthCheck, ...]: ...


class Ids(Protocol):
    """Fresh session ids (UUIDv4), journalled as inputs."""

    def session_id(self) -> str: ...


class Tool(Protocol):
    """One way to the outside. It may raise `ToolFailure`; anything else it raises is a crash."""

    async def call(self, call: ToolCall, context: CallContext) -> RawResult: ...


Toolbox = Mapping[str, Tool]


class Plan(Protocol):
    """A pure, deterministic sequence of batches; `counts` are the kinds of source that make it a success (R21)."""

    @property
    def counts(self) -> tuple[SourceKind, ...]: ...

    def next_step(self, grant: Grant, so_far: SoFar) -> Batch | Done: ...


class LedgerRule(Protocol):
    """The decision, as a pure function; a store runs it inside one transaction."""

    def __call__(self, state: LedgerState, wish: Reservation, now_ms: int) -> Reserved | Refused: ...


class Ledger(Protocol):
    """Rate, budget and idempotency in one atomic decision (R9, R11); while a lock stands, `give_up` is asked.

    Raises:
        StoreUnusable: the store is damaged or full.
        StoreBusy: it stays locked by another process.
    """

    async def reserve(self, wish: Reservation, give_up: Callable[[], bool] | None = None) -> Reserved | Refused: ...

    async def settle(self, reservation_id: str, spent_units: int) -> None: ...

    async def release_session(self, session_id: str) -> int: ...

    async def standing(self, subject: str, session_id: str) -> LedgerStanding: ...


class Journal(Protocol):
    """The lines of sessions: codes, hashes, lengths and numbers, never question or source text.

    Behind a line that could not be written there is never another; one session has one writer, until it is closed,
    let go or, where it never came to be opened, taken away.

    Raises:
        StoreUnusable: the journal is damaged or full.
        StoreBusy: another process writes this session.
    """

    def begin(self, tenant: str, session_id: str, *, keyed: bool = False) -> None: ...

    def recall(self, tenant: str, session_id: str) -> Recalled | None: ...

    def append(self, session_id: str, line: bytes) -> None: ...

    def close(self, session_id: str) -> None: ...

    def abandon(self, session_id: str) -> None: ...

    def discard(self, session_id: str) -> None: ...


class ContentStore(Protocol):
    """Bytes by their sha256, keyed by tenant first (R20); None where it has no such object.

    Raises:
        StoreUnusable: the store is full, or what it holds under a digest is something else.
    """

    def put(self, tenant: str, data: bytes) -> str: ...

    def get(self, tenant: str, digest: str) -> bytes | None: ...


class DocumentIndex(Protocol):
    """The user's own documents: kept up to date with a folder, and searched."""

    def refresh(self) -> IndexReport: ...

    def search(self, query: str, limit: int) -> tuple[DocumentHit, ...]: ...


class Observer(Protocol):
    """A door that wants to show progress; it learns numbers, never text."""

    def session_started(self, grant: Grant) -> None: ...

    def batch_started(self, calls_left: int, units_left: int, remaining_ms: int) -> None: ...

    def call_finished(self, outcome: CallOutcome) -> None: ...
