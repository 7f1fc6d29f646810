"""Keys and the contact's e-mail are planted as canaries: nothing that a search writes or prints holds one."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from urllib.parse import quote_plus

import pytest

from app import Principal
from app.kernel.failure import Failure
from app.research.audience import for_operator
from app.system.settings import settings_from
from tests.fixtures.web import response
from tests.fixtures.web_world import open_world, world_gate

CANARIES = {
    "PORTCULLIS_KEY_BRAVE": "canary-brave-7f3a",
    "PORTCULLIS_KEY_SERPER": "canary-serper-91bc",
    "PORTCULLIS_KEY_TAVILY": "canary-tavily-02de",
    "PORTCULLIS_KEY_OPENALEX": "canary-openalex-55aa",
    "PORTCULLIS_KEY_SEARXNG": "canary:searxng-c0de",
    "PORTCULLIS_CONTACT": "canary-contact@portcullis.example",
}
SETTINGS = {
    **CANARIES,
    "PORTCULLIS_URL_SEARXNG": "https://searx.internal",
    "PORTCULLIS_SEARCH_ROUTING": (
        "web=brave,serper,tavily,searxng;news=brave,searxng;images=serper;papers=openalex,crossref;"
        "open_access=unpaywall;paper=crossref"
    ),
}
ASKED = [
    ("web_search", {"query": "drinking water price"}),
    ("web_search", {"query": "rye bread", "provider": "tavily"}),
    ("news_search", {"query": "railway line"}),
    ("image_search", {"query": "loaf"}),
    ("academic_search", {"query": "seagrass recovery"}),
    ("search_and_scrape", {"query": "heat pump costs", "num_results": 2}),
]


def _echoing(status):
    """A server that repeats what it was sent, as some do in their errors."""

    async def script(asked, writer):
        said = {"message": [asked.target, dict(asked.fields), asked.body.decode()], "error": {"detail": asked.target}}
        writer.write(response(json.dumps(said).encode(), status, [("Content-Type", "application/json")]))

    return script


def _spellings():
    for value in CANARIES.values():
        yield value.encode()
        yield quote_plus(value).encode()
        yield base64.b64encode(value.encode())


@pytest.mark.parametrize("faults", [None, 500, 200], ids=["answers", "errors that echo", "answers that echo"])
def test_no_canary_is_written_or_told(tmp_path, caplog, faults):
    caplog.set_level(logging.DEBUG)
    settings = settings_from({**SETTINGS, "PORTCULLIS_DATA": str(tmp_path)})
    hosts = ("api.search.brave.com", "google.serper.dev", "api.openalex.org", "api.crossref.org")
    told = []

    async def ask():
        given = {} if faults is None else {host: _echoing(faults) for host in hosts}
        async with open_world(given) as world, world_gate(None, settings=settings, world=world) as gate:
            for number, (name, arguments) in enumerate(ASKED):
                user = Principal(tenant="acme", user=f"u{number}", tier="MAX", scopes=("operator",))
                answer = await gate.call(name, arguments, user)
                told.append(answer.result.model_dump_json(by_alias=True))
                told.extend(for_operator(one, user).model_dump_json() for one in answer.outcomes)
                if faults is None:
                    assert not isinstance(answer.result, Failure), (name, answer.result)
            keys = {
                value for asked in (field for site in world.net.sites for field in site.asked) for value in asked.fields
            }
            assert any("canary-brave-7f3a" in value for _, value in keys), "the key was never sent"

    asyncio.run(ask())
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 10
    held = {path.name: path.read_bytes() for path in written}
    held |= {f"told {number}": text.encode() for number, text in enumerate(told)}
    held["log"] = caplog.text.encode()
    found = [(name, canary) for name, data in held.items() for canary in _spellings() if canary in data]
    assert found == []
