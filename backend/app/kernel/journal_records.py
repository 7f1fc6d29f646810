"""What the journal of a session holds: hash-chained lines, one frozen record each; codes, hashes and numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from pydantic import ValidationError

from .canonical import canonical_bytes, sha256_hex
from .catalog import ToolEntry
from .errors import ContractViolation
from .ledger import Refused, Reservation, Reserved
from .models import Digest, FrozenModel, Identifier
from .outcome import Verdict
from .results import CallOutcome, Finding, OutcomeStatus, Rejection, UnavailableKind
from .stops import Cause

__all__ = [
    "CHAIN_START",
    "CallInput",
    "Called",
    "Closed",
    "Erased",
    "FinishAsked",
    "Line",
    "Opened",
    "OpenedV1",
    "Opening",
    "PortFailed",
    "Raised",
    "Reading",
    "Recalled",
    "Record",
    "Recovered",
    "ReserveDecided",
    "Resumed",
    "Written",
    "ending_of",
    "read_line",
    "step_of",
    "written_line",
]

CHAIN_START: Final = "0" * 64


class Reading(NamedTuple):
    """One look at the outside: what time it was, and whether the caller had gone."""

    at_ms: int
    cancelled: bool


class Opening(FrozenModel):
    """How a session began, in every format: question and principal by the digests under which they are stored."""

    session_id: Identifier
    tenant: Identifier
    request: Digest
    principal: Digest
    capability: Identifier
    contract_version: str
    environment: str
    research_enabled: bool
    sealed: bool
    contract: Digest
    """Over stops and actions; in format 1 over caps and tools, too."""
    rules: Digest
    """Over the injection rules."""
    keyed: bool
    started_at_ms: int


class Opened(Opening):
    """The session began, with all that it depends on beside its request (R22)."""

    format: Literal[2]
    caps: Digest
    custom_caps: bool = False
    """Whether an operator's own caps table ruled (R24)."""
    tools: tuple[ToolEntry, ...]
    """The entries of the tools that its plan may ask for, as they were then."""
    plan_source: Digest | None = None
    """Over the source of the plan; None where that cannot be read."""


class OpenedV1(Opening):
    """The same as it was recorded before tools had a catalogue: it can be shown and verified, but not run again."""

    tools: tuple[Identifier, ...]


class ReserveDecided(FrozenModel):
    """The ledger's decision is an input of the session: replay reads it and does not decide again."""

    batch: Digest
    wish: Reservation
    decision: Reserved | Refused


class Raised(FrozenModel):
    """A tool's error, read once: by its kind, never by its text."""

    status: OutcomeStatus
    cause: Cause | None = None
    code: str = ""
    unavailable: UnavailableKind | None = None


class CallInput(FrozenModel):
    """How the outside answered one call; the answer itself is in the content store."""

    ended: Literal["answered", "invalid", "too_large", "raised", "cut", "lost"]
    elapsed_ms: int
    size: int = 0
    raw: Digest | None = None
    fetched: tuple[Digest, ...] = ()
    """The bytes that the answer was read from, where the tool has put them into the content store."""
    raised: Raised | None = None


class Called(FrozenModel):
    """One call ended: what came in, and what the rooms made of it."""

    input: CallInput
    outcome: CallOutcome
    sources: tuple[Digest, ...]
    rejections: tuple[Rejection, ...]
    findings: tuple[Finding, ...]


class PortFailed(FrozenModel):
    """Ledger, content store or observer raised; that, too, is an input."""

    port: Literal["content.put", "ledger.reserve", "ledger.settle", "observer"]
    error: str
    violation: bool
    """Whether it was one of our own `ContractViolation`s."""


class Resumed(FrozenModel):
    """The session goes on in another process; the time between does not count against it (R19)."""

    away_ms: int
    plan_source: Digest | None = None
    """The plan's source where it is no longer the one that the session was opened with."""
    tools: tuple[ToolEntry, ...] = ()
    """The entries that rule from here on, where they are other than before."""


class Closed(FrozenModel):
    """The session ended: what an operator asks first, and the digest of the whole outcome."""

    outcome: Digest
    verdict: Verdict
    bundle: Digest
    sources: tuple[Digest, ...]
    withheld: tuple[Digest, ...]
    calls: int
    spent_units: int
    elapsed_ms: int
    ended: str
    kept: Digest | None = None
    """The outcome in the content store, where a key may ask for it again."""


class FinishAsked(FrozenModel):
    """R34: the session's owner asked it to finish; the plan ends here, and what was found stays."""

    calls: int
    """How many calls had been made by then."""


class Recovered(FrozenModel):
    """A later start found the session open and its process gone; what was reserved is given back (R12)."""

    verdict: Verdict
    found_at_ms: int
    released: int


class Erased(FrozenModel):
    """The session's content was taken out of the store; the chain stays whole (R20)."""

    at_ms: int
    objects: int
    shared: int


Record = Opened | OpenedV1 | ReserveDecided | Called | PortFailed | Resumed | FinishAsked | Closed | Recovered | Erased
_KINDS: Final[dict[str, type[Record]]] = {
    kind.__name__: kind
    for kind in (Opened, ReserveDecided, Called, PortFailed, Resumed, FinishAsked, Closed, Recovered, Erased)
}
_CHAIN_KEYS: Final = ("facts", "prev", "reads", "step", "sum")


class Line(NamedTuple):
    """One line as it was read: the record, the readings that came before it, and the digest the next one names."""

    record: Record
    reads: tuple[Reading, ...]
    prev: str
    digest: str

    @property
    def step(self) -> str:
        """The kind of record."""
        return step_of(self.record)


class Recalled(NamedTuple):
    """The lines of a session that was written before; unless it is closed, whoever recalled it now writes it."""

    lines: tuple[bytes, ...]
    closed: bool


class Written(NamedTuple):
    """A line's canonical bytes, without its line end, and the digest that it holds itself and the next one names."""

    data: bytes
    digest: str


def step_of(record: Record) -> str:
    """How a line names the kind of its record."""
    return Opened.__name__ if isinstance(record, OpenedV1) else type(record).__name__


def ending_of(lines: Sequence[Line]) -> Closed | Recovered | None:
    """How a session ended, in its own words or in those of a later start; None while it is open."""
    return next((line.record for line in lines if isinstance(line.record, Closed | Recovered)), None)


def written_line(prev: str, reads: tuple[Reading, ...], record: Record) -> Written:
    """Write a line; it ends with the digest of all that stands before, so that it vouches for itself."""
    taken = ",".join([f"[{at_ms},{cancelled:d}]" for at_ms, cancelled in reads])
    step = step_of(record)
    body = b'{"facts":' + canonical_bytes(record) + f',"prev":"{prev}","reads":[{taken}],"step":"{step}"'.encode()
    digest = sha256_hex(body)
    return Written(body + f',"sum":"{digest}"}}'.encode(), digest)


def read_line(data: bytes) -> Line | None:
    """A line, or None where these bytes are damaged: not canonical, not of a known kind, or not what their sum says.

    The sum is held against the bytes themselves and not against what this version would write, so that a record
    stays readable when its kind has got another optional field since.
    """
    body, mark, rest = data.rpartition(b',"sum":"')
    try:
        found = json.loads(data)
        if not mark or rest != sha256_hex(body).encode() + b'"}' or canonical_bytes(found) != data:
            return None
        if tuple(found) != _CHAIN_KEYS:
            return None
        record = _kind_of(found["step"], found["facts"]).model_validate_json(canonical_bytes(found["facts"]))
        reads = tuple([Reading(_count(at_ms), bool(_count(gone))) for at_ms, gone in found["reads"]])
        prev = str(found["prev"])
    except (ArithmeticError, ValueError, KeyError, TypeError, RecursionError, ValidationError, ContractViolation):
        return None
    return Line(record, reads, prev, found["sum"])


def _kind_of(step: str, facts: Mapping[str, object]) -> type[Record]:
    return OpenedV1 if step == Opened.__name__ and "format" not in facts else _KINDS[step]


def _count(number: object) -> int:
    if type(number) is not int:
        raise TypeError("not a whole number")
    return number
