"""What the journal of a session holds: one frozen record per step, codes and hashes and numbers only."""

from __future__ import annotations

from .ledger import Refused, Reservation, Reserved
from .noun import Digest, Identifier, Noun
from .outcome import Verdict
from .results import CallOutcome, Finding, Rejection

__all__ = ["Called", "Closed", "Opened", "Record", "ReserveDecided"]


class Opened(Noun):
    """The session began; question and principal by digest."""

    request: Digest
    principal: Digest
    capability: Identifier
    started_at_ms: int


class ReserveDecided(Noun):
    """The ledger's decision is an input of the session: replay reads it and does not decide again."""

    wish: Reservation
    decision: Reserved | Refused


class Called(Noun):
    """One call ended."""

    outcome: CallOutcome
    sources: tuple[Digest, ...]
    rejections: tuple[Rejection, ...]
    findings: tuple[Finding, ...]


class Closed(Noun):
    """The session ended: what an operator asks first, and the digest of the whole outcome."""

    outcome: Digest
    verdict: Verdict
    bundle: Digest
    sources: tuple[Digest, ...]
    withheld: tuple[Digest, ...]
    spent_units: int
    elapsed_ms: int
    ended: str


Record = Opened | ReserveDecided | Called | Closed
