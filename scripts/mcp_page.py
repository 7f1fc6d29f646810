"""Write the table of tools in docs/mcp.md from the registry of capabilities; `--check` only compares."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from app.capabilities.registry import CAPABILITIES
from app.mcp_server.tool_list import tool_of

__all__ = ["PAGE", "rendered", "tools"]

PAGE = Path(__file__).parents[1] / "docs" / "mcp.md"
_PLACE = re.compile(r"(<!-- mcp-tools -->\n).*?(<!-- /mcp-tools -->)", re.DOTALL)


def tools() -> str:
    """One row per tool."""
    rows = ["| tool | what it is for | read only | open world |", "|---|---|---|---|"]
    for one in CAPABILITIES.values():
        tool = tool_of(one)
        hints = tool.annotations
        words = "yes" if hints and hints.read_only_hint else "no", "yes" if hints and hints.open_world_hint else "no"
        about = (tool.description or "").replace("|", "\\|").partition("\n")[0]
        rows.append(f"| `{tool.name}` | {about} | {words[0]} | {words[1]} |")
    return "\n".join(rows)


def rendered(text: str) -> str:
    """The page with its table as the registry has it."""
    after, count = _PLACE.subn(lambda found: f"{found[1]}{tools()}\n{found[2]}", text)
    if count != 1:
        raise SystemExit("docs/mcp.md has no place for its table of tools")
    return after


def main() -> int:
    """Exit code 1 when `--check` finds a difference."""
    before = PAGE.read_text(encoding="utf-8")
    after = rendered(before)
    if "--check" not in sys.argv:
        PAGE.write_text(after, encoding="utf-8")
    elif before != after:
        print("docs/mcp.md differs from the registry: make mcp-page")
    return int("--check" in sys.argv and before != after)


if __name__ == "__main__":
    sys.exit(main())
