"""What the journal of a session holds: hash-chained lines, one frozen record each; codes, hashes and numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from pydantic import ValidationError

from .canonical import canonical_bytes, sha256_hex
from .errors import ContractViolation
from .ledger import Refused, Reservation, Reserved
from .noun import Digest, Identifier, Noun
from .outcome import Verdict
from .results import CallOutcome, Finding, OutcomeStatus, Rejection, UnavailableKind
from .stops import Cause

__all__ = [
    "CHAIN_START",
    "CallInput",
    "Called",
    "Closed",
    "Erased",
    "Line",
    "Opened",
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
    "written_line",
]

CHAIN_START: Final = "0" * 64


class Reading(NamedTuple):
    """One look at the outside: what time it was, and whether the caller had gone."""

    at_ms: int
    cancelled: bool


class Opened(Noun):
    """The session began; question and principal by the digests under which the content store has them."""

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
    """Over stops, actions, caps and tools."""
    rules: Digest
    """Over the injection rules."""
    tools: tuple[Identifier, ...]
    """Those that this host has."""
    keyed: bool
    started_at_ms: int


class ReserveDecided(Noun):
    """The ledger's decision is an input of the session: replay reads it and does not decide again."""

    batch: Digest
    wish: Reservation
    decision: Reserved | Refused


class Raised(Noun):
    """A tool's error, read once: by its kind, never by its text."""

    status: OutcomeStatus
    cause: Cause | None = None
    code: str = ""
    unavailable: UnavailableKind | None = None


class CallInput(Noun):
    """How the outside answered one call; the answer itself is in the content store."""

    ended: Literal["answered", "invalid", "too_large", "raised", "cut", "lost"]
    elapsed_ms: int
    size: int = 0
    raw: Digest | None = None
    fetched: tuple[Digest, ...] = ()
    """The bytes that the answer was read from, where the tool has put them into the content store."""
    raised: Raised | None = None


class Called(Noun):
    """One call ended: what came in, and what the rooms made of it."""

    input: CallInput
    outcome: CallOutcome
    sources: tuple[Digest, ...]
    rejections: tuple[Rejection, ...]
    findings: tuple[Finding, ...]


class PortFailed(Noun):
    """Ledger, content store or observer raised; that, too, is an input."""

    port: Literal["content.put", "ledger.reserve", "ledger.settle", "observer"]
    error: str
    violation: bool
    """Whether it was one of our own `ContractViolation`s."""


class Resumed(Noun):
    """The session goes on in another process; the time between does not count against it (R19)."""

    away_ms: int


class Closed(Noun):
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


class Recovered(Noun):
    """A later start found the session open and its process gone; what was reserved is given back (R12)."""

    verdict: Verdict
    found_at_ms: int
    released: int


class Erased(Noun):
    """The session's content was taken out of the store; the chain stays whole (R20)."""

    at_ms: int
    objects: int
    shared: int


Record = Opened | ReserveDecided | Called | PortFailed | Resumed | Closed | Recovered | Erased
_KINDS: Final[dict[str, type[Record]]] = {
    kind.__name__: kind for kind in (Opened, ReserveDecided, Called, PortFailed, Resumed, Closed, Recovered, Erased)
}


class Line(NamedTuple):
    """One line as it was read: the record, the readings that came before it, and the digest the next one names."""

    record: Record
    reads: tuple[Reading, ...]
    prev: str
    digest: str

    @property
    def step(self) -> str:
        """The kind of record."""
        return type(self.record).__name__


class Recalled(NamedTuple):
    """The lines of a session that was written before; unless it is closed, whoever recalled it now writes it."""

    lines: tuple[bytes, ...]
    closed: bool


class Written(NamedTuple):
    """A line's canonical bytes, without its line end, and the digest that it holds itself and the next one names."""

    data: bytes
    digest: str


def ending_of(lines: Sequence[Line]) -> Closed | Recovered | None:
    """How a session ended, in its own words or in those of a later start; None while it is open."""
    return next((line.record for line in lines if isinstance(line.record, Closed | Recovered)), None)


def written_line(prev: str, reads: tuple[Reading, ...], record: Record) -> Written:
    """Write a line; it ends with the digest of all that stands before, so that it vouches for itself."""
    taken = ",".join([f"[{at_ms},{cancelled:d}]" for at_ms, cancelled in reads])
    step = type(record).__name__
    body = b'{"facts":' + canonical_bytes(record) + f',"prev":"{prev}","reads":[{taken}],"step":"{step}"'.encode()
    digest = sha256_hex(body)
    return Written(body + f',"sum":"{digest}"}}'.encode(), digest)


def read_line(data: bytes) -> Line | None:
    """A line, or None where these bytes are not exactly what `written_line` would have written."""
    try:
        found = json.loads(data)
        kind = _KINDS[found["step"]]
        record = kind.model_validate_json(canonical_bytes(found["facts"]))
        reads = tuple([Reading(int(at_ms), bool(gone)) for at_ms, gone in found["reads"]])
        prev = str(found["prev"])
    except (ArithmeticError, ValueError, KeyError, TypeError, RecursionError, ValidationError, ContractViolation):
        return None
    written = written_line(prev, reads, record)
    return Line(record, reads, prev, written.digest) if written.data == data else None
