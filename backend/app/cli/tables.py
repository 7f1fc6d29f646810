"""Tables of the contract for people to read."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table

from ..kernel.canonical import digest_of
from ..kernel.caps import CapsTable, CapsUnusable, PolicyCaps
from ..system.caps_files import raises_defaults, read_caps
from ..system.contract_files import read_contract
from .render import print_json

__all__ = ["caps_table", "print_caps", "print_checked"]

_SHORT = {
    "max_tool_calls_total": "calls",
    "max_tool_calls_per_minute": "calls per min",
    "per_call_timeout_ms": "call ms",
    "total_research_timeout_ms": "total ms",
    "budget_units_clamp": "units",
}


def print_caps(check: Path | None, *, as_json: bool) -> None:
    """The caps of the contract, or what is to be said about a table of the operator's own.

    Raises:
        RequestInvalid: that table cannot be used.
    """
    caps = read_contract().caps
    if check is not None:
        print_checked(read_caps(check, caps), caps, as_json=as_json)
    elif as_json:
        print_json(caps)
    else:
        Console(highlight=False).print(caps_table(caps))


def caps_table(caps: CapsTable | CapsUnusable) -> Table | str:
    """One row per tier and environment."""
    if isinstance(caps, CapsUnusable):
        return f"research is disabled: {caps.why}"
    names = tuple(PolicyCaps.model_fields)
    table = Table(*(Column(name, no_wrap=True) for name in ("tier", "env")), *(_SHORT[name] for name in names))
    for entry in caps.entries:
        values = [str(getattr(entry.caps, name)) for name in names] if entry.caps else ["-"] * len(names)
        table.add_row(entry.tier, entry.environment, *values)
    return table


def print_checked(table: CapsTable, default: CapsTable | CapsUnusable, *, as_json: bool) -> None:
    """A table of an operator's own that can be used: its digest, and whether it raises a default."""
    digest, custom = digest_of(table), raises_defaults(table, default)
    if as_json:
        sys.stdout.write(json.dumps({"digest": digest, "custom_caps": custom}) + "\n")
        return
    console = Console(highlight=False)
    console.print(caps_table(table))
    told = "it raises defaults of the contract: custom caps" if custom else "it raises no default of the contract"
    console.print(f"valid, digest {digest}\n{told}", soft_wrap=True)
