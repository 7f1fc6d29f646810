"""Whatever breaks behind the MCP server: a client gets a fixed line, and neither it nor a log any text of the error."""

from __future__ import annotations

import json
import logging
from types import SimpleNamespace

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from app.capabilities.registry import CAPABILITIES
from app.kernel.errors import StoreBusy
from app.kernel.request import read_principal
from app.mcp_server.artifacts import Artifacts
from app.mcp_server.call_stats import CallStats
from app.mcp_server.resource_views import ResourceViews, View
from app.mcp_server.server import McpDoor, build_server
from app.system.clock import SystemClock

CANARY = "canary-4711"
WHO = read_principal(tenant="acme", user="u1", tier="PRO")


def _breaks(*_, **__):
    raise RuntimeError(CANARY)


async def _call(name, arguments, principal, *, observer):
    raise StoreBusy(CANARY) if name == "lint_report" else RuntimeError(CANARY)


def _server(principal_of, noted):
    clock = SystemClock()
    artifacts = Artifacts(clock)
    views = ResourceViews((View("stats://broken", "Broken", "It breaks.", _breaks, operators_only=False),), artifacts)
    router = SimpleNamespace(capabilities=CAPABILITIES, call=_call)
    audit = SimpleNamespace(note=noted.append)
    return build_server(McpDoor(router, principal_of, views, artifacts, CallStats(), audit, clock))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_text_of_an_error_never_leaves(mode, caplog):
    caplog.set_level(logging.INFO)
    noted = []
    async with Client(_server(lambda request: WHO, noted), mode=mode) as client:
        for tool, retryable in (("ask_documents", False), ("lint_report", True)):
            told = await client.call_tool(tool, {})
            assert told.is_error
            assert CANARY not in told.content[0].text
            error = json.loads(told.content[0].text.partition("\n")[2])["error"]
            assert (error["kind"], error["retryable"]) == ("upstream_unavailable", retryable)
        with pytest.raises(MCPError, match=r"^the request could not be completed$"):
            await client.read_resource("stats://broken")
        assert (await client.list_tools()).tools
    assert [event.error_code for event in noted] == ["upstream_unavailable"] * 2
    assert CANARY not in caplog.text
    assert "Traceback" not in caplog.text
    assert "tool ask_documents: unexpected RuntimeError" in caplog.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_nobody_who_cannot_be_named_is_served(mode, caplog):
    async with Client(_server(_breaks, []), mode=mode) as client:
        for ask in (
            client.list_tools,
            client.list_resources,
            lambda: client.call_tool("ask_documents", {}),
            lambda: client.read_resource("stats://broken"),
        ):
            with pytest.raises(MCPError, match=r"^the request could not be completed$"):
                await ask()
    assert CANARY not in caplog.text
    assert "Traceback" not in caplog.text
