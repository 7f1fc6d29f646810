"""The bundle: what leaves the gate, sealed by a digest over its content."""

from __future__ import annotations

from typing import Final

from ..kernel.canonical import canonical_bytes, digest_of
from ..kernel.models import Digest, FrozenModel
from ..kernel.outcome import ResearchOutcome, SourceBundle, Verdict
from ..kernel.results import Source
from ..kernel.stops import StopReason

__all__ = ["bundle_digest", "freeze", "kept_outcome", "outcome_digest"]

# R14: names of documents and pages enter no digest that a journal holds; a replay finds them in the tools' answers.
_BLOCKED: Final = "blocked"


class _Content(FrozenModel):
    """What a bundle's digest covers; an id covers every word of its source."""

    contract_version: str
    sources: tuple[Digest, ...]


def freeze(sources: tuple[Source, ...], counted: int, verdict: Verdict, version: str) -> SourceBundle:
    """Seal the sources after a success, and none after any other stop (R8)."""
    leaving = sources if verdict.stop is StopReason.SUCCESS_COMPLETED else ()
    withheld = () if leaving else tuple(source.source_id for source in sources)
    return SourceBundle(
        contract_version=version,
        sources=leaving,
        accepted_count=counted,
        withheld_source_ids=withheld,
        digest=bundle_digest(leaving, version),
    )


def bundle_digest(sources: tuple[Source, ...], version: str) -> str:
    """The digest of a bundle: the contract version and the sources' ids, in order."""
    return digest_of(_Content(contract_version=version, sources=tuple([source.source_id for source in sources])))


def outcome_digest(outcome: ResearchOutcome) -> str:
    """The digest of a whole outcome; its sources enter by the bundle's digest, which covers every word of them."""
    return digest_of(outcome, without={"bundle": {"sources"}, _BLOCKED: True})


def kept_outcome(outcome: ResearchOutcome) -> bytes:
    """An outcome as it is kept for whoever comes with its key again."""
    return canonical_bytes(outcome, without={_BLOCKED})
