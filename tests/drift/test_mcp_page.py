"""docs/mcp.md ↔ the registry, the resources and the clients of the MCP door."""

from __future__ import annotations

import re

from scripts.mcp_page import PAGE, rendered

from app.capabilities.registry import CAPABILITIES
from app.mcp_server.client_config import CLIENTS
from app.system.api_keys import KEY_SCOPES
from app.wiring.key_guard import REQUESTS_PER_MINUTE

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_table_of_tools_is_the_registry():
    assert rendered(TEXT) == TEXT, "run `make mcp-page`"
    table = TEXT.partition("<!-- mcp-tools -->")[2].partition("<!-- /mcp-tools -->")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(CAPABILITIES)


def test_clients_scopes_and_the_limit_are_told():
    table = TEXT.partition("## Settings of clients")[2].partition("## Tools")[0]
    told = re.findall(r"^\| [\w ]+ \| `([a-z-]+)` \| ", table, re.MULTILINE)
    assert told == list(CLIENTS)
    assert all(f"`{scope}`" in TEXT for scope in KEY_SCOPES)
    assert f"{REQUESTS_PER_MINUTE} in any 60 seconds" in TEXT
