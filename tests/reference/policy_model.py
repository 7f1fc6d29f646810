"""A tiny model of policy, from the rulings alone: which reasons speak against a request, and the caps that are left."""

from __future__ import annotations

CAPS = {
    ("PRO", "prod"): (5, 10, 5_000, 15_000, 500),
    ("PRO", "staging"): (5, 10, 5_000, 15_000, 500),
    ("PRO", "dev"): (10, 120, 10_000, 30_000, 1_000),
    ("MAX", "prod"): (20, 60, 10_000, 60_000, 2_000),
    ("MAX", "staging"): (20, 60, 10_000, 60_000, 2_000),
    ("MAX", "dev"): (40, 240, 15_000, 120_000, 4_000),
}
ENVIRONMENTS = ("dev", "staging", "prod")


def refused(
    tier: str, environment: str, enabled: bool, caps_readable: bool, owns_collection: bool, sealed: bool
) -> set[str]:
    """The reasons, as a set."""
    reasons = set()
    if not owns_collection or (caps_readable and tier not in ("PRO", "MAX")):
        reasons.add("ENTITLEMENT_CAP")
    if not enabled or not caps_readable or environment not in ENVIRONMENTS:
        reasons.add("POLICY_DISABLED")
    if not sealed and environment != "dev":
        reasons.add("POLICY_DISABLED")
    return reasons


def effective(tier: str, environment: str, wish: tuple[int | None, ...], balance: int | None) -> tuple[int, ...]:
    """The five caps after narrowing, and the budget."""
    caps = [
        cap if want is None or want > cap else want for cap, want in zip(CAPS[tier, environment], wish, strict=True)
    ]
    caps[2] = min(caps[2], caps[3])
    return (*caps, caps[4] if balance is None or balance > caps[4] else balance)
