"""Capabilities as tools: what a principal may call, made once for all the requests of a server."""

from __future__ import annotations

from types import SimpleNamespace

from mcp import Client

from app.capabilities.registry import CAPABILITIES
from app.kernel.request import read_principal
from app.mcp_server.artifacts import Artifacts
from app.mcp_server.call_stats import CallStats
from app.mcp_server.resource_views import ResourceViews
from app.mcp_server.server import McpDoor, build_server
from app.mcp_server.tool_list import offered_to, tool_of
from app.system.clock import SystemClock

WHO = read_principal(tenant="acme", user="u1", tier="PRO")


async def test_schemas_are_made_once_per_server(monkeypatch):
    made = []
    monkeypatch.setattr("app.mcp_server.server.tool_of", lambda one: made.append(one.name) or tool_of(one))
    clock = SystemClock()
    artifacts = Artifacts(clock)
    router = SimpleNamespace(capabilities=CAPABILITIES)
    views = ResourceViews((), artifacts)
    door = McpDoor(router, lambda request: WHO, views, artifacts, CallStats(), SimpleNamespace(), clock)
    async with Client(build_server(door), cache=None) as client:
        first, second = [(await client.list_tools()).tools for _ in range(2)]
    assert first == second
    assert made == list(CAPABILITIES)


def test_a_capability_with_a_scope_does_not_exist_without_it():
    entries = {
        "open": SimpleNamespace(name="open", scopes=()),
        "closed": SimpleNamespace(name="closed", scopes=("operator",)),
    }
    assert [one.name for one in offered_to(WHO, entries)] == ["open"]
    operator = read_principal(tenant="acme", user="u1", tier="PRO", scopes=("operator",))
    assert [one.name for one in offered_to(operator, entries)] == ["open", "closed"]
