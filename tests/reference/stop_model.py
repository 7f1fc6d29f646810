"""A tiny model of the stop calculus. It imports nothing of the product; codes and order come from the text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

CONTRACT = Path(__file__).parents[2] / "contracts" / "18.0.0" / "CONTRACT.md"

# The action table, written down here by hand from §3.2, §3.6 and §6.
ASKS = {False: "ASK_CLARIFY", True: "UNKNOWN"}
BASELINE_ALWAYS = (
    "INTERNAL_INCONSISTENCY",
    "SANDBOX_VIOLATION",
    "INJECTION_DETECTED",
    "ENTITLEMENT_CAP",
    "POLICY_DISABLED",
    "RATE_LIMITED",
    "BUDGET_EXHAUSTED",
    "TIMEOUT",
)


def priority_order(text: str) -> list[str]:
    """The numbered list of §5."""
    section = text.split("## 5", 1)[1].split("\n## 6", 1)[0]
    found = re.findall(r"^(\d+)\. \*\*([A-Z_]+)\*\*", section, re.MULTILINE)
    assert [int(number) for number, _ in found] == list(range(1, 12)), "the list of §5 has eleven numbered entries"
    return [code for _, code in found]


def codes(text: str) -> list[str]:
    """The first column of the table in §4.1."""
    section = text.split("### 4.1", 1)[1].split("### 4.2", 1)[0]
    return re.findall(r"^\| `([A-Z_]+)` \|", section, re.MULTILINE)


def expected(signals: Iterable[str], empty: bool, clarified: bool, order: list[str]) -> tuple[str, str]:
    """Stop and action, the slow way."""
    raised = set(signals)
    impossible = "SUCCESS_COMPLETED" in raised or ("NO_SOURCE" in raised and not empty)
    if impossible:
        raised.add("INTERNAL_INCONSISTENCY")
    if not raised:
        raised.add("NO_SOURCE" if empty else "SUCCESS_COMPLETED")
    stop = sorted(raised, key=order.index)[0]
    if stop in BASELINE_ALWAYS:
        return stop, "BASELINE"
    if stop == "SUCCESS_COMPLETED":
        return stop, "GROUNDED"
    if stop == "NO_SOURCE" or empty:
        return stop, ASKS[clarified]
    return stop, "BASELINE"
