"""Hints for a search without results: which filters may have been too narrow, and who else could be asked."""

from __future__ import annotations

from typing import Literal

from ...kernel.models import WireModel
from ...kernel.results import CallOutcome

__all__ = ["SuggestedStep", "ZeroResultHints", "zero_result_hints"]


class SuggestedStep(WireModel):
    """One thing to try: a filter to leave out, or another provider."""

    action: Literal["remove-filter", "try-different-provider", "broaden-query"]
    filter: str | None = None
    provider: str | None = None


class ZeroResultHints(WireModel):
    """Why nothing matched, and how to go on; only where there are no results."""

    reason: Literal["no_match", "filters_too_restrictive"]
    filters_applied: tuple[str, ...]
    suggested_actions: tuple[SuggestedStep, ...]


def zero_result_hints(filters: tuple[str, ...], call: CallOutcome | None, kind: str) -> ZeroResultHints:
    """The hints; of providers only those that are configured and were healthy when the search was made."""
    answered = {rung.provider for rung in call.rungs} if call is not None else set()
    others = tuple(
        offer.name
        for offer in (call.offered if call is not None else ())
        if offer.kind == kind and offer.usable and offer.healthy and offer.name not in answered
    )
    steps = (
        *(SuggestedStep(action="remove-filter", filter=name) for name in filters),
        *(SuggestedStep(action="try-different-provider", provider=name) for name in others),
    )
    return ZeroResultHints(
        reason="filters_too_restrictive" if filters else "no_match",
        filters_applied=filters,
        suggested_actions=steps or (SuggestedStep(action="broaden-query"),),
    )
