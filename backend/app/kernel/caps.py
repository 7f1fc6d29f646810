"""The limits of the contract as types: caps per tier and environment."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from .models import FrozenModel, Identifier

__all__ = ["CapsEntry", "CapsNarrowing", "CapsTable", "CapsUnusable", "PolicyCaps"]

_Calls = Annotated[int, Field(ge=1, le=1_000)]
_Rate = Annotated[int, Field(ge=1, le=10_000)]
_Millis = Annotated[int, Field(ge=1, le=3_600_000)]
_Units = Annotated[int, Field(ge=1, le=1_000_000)]


class PolicyCaps(FrozenModel):
    """§2.9: every field required, positive and inclusive; the upper bounds refuse absurd values."""

    max_tool_calls_total: _Calls
    max_tool_calls_per_minute: _Rate
    per_call_timeout_ms: _Millis
    total_research_timeout_ms: _Millis
    budget_units_clamp: _Units

    @model_validator(mode="after")
    def _one_call_fits(self) -> PolicyCaps:
        if self.per_call_timeout_ms > self.total_research_timeout_ms:
            raise ValueError("per_call_timeout_ms is above total_research_timeout_ms")
        return self


class CapsNarrowing(FrozenModel):
    """What a request may ask for: less than its caps, never more (R13)."""

    max_tool_calls_total: _Calls | None = None
    max_tool_calls_per_minute: _Rate | None = None
    per_call_timeout_ms: _Millis | None = None
    total_research_timeout_ms: _Millis | None = None
    budget_units_clamp: _Units | None = None


class CapsEntry(FrozenModel):
    """The caps of one tier in one environment, or the word that there are none."""

    tier: Identifier
    environment: Identifier
    granted: bool
    caps: PolicyCaps | None

    @model_validator(mode="after")
    def _granted_has_caps(self) -> CapsEntry:
        if self.granted is not (self.caps is not None):
            raise ValueError("caps stand exactly where research is granted")
        return self


class CapsTable(FrozenModel):
    """`caps.json`: complete over tiers and environments."""

    contract_version: str
    tiers: tuple[Identifier, ...]
    environments: tuple[Identifier, ...]
    entries: tuple[CapsEntry, ...]

    @model_validator(mode="after")
    def _complete(self) -> CapsTable:
        for names in (self.tiers, self.environments):
            if len(set(names)) != len(names):
                raise ValueError("a tier or an environment is listed twice")
        want = [(tier, environment) for tier in self.tiers for environment in self.environments]
        if sorted((entry.tier, entry.environment) for entry in self.entries) != sorted(want):
            raise ValueError("there must be exactly one entry per tier and environment")
        return self

    def entry(self, tier: str, environment: str) -> CapsEntry | None:
        """The entry of a tier in an environment, if the table knows both."""
        return next((e for e in self.entries if (e.tier, e.environment) == (tier, environment)), None)


class CapsUnusable(FrozenModel):
    """Stands where a caps table could not be read: research is disabled (R13)."""

    why: str
