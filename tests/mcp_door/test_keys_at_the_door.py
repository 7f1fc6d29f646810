"""Who may come in over HTTP: keys, scopes, tenants, foreign hosts; told by real requests."""

from __future__ import annotations

import asyncio
import json

import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from app.system.settings import Settings
from app.wiring.key_guard import REQUESTS_PER_MINUTE, KeyGuard, NotAdmitted
from tests.doors.command import portcullis
from tests.mcp_door.serving import WORLD, client_of, http_server

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ELSEWHERE = "127.0.0.2"
LARGE = {"url": "https://kelder-power.example/large", "max_length": 200_000}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def _key(data_dir, *words, tenant="acme"):
    made = portcullis("keys", "create", "--tenant", tenant, "--user", "u1", *words, "--json", data_dir=data_dir)
    assert made.returncode == 0, made.stderr
    return json.loads(made.stdout)


def _post(url, **headers):
    return httpx2.post(url, json=HELLO, headers={**HEADERS, **headers}, timeout=30)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server that asks everybody for a key: its address is not one of those that it takes for the same machine."""
    folder = tmp_path_factory.mktemp("served")
    with http_server(folder, "--host", ELSEWHERE, "--env", "staging") as url:
        yield folder, url


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A server on loopback over a small web; who brings a key is asked as its holder."""
    folder = tmp_path_factory.mktemp("world")
    with http_server(folder, program=WORLD) as url:
        yield folder, url


def test_without_a_valid_key_nobody_comes_in(served):
    folder, url = served
    made = _key(folder, "--scopes", "chat")
    assert _post(url).status_code == 401
    assert _post(url, Authorization="Bearer pck_000000000000_wrong").status_code == 401
    assert _post(url, Authorization=f"Bearer {made['key'][:-1]}").status_code == 401
    assert _post(url, Authorization=f"Basic {made['key']}").status_code == 401
    assert _post(url, Authorization=f"Bearer {made['key']}").status_code == 200
    assert portcullis("keys", "revoke", made["key_id"], data_dir=folder).returncode == 0
    refused = _post(url, Authorization=f"Bearer {made['key']}")
    assert refused.status_code == 401
    assert "www-authenticate" in refused.headers


def test_a_key_without_the_scope_for_questions_is_refused(served):
    folder, url = served
    made = _key(folder, "--scopes", "admin")
    assert _post(url, Authorization=f"Bearer {made['key']}").status_code == 403


def test_a_foreign_host_or_origin_is_refused(served):
    folder, url = served
    made = _key(folder)
    key = f"Bearer {made['key']}"
    assert _post(url, Authorization=key, Host="evil.example").status_code in (403, 421)
    assert _post(url, Authorization=key, Origin="https://evil.example").status_code == 403


def test_what_a_key_may_not_see_does_not_exist(served):
    folder, url = served
    made = _key(folder, "--scopes", "chat")

    async def look():
        async with client_of(url, key=made["key"]) as client:
            listed = {str(one.uri) for one in (await client.list_resources()).resources}
            with pytest.raises(MCPError, match="Resource not found"):
                await client.read_resource("diagnostics://health")
            return listed

    assert asyncio.run(look()) == {"lenses://catalog"}


def test_a_large_result_is_there_for_its_tenant_alone(world):
    folder, url = world
    keys = {tenant: _key(folder, tenant=tenant)["key"] for tenant in ("acme", "other")}

    async def look():
        async with client_of(url, key=keys["acme"]) as client:
            told = await client.call_tool("scrape_page", LARGE)
            uri = told.structured_content["resource"]
            assert len((await client.read_resource(uri)).contents[0].text) > 65_536
        for key in (keys["other"], None):
            async with client_of(url, key=key) as client:
                with pytest.raises(MCPError, match="Resource not found") as refused:
                    await client.read_resource(uri)
                with pytest.raises(MCPError, match="Resource not found") as unknown:
                    await client.read_resource("research://artifact/" + "0" * 64)
                assert (refused.value.error.code, set(refused.value.error.data)) == (
                    unknown.value.error.code,
                    set(unknown.value.error.data),
                )

    asyncio.run(look())


def test_a_session_belongs_to_the_key_that_opened_it(world):
    folder, url = world
    # The second key is of the same user: it is another key all the same.
    keys = [f"Bearer {_key(folder, '--scopes', scopes)['key']}" for scopes in ("chat,operator", "chat")]
    opened = _post(url, Authorization=keys[0])
    session = {"Mcp-Session-Id": opened.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
    asked = {"jsonrpc": "2.0", "id": 2, "method": "resources/list", "params": {}}

    def ask(**more):
        return httpx2.post(url, json=asked, headers={**HEADERS, **session, **more}, timeout=30)

    foreign, without_key, of_nobody = ask(Authorization=keys[1]), ask(), ask(Authorization="Bearer wrong")
    assert (foreign.status_code, without_key.status_code, of_nobody.status_code) == (404, 404, 401)
    owned = ask(Authorization=keys[0])
    assert owned.status_code == 200
    assert "diagnostics://health" in owned.text
    ended = httpx2.delete(url, headers={**HEADERS, **session, "Authorization": keys[1]}, timeout=30)
    assert ended.status_code == 404
    assert ask(Authorization=keys[0]).status_code == 200


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize(
    "params",
    [
        {"name": {"canary-4711": 1}, "arguments": {}},
        {"name": "ask_documents", "arguments": "canary-4711"},
        {"name": "ask_documents", "arguments": [["canary-4711"]]},
        {"name": "canary-4711", "arguments": {}},
        {"canary-4711": 1},
        ["canary-4711"],
    ],
    ids=str,
)
def test_a_message_that_breaks_the_protocol_is_not_repeated(world, version, params):
    _, url = world
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": version}} if version == "2026-07-28" else {}
    given = {**params, **meta} if isinstance(params, dict) else params
    body = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": given}
    headers = {**HEADERS, "MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "ask_documents"}
    whole = json.dumps(body)
    for content in (whole, whole[:-1], f"{whole}]", json.dumps([body])):
        told = httpx2.post(url, content=content, headers=headers, timeout=30)
        assert "canary" not in told.text
        assert "pydantic" not in told.text
        assert told.status_code < 500
    assert _post(url).status_code == 200


async def _admitted(guard, header):
    """How often a key is let in before it is refused."""
    for count in range(REQUESTS_PER_MINUTE):
        if isinstance(await guard.admit(header), NotAdmitted):
            return count
    return REQUESTS_PER_MINUTE


def test_a_key_has_a_request_limit_of_its_own(served):
    folder, url = served
    busy, calm = _key(folder, tenant="busy"), _key(folder, tenant="calm")
    assert _post(url, Authorization=f"Bearer {busy['key']}").status_code == 200
    # The others of the minute come through the same ledger without a server, so that a slow machine stays within it.
    guard = KeyGuard(Settings(data_dir=folder))
    admitted = asyncio.run(_admitted(guard, f"Bearer {busy['key']}"))
    guard.close()
    assert admitted == REQUESTS_PER_MINUTE - 1
    refused = _post(url, Authorization=f"Bearer {busy['key']}")
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1
    assert _post(url, Authorization=f"Bearer {calm['key']}").status_code == 200


def test_beyond_loopback_dev_is_refused(tmp_path):
    refused = portcullis("mcp", "--http", "--host", ELSEWHERE, "--port", "0", data_dir=tmp_path)
    assert refused.returncode == 2
    assert b"dev" in refused.stderr
