"""Write the generated tables of the README from the contract data; `--check` only compares."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from app.kernel.caps import CapsTable, PolicyCaps
from app.system.catalog_files import read_catalog
from app.system.contract_files import read_contract

README = Path(__file__).parents[1] / "README.md"


def stop_reasons() -> str:
    """One row per stop, in priority order."""
    contract = read_contract()
    rows = ["| # | code | when | action |", "|---|---|---|---|"]
    for entry in contract.stops.stop_reasons:
        found = [row.action.value for row in contract.actions.rows if row.stop is entry.code]
        actions = " / ".join(dict.fromkeys(found))
        rows.append(f"| {entry.priority} | `{entry.code}` | {entry.trigger} | {actions} |")
    return "\n".join(rows)


def caps() -> str:
    """One row per tier and environment."""
    table = read_contract().caps
    if not isinstance(table, CapsTable):
        raise SystemExit(table.why)
    names = tuple(PolicyCaps.model_fields)
    rows = [f"| tier | environment | {' | '.join(f'`{name}`' for name in names)} |", "|---" * (len(names) + 2) + "|"]
    for entry in table.entries:
        values = [f"{getattr(entry.caps, name):,}" if entry.caps else "-" for name in names]
        rows.append(f"| {entry.tier} | {entry.environment} | {' | '.join(values)} |")
    return "\n".join(rows)


def tools() -> str:
    """One row per tool, in the adapter's order."""
    rows = [
        "| tool | price in units | own deadline in ms | largest output in bytes | effect |",
        "|---|---|---|---|---|",
    ]
    for tool in read_catalog().tools.tools:
        limits = f"{tool.price_units:,} | {tool.own_deadline_ms:,} | {tool.max_output_bytes:,}"
        rows.append(f"| `{tool.name}` | {limits} | {tool.effect} |")
    return "\n".join(rows)


def rendered(text: str) -> str:
    """The README with its tables as the contract has them."""
    for name, table in (("stop-reasons", stop_reasons()), ("caps", caps()), ("tools", tools())):
        pattern = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
        text, count = re.subn(pattern, lambda m, t=table: f"{m[1]}{t}\n{m[2]}", text, flags=re.DOTALL)
        if count != 1:
            raise SystemExit(f"README.md has no place for {name}")
    return text


def main() -> int:
    """Exit code 1 when `--check` finds a difference."""
    before = README.read_text(encoding="utf-8")
    after = rendered(before)
    if "--check" not in sys.argv:
        README.write_text(after, encoding="utf-8")
    return int("--check" in sys.argv and before != after)


if __name__ == "__main__":
    sys.exit(main())
