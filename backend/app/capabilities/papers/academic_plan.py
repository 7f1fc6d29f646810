"""The plan of a search for papers: a register, else the web within scholarly sites, then open copies and integrity."""

from __future__ import annotations

from typing import Final

from ...evidence.merging import MergedHit, merge_hits
from ...kernel.calls import Batch, Done, ToolCall
from ...kernel.models import FrozenModel
from ...kernel.outcome import SoFar
from ...kernel.request import Grant
from ...kernel.results import CallOutcome, OutcomeStatus, Source, SourceKind
from ...parsing.services.dois import doi_of
from ..searching.search_calls import SERVICES, SERVICES_UNITS

__all__ = ["INTEGRITY", "OPEN_ACCESS", "PAPERS_CALL", "WEB_CALL", "AcademicPlan", "found_works", "open_copy_calls"]

PAPERS_CALL: Final = "papers-1"
WEB_CALL: Final = "web-1"
INTEGRITY: Final = "integrity"
OPEN_ACCESS: Final = "open_access"
_SEARCHES: Final = (PAPERS_CALL, WEB_CALL)
_MAX_AGE_S: Final = 3_600
_SAYS_INTEGRITY: Final = ("crossref", "openalex", "pubmed")


class AcademicPlan(FrozenModel):
    """At most three batches: the register, the web where no register answered, then what is missing per work."""

    first: ToolCall | None
    fallback: ToolCall | None
    most: int
    """Works that are enriched at most."""
    counts: tuple[SourceKind, ...] = (SourceKind.HIT,)

    def next_step(self, grant: Grant, so_far: SoFar) -> Batch | Done:
        """The next batch that the grant covers (R4)."""
        if self.first is None:
            return Done(why="complete")
        done = {call.call_id: call for call in so_far.outcomes}
        if self.first.call_id not in done:
            return Batch(calls=(self.first,))
        first = done[self.first.call_id]
        if first.status is OutcomeStatus.UNAVAILABLE and self.fallback is not None:
            if WEB_CALL not in done:
                covered = so_far.calls_left >= 1 and so_far.units_left >= SERVICES_UNITS
                return Batch(calls=(self.fallback,)) if covered else Done(why="limit")
            return Done(why="complete")
        if len(done) > 1:
            return Done(why="limit" if len(_wanted(self, so_far, first)) > len(done) - 1 else "complete")
        wanted = _wanted(self, so_far, first)
        room = min(so_far.calls_left, so_far.units_left // SERVICES_UNITS)
        if wanted and not room:
            return Done(why="limit")
        return Batch(calls=wanted[:room]) if wanted else Done(why="complete")


def found_works(sources: tuple[Source, ...]) -> tuple[MergedHit, ...]:
    """The works of a search, best first; what was looked up about them later only adds facts."""
    return merge_hits(source for source in sources if source.call_id in _SEARCHES)


def open_copy_calls(hits: tuple[MergedHit, ...]) -> tuple[ToolCall, ...]:
    """One look-up for each work that has a DOI and no PDF."""
    dois = (doi_of(hit.fact("doi")) for hit in hits if not hit.fact("pdf"))
    return tuple(
        _lookup(f"open-access-{number}", OPEN_ACCESS, (doi,)) for number, doi in enumerate(filter(None, dois), start=1)
    )


def _wanted(plan: AcademicPlan, so_far: SoFar, first: CallOutcome) -> tuple[ToolCall, ...]:
    """The look-ups that somebody can answer: integrity in one call for all works, open copies in one each."""
    offered = {offer.kind for offer in first.offered if offer.usable and offer.healthy}
    hits = found_works(so_far.sources)[: plan.most]
    dois = tuple(dict.fromkeys(doi for hit in hits if (doi := doi_of(hit.fact("doi")))))
    told = all(hit.fact("service:provider") in _SAYS_INTEGRITY for hit in hits)
    integrity = (_lookup("integrity-1", INTEGRITY, dois),) if INTEGRITY in offered and dois and not told else ()
    return (*integrity, *(open_copy_calls(hits) if OPEN_ACCESS in offered else ()))


def _lookup(call_id: str, kind: str, dois: tuple[str, ...]) -> ToolCall:
    params = (("kind", kind), ("ids", dois), ("limit", len(dois)), ("max_age_s", _MAX_AGE_S))
    return ToolCall(call_id=call_id, tool=SERVICES, params=params)
