"""What end users may not learn: over every way to ask and every stop, no byte names an inside (R14)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.kernel.caps import PolicyCaps
from app.kernel.stops import Cause, StopReason
from app.system.catalog_files import read_catalog
from app.system.contract_files import contract_dir
from app.system.provider_files import read_providers
from app.system.settings import Settings
from app.wiring import open_archive
from tests.chat.scripted_server import CANARY, CAPS, EXPECTED
from tests.chat.serving import SCRIPTED, served

RESEARCH = "portcullis-research"
WAYS = {
    "chat": ("/v1/chat", lambda question: {"message": question}),
    "completions": (
        "/v1/chat/completions",
        lambda question: {"model": RESEARCH, "messages": [{"role": "user", "content": question}]},
    ),
    "responses": ("/v1/responses", lambda question: {"model": RESEARCH, "input": question}),
}
FACETS = "What does the absent ferry cost, who sails it, when does it leave, where does it land, and why is it late?"


def _forbidden(data):
    stops = [stop.value for stop in StopReason]
    causes = [cause.value for cause in Cause if "_" in cause.value]
    tools = [tool.name for tool in read_catalog().tools.tools if "_" in tool.name]
    providers = [entry.name for entry in read_providers().providers]
    caps = list(PolicyCaps.model_fields)
    return (*stops, *causes, *tools, *providers, *caps, CANARY, "Traceback", "Exception", str(data), "birch-secret")


def _seen(client, way, question, streamed):
    path, body = WAYS[way]
    answer = client.post(path, json={**body(question), "stream": streamed})
    assert answer.status_code == 200
    return json.dumps(dict(answer.headers)) + answer.text


def _leaks(text, data):
    return [word for word in _forbidden(data) if word in text]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("leaks"), program=SCRIPTED) as one:
        yield one


@pytest.mark.ruling("R14")
@pytest.mark.clause("3.6")
@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("question", sorted(EXPECTED), ids=lambda question: EXPECTED[question][0])
def test_a_session_of_every_end_tells_nothing(server, way, question, streamed):
    client = server.client(f"u{len(question)}{way}{streamed}")
    assert _leaks(_seen(client, way, question, streamed), server.data) == []


@pytest.mark.ruling("R14")
@pytest.mark.parametrize("way", WAYS)
def test_a_tier_without_research_and_a_limit_that_is_reached_tell_nothing(server, way):
    assert _leaks(_seen(server.client(f"free{way}", tier="FREE"), way, FACETS, True), server.data) == []
    busy = server.client(f"busy{way}", tier="PRO")
    for _ in range(40):
        assert _leaks(_seen(busy, way, FACETS, False), server.data) == []


@pytest.mark.ruling("R14")
def test_a_server_that_is_switched_off_tells_nothing(tmp_path):
    with served(tmp_path, program=SCRIPTED, PORTCULLIS_RESEARCH="off") as one:
        for way in WAYS:
            assert _leaks(_seen(one.client(), way, FACETS, True), one.data) == []
        assert one.anonymous().get("/readyz").status_code == 503
        assert [row.stop for row in _rows(one)] == ["POLICY_DISABLED"] * len(WAYS)


def test_the_sessions_do_end_in_every_way_that_is_told_apart(server):
    """Were a stop not reached, the tests above would look for nothing."""
    for place, question in enumerate(EXPECTED):
        _seen(server.client(f"every{place}"), "chat", question, False)
    _seen(server.client("everyfree", tier="FREE"), "chat", FACETS, False)
    busy = server.client("everybusy", tier="PRO")
    for _ in range(40):
        _seen(busy, "chat", FACETS, False)
    stops = {row.stop for row in _rows(server)}
    wanted = {stop for stop, _ in EXPECTED.values()} | {"ENTITLEMENT_CAP", "RATE_LIMITED"}
    assert wanted <= stops


def _rows(one):
    return list(open_archive(Settings(data_dir=Path(one.data))).sessions(10_000))


@pytest.fixture
def narrow(tmp_path):
    """A server whose operator grants little: a second for a call, and fewer units than a search costs."""
    table = json.loads((contract_dir() / "caps.json").read_text(encoding="utf-8"))
    for entry in table["entries"]:
        if entry["granted"]:
            entry["caps"] |= {"per_call_timeout_ms": 1_000, "budget_units_clamp": 7}
    place = tmp_path / "caps.json"
    place.write_text(json.dumps(table), encoding="utf-8")
    with served(tmp_path / "data", program=SCRIPTED, **{CAPS: str(place)}) as one:
        yield one


@pytest.mark.ruling("R14")
@pytest.mark.ruling("R24")
def test_a_cut_call_and_a_spent_budget_tell_nothing(narrow):
    for way in WAYS:
        for streamed in (False, True):
            client = narrow.client(f"slow{way}{streamed}")
            assert _leaks(_seen(client, way, "What does the slowly sailing ferry cost?", streamed), narrow.data) == []
    answer = narrow.client("spent").post("/v1/capabilities/web_search", json={"query": "ferry"})
    assert "upstream_unavailable" in answer.text
    assert _leaks(answer.text, narrow.data) == []
    assert {row.stop for row in _rows(narrow)} == {"TIMEOUT", "BUDGET_EXHAUSTED"}


@pytest.mark.ruling("R14")
def test_security_stops_look_alike_to_programs_too(server):
    told = set()
    for question in ("What does the crashing ferry cost?", "What does the escaping ferry cost?"):
        client = server.client("alike")
        answer = client.post("/v1/capabilities/ask_documents", json={"question": question})
        assert _leaks(answer.text, server.data) == []
        told.add(answer.text)
    assert len(told) == 1


@pytest.mark.ruling("R20")
def test_another_tenants_documents_are_not_found(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "plan.md").write_text("# Plan\n\nThe plan of the quay is birch-secret.\n")
    with served(tmp_path / "data", "--docs", str(tmp_path / "docs"), "--tenant", "birch") as one:
        for way in WAYS:
            for streamed in (False, True):
                seen = _seen(one.client(tenant="acme"), way, "What is the plan of the quay?", streamed)
                assert _leaks(seen, one.data) == []
        assert "birch-secret" in _seen(one.client(tenant="birch"), "chat", "What is the plan of the quay?", False)
