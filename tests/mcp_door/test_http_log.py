"""The log of the HTTP server: no traceback and nothing that a client sent, whatever a client does."""

from __future__ import annotations

import asyncio
import logging

import httpx2
import pytest
from mcp import Client

from app.mcp_server.process_border import HttpBorder
from app.mcp_server.sdk_logs import log_places_only
from tests.mcp_door.serving import http_server

CANARY = "canary-42.example"
QUESTION = "How long should sourdough proof in the fridge, and what is autolyse?"


async def _drop(url, mode, after_s):
    async with Client(url, mode=mode) as client:
        try:
            await asyncio.wait_for(client.call_tool("research", {"question": QUESTION}), after_s)
        except TimeoutError:
            return True
        return False  # a quick machine has answered first


def test_clients_that_leave_or_come_by_another_name_leave_no_traceback(tmp_path):
    said = []
    with http_server(tmp_path, "--tier", "MAX", said=said) as url:
        for headers in ({"Host": CANARY}, {"Origin": f"https://{CANARY}"}, {"Mcp-Session-Id": CANARY}):
            assert httpx2.post(url, json={}, headers=headers).status_code >= 400
        for mode in ("auto", "legacy"):
            dropped = [asyncio.run(_drop(url, mode, 0.01 * step)) for step in range(6)]
            assert any(dropped[1:]), "a call that was under way has to be left"

        async def answered():
            async with Client(url) as client:
                return await client.call_tool("ask_documents", {"question": QUESTION})

        assert not asyncio.run(answered()).is_error
    assert "transport_security" in said[0]
    assert CANARY not in said[0]
    assert "Traceback" not in said[0]


async def test_an_app_that_breaks_behind_its_answer_is_told_by_the_type(caplog):
    async def breaks(scope, receive, send):
        raise RuntimeError(CANARY)

    await HttpBorder(breaks)({"type": "http"}, None, None)
    assert caplog.messages == ["http: unexpected RuntimeError"]
    with pytest.raises(RuntimeError):
        await HttpBorder(breaks)({"type": "lifespan"}, None, None)


def test_what_the_sdk_logs_is_a_place_and_a_type(caplog):
    log = logging.getLogger("mcp")
    before = log.handlers[:], log.propagate
    try:
        log_places_only()
        try:
            raise ValueError(CANARY)
        except ValueError:
            logging.getLogger("mcp.server.somewhere").exception("broke on %s", CANARY)
        logging.getLogger("mcp.server.somewhere").info(CANARY)
    finally:
        log.handlers[:], log.propagate = before
    name = "test_what_the_sdk_logs_is_a_place_and_a_type"
    assert caplog.messages == [f"mcp.server.somewhere.{name}: unexpected ValueError"]
