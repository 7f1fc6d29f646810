"""How old an answer is, as the specification tells it beside a result (`_meta`)."""

from __future__ import annotations

from typing import Literal

from ..kernel.models import WireModel
from ..kernel.results import CallOutcome

__all__ = ["CacheMeta", "cache_meta", "fresh_meta"]


class CacheMeta(WireModel):
    """How old a stored copy is, and how old it may become."""

    cached: bool
    age_seconds: int
    max_age_seconds: int
    freshness: Literal["fresh", "stale"]


def cache_meta(call: CallOutcome) -> CacheMeta | None:
    """The age of the stored copy behind a call; None where the answer is of now."""
    if call.age_ms is None or call.max_age_ms is None:
        return None
    fresh = call.age_ms <= call.max_age_ms
    return CacheMeta(
        cached=True,
        age_seconds=call.age_ms // 1000,
        max_age_seconds=call.max_age_ms // 1000,
        freshness="fresh" if fresh else "stale",
    )


def fresh_meta(max_age_s: int) -> CacheMeta:
    """Of an answer that was just given."""
    return CacheMeta(cached=False, age_seconds=0, max_age_seconds=max_age_s, freshness="fresh")
