"""Tables of the contract for people to read."""

from __future__ import annotations

from rich.table import Table

from ..kernel.caps import CapsTable, CapsUnusable, PolicyCaps

__all__ = ["caps_table"]

_SHORT = {
    "max_tool_calls_total": "calls",
    "max_tool_calls_per_minute": "calls/min",
    "per_call_timeout_ms": "call ms",
    "total_research_timeout_ms": "total ms",
    "budget_units_clamp": "units",
}


def caps_table(caps: CapsTable | CapsUnusable) -> Table | str:
    """One row per tier and environment."""
    if isinstance(caps, CapsUnusable):
        return f"research is disabled: {caps.why}"
    names = tuple(PolicyCaps.model_fields)
    table = Table("tier", "env", *(_SHORT[name] for name in names))
    for entry in caps.entries:
        values = [str(getattr(entry.caps, name)) for name in names] if entry.caps else ["-"] * len(names)
        table.add_row(entry.tier, entry.environment, *values)
    return table
