"""Policy: request, principal and caps become a Grant, or the signals that speak against one (§3.3)."""

from __future__ import annotations

from typing import Final

from ..kernel.caps import CapsEntry, CapsNarrowing, CapsTable, CapsUnusable, PolicyCaps
from ..kernel.models import FrozenModel
from ..kernel.request import Grant, Principal, ResearchRequest
from ..kernel.stops import Cause, Signal, StopReason

__all__ = ["Policy"]

_OPEN_ENVIRONMENT: Final = "dev"


class Policy(FrozenModel):
    """What the operator has decided; a request can narrow it and never widen it."""

    environment: str
    research_enabled: bool
    sealed: bool
    caps: CapsTable | CapsUnusable

    def grant(
        self, request: ResearchRequest, principal: Principal, session_id: str, now_ms: int, tools: tuple[str, ...]
    ) -> Grant | tuple[Signal, ...]:
        """Decide once, before anything is called or charged (R10); `tools` are those that the plan may ask for."""
        signals = (*self._tier(principal), *_ungranted(request, principal), *self._switches())
        caps = self._caps_of(principal.tier)
        if signals or caps is None:
            return signals
        effective = caps if request.narrow == CapsNarrowing() else _narrowed(caps, request.narrow)
        # R11: a host that sells credits passes the balance, and the smaller one rules.
        budget = effective.budget_units_clamp
        if request.balance_units is not None:
            budget = min(budget, request.balance_units)
        return Grant(
            session_id=session_id,
            subject=principal.subject,
            tenant=principal.tenant,
            tier=principal.tier,
            environment=self.environment,
            collection=request.collection,
            started_at_ms=now_ms,
            caps=effective,
            budget_units=budget,
            allowed_tools=tools,
        )

    def admits(self, principal: Principal) -> PolicyCaps | tuple[Signal, ...]:
        """The caps of a principal whose request opens no session, or what speaks against it (R25)."""
        signals = (*self._tier(principal), *self._switches())
        caps = self._caps_of(principal.tier)
        return signals if signals or caps is None else caps

    @property
    def disabled_by(self) -> tuple[Cause, ...]:
        """What keeps research from everybody; nothing where it is enabled."""
        return tuple([signal.cause for signal in self._switches()])

    def _tier(self, principal: Principal) -> list[Signal]:
        found = []
        if isinstance(self.caps, CapsTable):
            if principal.tier not in self.caps.tiers:
                found.append(Signal(reason=StopReason.ENTITLEMENT_CAP, cause=Cause.TIER_UNKNOWN))
            elif not any(e.granted for e in self._entries(principal.tier, self.caps)):
                found.append(Signal(reason=StopReason.ENTITLEMENT_CAP, cause=Cause.TIER_NOT_GRANTED))
        return found

    def _switches(self) -> list[Signal]:
        found = []
        if not self.research_enabled:
            found.append(Signal(reason=StopReason.POLICY_DISABLED, cause=Cause.FLAG_OFF))
        # R15: whoever develops works on files that are not sealed yet; nobody else runs such files.
        if not self.sealed and self.environment != _OPEN_ENVIRONMENT:
            found.append(Signal(reason=StopReason.POLICY_DISABLED, cause=Cause.LOCK_MISMATCH))
        if isinstance(self.caps, CapsUnusable):
            found.append(Signal(reason=StopReason.POLICY_DISABLED, cause=Cause.CAPS_INVALID))
        elif self.environment not in self.caps.environments:
            found.append(Signal(reason=StopReason.POLICY_DISABLED, cause=Cause.ENVIRONMENT_UNKNOWN))
        return found

    def _entries(self, tier: str, table: CapsTable) -> list[CapsEntry]:
        """The entry that counts here; in an unknown environment, all of the tier's."""
        here = table.entry(tier, self.environment)
        return [here] if here else [entry for entry in table.entries if entry.tier == tier]

    def _caps_of(self, tier: str) -> PolicyCaps | None:
        if isinstance(self.caps, CapsUnusable):
            return None
        entry = self.caps.entry(tier, self.environment)
        return entry.caps if entry else None


def _ungranted(request: ResearchRequest, principal: Principal) -> list[Signal]:
    if request.collection is None or request.collection in principal.collections:
        return []
    return [Signal(reason=StopReason.ENTITLEMENT_CAP, cause=Cause.COLLECTION_NOT_GRANTED)]


def _narrowed(caps: PolicyCaps, wish: CapsNarrowing) -> PolicyCaps:
    # INVARIANT 3.3: a wish above the cap changes nothing.
    total = _smaller(caps.total_research_timeout_ms, wish.total_research_timeout_ms)
    return PolicyCaps(
        max_tool_calls_total=_smaller(caps.max_tool_calls_total, wish.max_tool_calls_total),
        max_tool_calls_per_minute=_smaller(caps.max_tool_calls_per_minute, wish.max_tool_calls_per_minute),
        per_call_timeout_ms=min(total, _smaller(caps.per_call_timeout_ms, wish.per_call_timeout_ms)),
        total_research_timeout_ms=total,
        budget_units_clamp=_smaller(caps.budget_units_clamp, wish.budget_units_clamp),
    )


def _smaller(cap: int, wish: int | None) -> int:
    return cap if wish is None else min(cap, wish)
