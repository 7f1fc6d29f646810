"""The call of a search, and the plan of one: the call alone, or nothing at all where the input cannot be served."""

from __future__ import annotations

from typing import Final

from ...kernel.calls import Batch, Done, Params, ToolCall
from ...kernel.models import FrozenModel
from ...kernel.outcome import ResearchOutcome, SoFar
from ...kernel.request import Grant
from ...kernel.results import CallOutcome, SourceKind

__all__ = [
    "SEARCH_CALL",
    "SERVICES",
    "SERVICES_UNITS",
    "WEB",
    "WEB_MAX_AGE_S",
    "SearchPlan",
    "options_of",
    "search_call",
    "search_outcome",
]

SERVICES: Final = "services"
SERVICES_UNITS: Final = 40
"""What one call of the tool may cost, as its row says: what a plan has left decides how many it may ask for (R4)."""
SEARCH_CALL: Final = "search-1"
WEB: Final = "web"
WEB_MAX_AGE_S: Final = 1_800


def options_of(**options: str | int | bool | tuple[str, ...] | None) -> Params:
    """The options that are set, by name."""
    return tuple(sorted((name, value) for name, value in options.items() if value not in (None, "", (), False)))


def search_call(
    kind: str,
    query: str,
    limit: int,
    options: Params,
    *,
    max_age_s: int,
    call_id: str = SEARCH_CALL,
    wishes: tuple[str, ...] = (),
    provider: str | None = None,
    lens: str | None = None,
    offers: tuple[str, ...] = (),
) -> ToolCall:
    """One search; without a provider the operator's order for the kind is asked."""
    set_options = {name for name, _ in options}
    own = (
        ("kind", kind),
        ("query", query),
        ("limit", limit),
        ("max_age_s", max_age_s),
        ("wishes", tuple(name for name in wishes if name in set_options)),
        ("provider", provider),
        ("lens", lens),
        ("offers", offers),
    )
    told = tuple((name, value) for name, value in own if value not in (None, ()))
    return ToolCall(call_id=call_id, tool=SERVICES, params=(*told, *options))


class SearchPlan(FrozenModel):
    """One call, then the end; no call where the input asks for what does not exist yet."""

    call: ToolCall | None
    counts: tuple[SourceKind, ...] = (SourceKind.HIT,)

    def next_step(self, grant: Grant, so_far: SoFar) -> Batch | Done:
        """The call, then the end."""
        if self.call is None or so_far.outcomes:
            return Done(why="complete")
        return Batch(calls=(self.call,))


def search_outcome(outcome: ResearchOutcome, call_id: str = SEARCH_CALL) -> CallOutcome | None:
    """How the search ended; None where it was not made."""
    return next((call for call in outcome.outcomes if call.call_id == call_id), None)
