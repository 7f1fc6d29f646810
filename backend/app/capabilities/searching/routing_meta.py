"""Who was asked and who answered: for operators only, beside a result and never in it (`_meta.routing`)."""

from __future__ import annotations

from typing import Final, Literal

from ...kernel.models import FrozenModel
from ...kernel.outcome import ResearchOutcome
from ...kernel.rungs import Fault, Rung

__all__ = ["ROUTED_KINDS", "RoutingMeta", "routing_of"]

ROUTED_KINDS: Final = {
    "academic_search": "papers",
    "image_search": "images",
    "news_search": "news",
    "web_search": "web",
}
"""The capabilities that are one ladder of providers, and its kind; what is made of several steps has no routing."""

_NOT_ASKED = (Fault.NOT_CONFIGURED, Fault.NOT_ROUTED, Fault.UNSUPPORTED, Fault.OVER_PRICE)


class RoutingMeta(FrozenModel):
    """The ladder of the first search of a session, in the field names of the specification."""

    provider_used: str | None = None
    providers_attempted: tuple[str, ...]
    fallback: bool
    fallback_reason: Literal["circuit_open", "primary_unavailable"] | None = None
    cache_hit: bool
    latency_ms: int
    line: str
    """The same for people."""


def routing_of(outcome: ResearchOutcome) -> RoutingMeta | None:
    """The routing of a session; None where nobody could be asked."""
    call = next((one for one in outcome.outcomes if one.rungs), None)
    if call is None:
        return None
    tried = tuple(rung for rung in call.rungs if rung.fault not in _NOT_ASKED)
    used = next((rung for rung in call.rungs if rung.fault is None), None)
    cached = used is not None and used.cached
    fallback = used is not None and bool(tried) and tried[0].provider != used.provider
    open_first = fallback and tried[0].fault is Fault.CIRCUIT_OPEN
    return RoutingMeta(
        # The provenance of a stored answer is not the routing of this call.
        provider_used=None if used is None or cached else used.provider,
        providers_attempted=tuple(rung.provider for rung in tried),
        fallback=fallback,
        fallback_reason=("circuit_open" if open_first else "primary_unavailable") if fallback else None,
        cache_hit=cached,
        latency_ms=call.elapsed_ms,
        line=", ".join(map(_told, call.rungs)),
    )


def _told(rung: Rung) -> str:
    if rung.fault is None:
        return f"{rung.provider} (stored answer)" if rung.cached else rung.provider
    return f"{rung.provider} ({rung.fault.value})"
