"""How a session ends: the verdict, the bundle, and the record that doors project for their audience."""

from __future__ import annotations

from typing import Literal

from .calls import Ended
from .models import Digest, FrozenModel, Identifier, Text
from .results import CallOutcome, Finding, LocatedFinding, Rejection, Source
from .stops import Action, Signal, StopReason

__all__ = ["Collected", "Gap", "GapKind", "ResearchOutcome", "SoFar", "SourceBundle", "Verdict"]

GapKind = Literal["access_denied", "budget_exhausted", "scope_exceeded", "source_not_found"]


class SoFar(FrozenModel):
    """What a plan may look at: accepted sources and outcomes in plan order, and the rest of the grant."""

    sources: tuple[Source, ...] = ()
    outcomes: tuple[CallOutcome, ...] = ()
    calls_left: int
    units_left: int


class Collected(FrozenModel):
    """Everything one run of a plan brought home, before anybody has judged it."""

    sources: tuple[Source, ...] = ()
    outcomes: tuple[CallOutcome, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    findings: tuple[Finding, ...] = ()
    blocked: tuple[LocatedFinding, ...] = ()
    signals: tuple[Signal, ...] = ()
    carriers_removed: int = 0
    spent_units: int = 0
    ended: Ended = Ended.STOPPED


class Verdict(FrozenModel):
    """§5: exactly one stop and one action; `signals` keeps every condition that held."""

    stop: StopReason
    action: Action
    signals: tuple[Signal, ...] = ()
    retry_at_ms: int | None = None


class SourceBundle(FrozenModel):
    """§2.4: the sources that leave the gate (none after a stop, R8), sealed by a digest."""

    contract_version: str
    sources: tuple[Source, ...]
    accepted_count: int
    withheld_source_ids: tuple[Digest, ...]
    digest: Digest


class Gap(FrozenModel):
    """What could not be had, and why in the seeds' words."""

    kind: GapKind
    detail: str
    call_id: str = ""


class ResearchOutcome(FrozenModel):
    """The whole record of one session; only `audience` decides who sees which part of it (R14)."""

    session_id: Identifier
    contract_version: str
    capability: Identifier
    environment: str
    started_at_ms: int
    elapsed_ms: int
    verdict: Verdict
    text: Text
    bundle: SourceBundle
    outcomes: tuple[CallOutcome, ...]
    rejections: tuple[Rejection, ...]
    findings: tuple[Finding, ...]
    gaps: tuple[Gap, ...]
    spent_units: int
    ended: Ended
    blocked: tuple[LocatedFinding, ...] = ()
    """The findings with their documents or pages, for operators; neither hashed nor kept, because the record has them
    in the tools' answers."""
