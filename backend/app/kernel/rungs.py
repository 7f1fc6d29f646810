"""The rungs of a ladder of providers: who was asked in which order, why one gave no answer, and who else could be."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from .models import FrozenModel

__all__ = ["Fault", "Offer", "ProviderName", "Rung"]

ProviderName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
_Setting = Annotated[str, StringConstraints(pattern=r"^PORTCULLIS_[A-Z0-9_]{1,70}$")]
_Seconds = Annotated[int, Field(ge=0, le=10**9)]


class Fault(StrEnum):
    """Why a provider of a ladder gave no answer and the next one was asked."""

    AUTH = "auth"
    BAD_REQUEST = "bad_request"
    BLOCKED = "blocked"
    CIRCUIT_OPEN = "circuit_open"
    NOT_CONFIGURED = "not_configured"
    NOT_FOUND = "not_found"
    NOT_ROUTED = "not_routed"
    OVER_PRICE = "over_price"
    PROVIDER_DOWN = "provider_down"
    QUOTA = "quota"
    RATE_LIMITED = "rate_limited"
    REFUSED_DESTINATION = "refused_destination"
    SLOW = "slow"
    TOO_LARGE = "too_large"
    UNREACHABLE = "unreachable"
    UNREADABLE = "unreadable"
    UNSUPPORTED = "unsupported"


class Rung(FrozenModel):
    """One provider of a ladder in the order of the plan; without a fault it is the one that answered.

    What the tool saw of its health stands here, so that a replay does not depend on how it is today (R36).
    """

    provider: ProviderName
    fault: Fault | None = None
    retry_after_s: _Seconds | None = None
    missing: Annotated[tuple[_Setting, ...], Field(exclude_if=lambda names: not names)] = ()
    """Settings that it needs and that the operator has not set."""
    left_out: Annotated[tuple[ProviderName, ...], Field(exclude_if=lambda names: not names)] = ()
    """Options of the question that it does not know and that the plan allowed to be left out."""
    breaker: Annotated[Literal["half_open", "open"] | None, Field(exclude_if=lambda state: state is None)] = None
    """The state of its circuit breaker when its turn came; None where it was closed."""
    rate_left: Annotated[_Seconds | None, Field(exclude_if=lambda left: left is None)] = None
    """How many requests its own headers said were left."""
    cached: Annotated[bool, Field(exclude_if=lambda cached: not cached)] = False
    """True if a stored answer was used, so that nobody was asked."""


class Offer(FrozenModel):
    """One choice that a call had or would have had: a provider for a kind, or the name of a lens (kind `lens`)."""

    kind: ProviderName
    name: ProviderName
    usable: bool = True
    """False for a provider that is not configured or not routed."""
    healthy: bool = True
    """False while its circuit breaker is open or a pause that it asked for is not over."""
