"""The rungs of a ladder of providers: who was asked in which order, and why one gave no answer."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from .models import FrozenModel

__all__ = ["Fault", "ProviderName", "Rung"]

ProviderName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]


class Fault(StrEnum):
    """Why a provider of a ladder gave no answer and the next one was asked."""

    AUTH = "auth"
    BAD_REQUEST = "bad_request"
    BLOCKED = "blocked"
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
    """One provider of a ladder in the order of the plan; without a fault it is the one that answered."""

    provider: ProviderName
    fault: Fault | None = None
    retry_after_s: Annotated[int, Field(ge=0, le=10**9)] | None = None
