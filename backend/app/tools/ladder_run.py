"""One call of `services` on its way up the ladder: what was seen of each provider, and the end if nobody answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from ..kernel.calls import CallContext
from ..kernel.providers import Fault, Offer, ProviderError, Rung
from ..kernel.results import RawResult, UnavailableKind
from .service_choice import ServiceParams, ServiceRoute

__all__ = ["Climb", "unanswered"]

_NOT_SET_UP: Final = (Fault.NOT_CONFIGURED, Fault.NOT_ROUTED)
_THROTTLED: Final = (Fault.QUOTA, Fault.RATE_LIMITED)


@dataclass(slots=True)
class _Seen:
    """What was seen of one provider on its turn."""

    left_out: tuple[str, ...] = ()
    breaker: Literal["half_open", "open"] | None = None
    rate_left: int | None = None
    cached: bool = False


@dataclass(slots=True)
class Climb:
    """One call on its way up the ladder."""

    context: CallContext
    wish: ServiceParams
    route: ServiceRoute
    offered: tuple[Offer, ...]
    ends_ms: int
    rungs: list[Rung] = field(default_factory=list)
    spent_units: int = 0
    at: str = ""
    """The provider that is being asked."""
    seen: _Seen = field(default_factory=_Seen)
    paid: bool = False
    """Whether the price of this provider was counted."""

    def turn(self, name: str) -> None:
        self.at, self.seen, self.paid = name, _Seen(), False

    def rung(self, name: str, why: ProviderError | None, missing: tuple[str, ...] = ()) -> Rung:
        return Rung(
            provider=name,
            fault=None if why is None else why.fault,
            retry_after_s=None if why is None else why.retry_after_s,
            missing=missing,
            left_out=self.seen.left_out,
            breaker=self.seen.breaker,
            rate_left=self.seen.rate_left,
            cached=self.seen.cached,
        )

    def pass_over(self, name: str, why: ProviderError, missing: tuple[str, ...] = ()) -> None:
        self.rungs.append(self.rung(name, why, missing))

    @property
    def max_age_ms(self) -> int:
        return 1000 * self.wish.max_age_s


def unanswered(climb: Climb) -> RawResult:
    """Nobody answered: that says nothing about whether there is such a source (R3)."""
    faults = [rung.fault for rung in climb.rungs]
    asked = [fault for fault in faults if fault not in (*_NOT_SET_UP, Fault.UNSUPPORTED)]
    spent, rungs = climb.spent_units, tuple(climb.rungs)
    if climb.route.asked.ids and asked and all(fault is Fault.NOT_FOUND for fault in asked):
        # Everybody who could be asked for it by name says that it does not exist.
        return RawResult(status="empty", spent_units=spent, rungs=rungs, offered=climb.offered)
    if all(fault in _NOT_SET_UP for fault in faults):
        kind = UnavailableKind.AUTH
    elif asked and all(fault in _THROTTLED for fault in asked):
        kind = UnavailableKind.RATE_LIMITED
    else:
        kind = UnavailableKind.PROVIDER_DOWN
    return RawResult(status="unavailable", unavailable=kind, spent_units=spent, rungs=rungs, offered=climb.offered)
