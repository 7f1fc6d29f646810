"""A client that nobody here wrote: the official one, over stdio and HTTP, in both eras of the protocol."""

from __future__ import annotations

import asyncio
import json
import re

import jsonschema
import pytest
from mcp.shared.exceptions import MCPError

from app.capabilities.registry import CAPABILITIES
from tests.mcp_door.serving import WORLD, client_of, http_server, stdio_client

ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
QUESTION = "How long should sourdough proof in the fridge?"
VIEWS = {
    "lenses://catalog",
    "stats://tools",
    "stats://sessions",
    "stats://rate-limits",
    "stats://providers",
    "diagnostics://errors/recent",
    "diagnostics://health",
}


async def _walk(client, version):
    """What a client does: lists, calls, is refused, reads, asks for a prompt."""
    assert client.session.protocol_version == version
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {name for name, one in CAPABILITIES.items() if not one.scopes}
    for tool in tools.values():
        assert re.search(r"\nUse it .+\. Not ", tool.description), tool.name
        assert tool.title
        assert tool.annotations.read_only_hint is not None
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
    told = []

    async def progress(done, total, message):
        told.append(done)
        assert total is None
        assert message in {"started", "calling tools", "call 1 ended"}

    found = await client.call_tool("ask_documents", {"question": QUESTION}, progress_callback=progress)
    assert not found.is_error
    jsonschema.validate(found.structured_content, tools["ask_documents"].output_schema)
    assert "8 to 16 hours" in found.content[0].text
    assert told == sorted(told)
    assert len(told) >= 2
    wrong = await client.call_tool("ask_documents", {"question": 5, "canary-4711": "canary-4712"})
    line, _, block = wrong.content[0].text.partition("\n")
    assert wrong.is_error
    assert "`question`" in line
    assert "canary" not in wrong.content[0].text
    assert json.loads(block)["error"]["kind"] == "validation"
    for name in ("no_such_tool", "canary-4711 <b>", "canary " * 20):
        missing = await client.call_tool(name, {})
        assert missing.is_error
        assert missing.content[0].text.startswith("Invalid request: there is no such tool.\n")
        assert "canary" not in missing.content[0].text
    resources = {str(one.uri) for one in (await client.list_resources()).resources}
    assert resources == VIEWS
    for uri in sorted(resources):
        json.loads((await client.read_resource(uri)).contents[0].text)
    with pytest.raises(MCPError, match="Resource not found"):
        await client.read_resource("research://artifact/" + "0" * 64)
    brief = await client.get_prompt("research-brief", {"topic": "rye bread"})
    assert "rye bread" in brief.messages[0].content.text
    with pytest.raises(MCPError, match="topic"):
        await client.get_prompt("research-brief", {})


@pytest.mark.parametrize(("mode", "version"), ERAS.items())
async def test_stdio(tmp_path, mode, version):
    async with stdio_client(tmp_path, mode) as client:
        await _walk(client, version)


def test_http(tmp_path):
    with http_server(tmp_path) as url:
        for mode, version in ERAS.items():

            async def walk(mode=mode, version=version):
                async with client_of(url, mode) as client:
                    await _walk(client, version)

            asyncio.run(walk())


async def test_a_large_result_comes_as_a_link_and_is_read_by_it(tmp_path):
    async with stdio_client(tmp_path, program=WORLD) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        url = "https://kelder-power.example/large"
        found = await client.call_tool("scrape_page", {"url": url, "max_length": 200_000})
        assert not found.is_error, found.content[0].text
        jsonschema.validate(found.structured_content, tools["scrape_page"].output_schema)
        assert found.structured_content["linked"] is True
        link = found.content[1]
        body = json.loads((await client.read_resource(str(link.uri))).contents[0].text)
        assert body["url"] == url
        assert len(body["content"]) > 65_536
        small = await client.call_tool("scrape_page", {"url": "https://kelder-power.example/station"})
        assert "240 megawatts" in small.structured_content["content"]
        poisoned = await client.call_tool(
            "scrape_page", {"url": "https://tidewatch-blog.example/posts/best-power-plants"}
        )
        assert poisoned.is_error
        assert "njection" not in poisoned.content[0].text


async def test_a_call_that_is_dropped_ends_its_session(tmp_path):
    async with stdio_client(tmp_path, program=WORLD) as client:
        slow = asyncio.create_task(client.call_tool("scrape_page", {"url": "https://port-kelder.example/slow/archive"}))
        await asyncio.sleep(1)
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        after = await client.call_tool("ask_documents", {"question": QUESTION})
        assert not after.is_error
        for _ in range(100):
            seen = json.loads((await client.read_resource("stats://sessions")).contents[0].text)
            if seen["sessions"] == 0:
                break
            await asyncio.sleep(0.1)
        assert seen["sessions"] == 0
