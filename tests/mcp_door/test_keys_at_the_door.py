"""Who may come in over HTTP: keys, scopes, tenants, foreign hosts; told by real requests."""

from __future__ import annotations

import asyncio
import json

import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from app.wiring.key_guard import REQUESTS_PER_MINUTE
from tests.doors.command import portcullis
from tests.mcp_door.serving import client_of, http_server

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ELSEWHERE = "127.0.0.2"
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


def test_a_key_has_a_request_limit_of_its_own(served):
    folder, url = served
    busy, calm = _key(folder, tenant="busy"), _key(folder, tenant="calm")
    codes = [_post(url, Authorization=f"Bearer {busy['key']}").status_code for _ in range(REQUESTS_PER_MINUTE + 1)]
    assert codes[:REQUESTS_PER_MINUTE] == [200] * REQUESTS_PER_MINUTE
    refused = _post(url, Authorization=f"Bearer {busy['key']}")
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1
    assert _post(url, Authorization=f"Bearer {calm['key']}").status_code == 200


def test_beyond_loopback_dev_is_refused(tmp_path):
    refused = portcullis("mcp", "--http", "--host", ELSEWHERE, "--port", "0", data_dir=tmp_path)
    assert refused.returncode == 2
    assert b"dev" in refused.stderr


@pytest.mark.parametrize("client", ["claude-desktop", "claude-code", "cursor", "vscode", "codex", "open-webui"])
def test_the_settings_of_a_client_are_printed_with_the_path_of_this_installation(tmp_path, client):
    told = portcullis("mcp", "--print-config", client, "--docs", tmp_path, data_dir=tmp_path)
    assert told.returncode == 0
    assert str(tmp_path).encode() in told.stdout
    assert b"/portcullis" in told.stdout
