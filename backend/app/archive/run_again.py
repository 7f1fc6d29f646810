"""A recorded session run again with its plan watched: what it was granted, what it asked for, how it came out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..capabilities.answers.research_models import ResearchResult
from ..kernel.calls import Batch, Done
from ..kernel.capability import AnyCapability
from ..kernel.outcome import ResearchOutcome, SoFar
from ..kernel.ports import Plan
from ..kernel.request import Grant, Principal, ResearchRequest
from ..kernel.results import SourceKind
from ..research.record.replay import Replayed

__all__ = ["PlanWatch", "SessionAgain", "with_watched_plan"]


@dataclass(frozen=True, slots=True)
class SessionAgain:
    """What came out; where the record cannot be run again, only `replayed`, which says why."""

    replayed: Replayed
    request: ResearchRequest | None = None
    principal: Principal | None = None
    grant: Grant | None = None
    """What policy allowed; None where it refused."""
    batches: tuple[Batch, ...] = ()
    """Every batch that the plan asked for, the last one also where it was refused."""
    outcome: ResearchOutcome | None = None
    result: ResearchResult | None = None
    """Of a research session alone."""


@dataclass(slots=True)
class PlanWatch:
    """Notes what a plan is given and asks for; the plan cannot tell."""

    grant: Grant | None = None
    batches: list[Batch] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _WatchedPlan:
    plan: Plan
    watch: PlanWatch

    @property
    def counts(self) -> tuple[SourceKind, ...]:
        return self.plan.counts

    def next_step(self, grant: Grant, so_far: SoFar) -> Batch | Done:
        step = self.plan.next_step(grant, so_far)
        self.watch.grant = grant
        if isinstance(step, Batch):
            self.watch.batches.append(step)
        return step


def with_watched_plan(capability: AnyCapability, watch: PlanWatch) -> AnyCapability:
    """The same capability, whose plans are noted."""
    plan = capability.plan
    if plan is None:
        return capability

    def watched(given: object, request: ResearchRequest) -> Plan:
        return _WatchedPlan(plan(given, request), watch)

    return replace(capability, plan=watched)
