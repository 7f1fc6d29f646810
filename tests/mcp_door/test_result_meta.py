"""What rides beside a result: its age and, for operators, its routing, as the specification's table says."""

from __future__ import annotations

import asyncio
import json

import pytest

from app.capabilities.registry import CAPABILITIES
from app.capabilities.searching.routing_meta import ROUTED_KINDS
from tests.chat.serving import make_key
from tests.fixtures.web_world.world import WEB_SERVICES
from tests.mcp_door.serving import WORLD, client_of, http_server, stdio_client

TOLD_WHEN_FRESH = {"web_search"}
TOLD_WHEN_CACHED = {"web_search", "image_search", "news_search", "academic_search", "scrape_page"}
AGE = {"cached", "ageSeconds", "maxAgeSeconds", "freshness"}
ROUTING = {"providers_attempted", "fallback", "cache_hit", "latency_ms"}
LADDERS = {"web_search", "academic_search"}
"""Of the loopback world: the other kinds have one provider there."""


async def _twice(client):
    """Every tool by name: the `_meta` of its first answer and of the same call again."""
    told = {}
    for name, one in CAPABILITIES.items():
        first = await client.call_tool(name, one.example.arguments)
        again = await client.call_tool(name, one.example.arguments)
        for result in (first, again):
            assert not result.is_error, name
            assert "_meta" not in result.structured_content, name
            text = result.content[0].text
            assert not any(word in text for word in ("providers_attempted", "cache_hit", "maxAgeSeconds")), name
        assert again.structured_content.keys() == first.structured_content.keys()
        told[name] = (first.meta or {}, again.meta or {})
    return told


async def test_age_and_routing_are_told_as_the_table_says(tmp_path):
    assert set(ROUTED_KINDS) <= set(CAPABILITIES)
    async with stdio_client(tmp_path, program=WORLD) as client:
        told = await _twice(client)
    for name, (first, again) in told.items():
        assert AGE & first.keys() == (AGE if name in TOLD_WHEN_FRESH else set()), name
        assert AGE & again.keys() == (AGE if name in TOLD_WHEN_CACHED else set()), name
        assert ("routing" in first, "routing" in again) == (name in LADDERS, name in LADDERS), name
    first, again = told["web_search"]
    assert (first["cached"], first["ageSeconds"], first["freshness"]) == (False, 0, "fresh")
    assert first["maxAgeSeconds"] == again["maxAgeSeconds"] > 0
    for name in TOLD_WHEN_CACHED:
        again = told[name][1]
        assert again["cached"] is True, name
        assert 0 <= again["ageSeconds"] <= again["maxAgeSeconds"], name
        assert again["freshness"] == "fresh", name


async def test_routing_names_providers_and_nothing_else(tmp_path):
    async with stdio_client(tmp_path, program=WORLD) as client:
        told = await _twice(client)
    first, again = (meta["routing"] for meta in told["web_search"])
    assert ROUTING <= first.keys() <= ROUTING | {"provider_used", "fallback_reason"}
    assert first["provider_used"] == first["providers_attempted"][0] == "searxng"
    assert (first["fallback"], first["cache_hit"]) == (False, False)
    assert isinstance(first["latency_ms"], int)
    # The provenance of a stored answer is not the routing of this call.
    assert (again["cache_hit"], "provider_used" in again) == (True, False)
    assert not any(word in json.dumps(first) for word in ("://", "example", "internal"))


def _metas(tmp_path, *, scopes=("chat", "operator"), **services):
    words = ("--env", "staging", "--name", "localhost")
    with http_server(tmp_path, *words, program=WORLD, **services) as url:

        async def asked():
            key = make_key(tmp_path, "ann", scopes=scopes)
            async with client_of(url.replace("127.0.0.1", "localhost"), key=key) as client:
                return [(await client.call_tool("web_search", {"query": "drinking water"})).meta for _ in range(2)]

        return asyncio.run(asked())


def test_routing_is_for_operators_alone(tmp_path):
    first, again = _metas(tmp_path, scopes=("chat",))
    assert (first.keys() & AGE, again["cached"]) == (AGE, True)
    assert "routing" not in {*first, *again}


def test_with_one_provider_there_is_no_routing(tmp_path):
    alone = {**WEB_SERVICES, "PORTCULLIS_SEARCH_ROUTING": "web=searxng"}
    first, again = _metas(tmp_path, **alone)
    assert (first["cached"], again["cached"]) == (False, True)
    assert "routing" not in {*first, *again}


@pytest.mark.ruling("R14")
def test_the_statistics_of_a_tenant_are_its_own(tmp_path):
    with http_server(tmp_path, "--env", "staging", "--name", "localhost", program=WORLD) as url:

        async def asked(tenant, calls):
            key = make_key(tmp_path, "op", tenant=tenant, scopes=("chat", "operator"))
            async with client_of(url.replace("127.0.0.1", "localhost"), key=key) as client:
                for _ in range(calls):
                    await client.call_tool("web_search", {"query": "tide"})
                seen = json.loads((await client.read_resource("stats://tools")).contents[0].text)
                return {row["tool"]: row["calls"] for row in seen}

        assert asyncio.run(asked("birch", 2)) == {"web_search": 2}
        assert asyncio.run(asked("acme", 1)) == {"web_search": 1}
        assert asyncio.run(asked("cedar", 0)) == {}
