"""Canary keys in every provider: whatever a service does with them, they are found nowhere afterwards."""

from __future__ import annotations

import json
import logging
from base64 import b64encode
from pathlib import Path

import pytest
import trustme
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import BaseModel, SecretStr
from tests.fixtures.services import SEARXNG
from tests.fixtures.web import Names, response, web

from app import Capability, Principal, Settings, SourceKind, open_gate
from app.capabilities.plans import OneCallPlan
from app.kernel.calls import ToolCall
from app.research.telemetry import Telemetry
from app.system.clock import SystemClock
from app.system.provider_files import read_providers
from app.system.stores.content.files import FileStore
from app.system.stores.web_cache.sqlite import SqliteWebCache
from app.tools.toolbox import open_toolbox

READER = Principal(tenant="acme", user="u1", tier="MAX")
MARK = "marmaladeloaf"  # stands in every question, and is echoed
MAIL = "canary-mail@gate.example"
PAGE = {"url": "https://bakery.example/rye", "link": "https://bakery.example/rye"}
ROWS = {
    entry.name: entry
    for entry in read_providers().providers
    if {*entry.settings, *entry.optional} - {"PORTCULLIS_URL_SEARXNG"}
}


def _canary(setting: str) -> str:
    return f"canary-{setting.lower().replace('_', '-')}-0123456789"


KEYS = tuple(
    (name, SecretStr(_canary(name)))
    for entry in ROWS.values()
    for name in (*entry.settings, *entry.optional)
    if name.startswith("PORTCULLIS_KEY_")
)
SECRETS = tuple(key.get_secret_value() for _, key in KEYS)
BASIC = b64encode(_canary("PORTCULLIS_KEY_SEARXNG").encode()).decode()


def _shaped(provider: str, title: str) -> dict:
    """A body of a provider with one record of this title, and the title once more where nobody looks."""
    row = {**PAGE, "title": title, "name": title}
    work = {"doi": "10.5555/a", "title": title, "id": "https://openalex.org/W5"}
    shapes = {
        "brave": {"type": "search", "web": {"results": [row]}},
        "exa": {"results": [row]},
        "google_cse": {"items": [row]},
        "openalex": {"results": [work]},
        "pubmed": {"result": {"uids": ["5"], "5": {"uid": "5", "title": title}}},
        "searchapi": {"organic_results": [row]},
        "searxng": {"results": [row]},
        "semanticscholar": {"data": [{"paperId": "a" * 40, "title": title}]},
        "serper": {"organic": [row]},
        "tavily": {"query": "rye", "results": [row]},
        "unpaywall": {"results": [{"response": work}]},
    }
    return {**shapes[provider], "echoed": title}


class AskInput(BaseModel, extra="forbid"):
    provider: str
    kind: str


class AskOutput(BaseModel):
    found: tuple[str, ...]


def _plan(given, request):
    params = (("providers", (given.provider,)), ("kind", given.kind), ("query", MARK), ("limit", 3))
    return OneCallPlan(call=ToolCall(call_id="c1", tool="services", params=params), counts=(SourceKind.HIT,))


def _result(given, outcome):
    return AskOutput(found=tuple(source.title for source in outcome.bundle.sources))


ASK = Capability(
    name="acme.ask",
    family="tests",
    title="Ask a service",
    description="Asks one service.",
    kind="retrieve",
    input=AskInput,
    output=AskOutput,
    tools=("services",),
    plan=_plan,
    result=_result,
)


def _everything(folder: Path) -> bytes:
    return b"\0".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.ruling("R16")
@pytest.mark.parametrize("status", [200, 400, 429, 500])
@pytest.mark.parametrize("provider", sorted(ROWS))
async def test_a_key_is_found_nowhere_afterwards(provider, status, tmp_path, caplog, capfd):
    caplog.set_level(logging.INFO)

    async def echo(asked, writer):
        told = f"{MARK} {asked.target} {asked.fields} {asked.body.decode()}"
        body = json.dumps(_shaped(provider, told) if status == 200 else {"error": told, "message": told}).encode()
        fields = [("Content-Type", "application/json"), ("Cache-Control", "max-age=600"), ("Link", f"<{told[:80]}>")]
        writer.write(response(body, status, fields))

    entry = ROWS[provider]
    kind = "papers" if "papers" in entry.kinds and provider != "exa" and provider != "searxng" else "web"
    routing = ((kind, (provider,)),)
    settings = Settings(
        data_dir=tmp_path / "data", search_routing=routing, keys=KEYS, urls=(SEARXNG,), contact=f"mailto:{MAIL}"
    )
    authority = trustme.CA()
    certificate = authority.issue_cert("searx.internal", *(host for row in ROWS.values() for host in row.hosts))
    cache = SqliteWebCache(tmp_path / "cache")
    spans, metrics = InMemorySpanExporter(), InMemoryMetricReader()
    tracing = TracerProvider()
    tracing.add_span_processor(SimpleSpanProcessor(spans))
    names = Names({"searx.internal": [["10.0.0.7"]]})
    async with web(echo, ports=(443,), names=names, certificates=certificate, authority=authority, kept=cache) as net:
        store = FileStore(settings.data_dir / "store")
        toolbox = open_toolbox(settings, (), SystemClock(), store, None, net.machine)
        try:
            async with open_gate(settings=settings, toolbox=toolbox, capabilities=[ASK]) as gate:
                telemetry = Telemetry(tracing.get_tracer("t"), MeterProvider([metrics]).get_meter("t"))
                gate._telemetry = gate._adapter._telemetry = telemetry  # as its own test does: there is no setting
                answer = await gate.call("acme.ask", {"provider": provider, "kind": kind}, READER)
            asked = list(net.site.asked)
        finally:
            await toolbox.aclose()
            cache.close()
    # The service was given what it needs ...
    sent = " ".join(f"{one.target} {one.fields} {one.body!r}" for one in asked)
    wanted = [_canary(name) for name in (*entry.settings, *entry.optional) if name.startswith("PORTCULLIS_KEY_")]
    assert asked
    assert [key for key in wanted if key not in sent and BASIC not in sent] == []
    assert not set(SECRETS) - set(wanted) & {key for key in SECRETS if key in sent}
    # ... and nobody else: the record of the session, stored bytes, cached responses, spans, logs and answers.
    told = "".join(span.to_json() for span in spans.get_finished_spans())
    told += (
        str(metrics.get_metrics_data()) + answer.result.model_dump_json() + caplog.text + "".join(capfd.readouterr())
    )
    told += "".join(outcome.model_dump_json() for outcome in answer.outcomes)
    written = _everything(tmp_path)
    assert (MARK if status == 200 else f'"provider":"{provider}"').encode() in written, "the scanner found too little"
    assert len(spans.get_finished_spans()) >= 2
    for secret in (*SECRETS, BASIC):
        assert secret not in told, secret
        assert secret.encode() not in written, secret
    if provider == "unpaywall":  # its e-mail stands in the query, and is masked where it is echoed
        assert MAIL.encode() not in b"".join(path.read_bytes() for path in (tmp_path / "cache").rglob("*.sqlite3*"))
    assert (status == 200) is (b"***" in written)  # what was echoed is there, without the key
