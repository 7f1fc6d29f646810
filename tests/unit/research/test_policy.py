"""Policy on tables that the contract could have: tiers that are granted in some environments only."""

from __future__ import annotations

import pytest

from app.kernel.caps import CapsTable, PolicyCaps
from app.kernel.request import Grant, Principal, read_request
from app.research.policy import Policy

CAPS = PolicyCaps(
    max_tool_calls_total=2,
    max_tool_calls_per_minute=3,
    per_call_timeout_ms=40,
    total_research_timeout_ms=50,
    budget_units_clamp=6,
)


def _grant(environment, granted):
    entries = [
        {"tier": "PRO", "environment": name, "granted": name in granted, "caps": CAPS if name in granted else None}
        for name in ("dev", "prod")
    ]
    table = CapsTable.model_validate(
        {"contract_version": "18.0.0", "tiers": ("PRO",), "environments": ("dev", "prod"), "entries": tuple(entries)}
    )
    policy = Policy(environment=environment, research_enabled=True, sealed=True, caps=table)
    principal = Principal(tenant="t", user="u", tier="PRO", collections=("documents",))
    return policy.grant(read_request(question="why?"), principal, "s-1", 0, ("doc_lookup",))


@pytest.mark.ruling("R13")
@pytest.mark.parametrize(("here", "elsewhere"), [("dev", "prod"), ("prod", "dev")])
def test_a_grant_elsewhere_does_not_count_here(here, elsewhere):
    assert [signal.cause for signal in _grant(here, {elsewhere})] == ["tier_not_granted"]
    granted = _grant(here, {here})
    assert isinstance(granted, Grant)
    assert granted.caps == CAPS


@pytest.mark.ruling("R13")
def test_in_an_unknown_environment_a_tier_counts_as_granted_when_it_is_anywhere():
    assert [signal.cause for signal in _grant("moon", {"dev"})] == ["environment_unknown"]
    assert [signal.cause for signal in _grant("moon", set())] == ["tier_not_granted", "environment_unknown"]
