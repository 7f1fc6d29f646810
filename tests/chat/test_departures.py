"""Clients that leave: what they asked for ends, nothing breaks, and who comes back with the same key is answered."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from contextlib import contextmanager

import pytest

from app.chat.connections import EventStream
from app.system.data_folder import AUDIT_FILE, CONVERSATIONS_FILE, WORKERS_FOLDER
from app.system.settings import Settings
from app.system.stores.conversations.live_workers import LiveWorker
from app.system.stores.conversations.requests import RequestStore
from app.wiring import open_archive
from tests.chat.scripted_server import GROUNDED
from tests.chat.serving import SCRIPTED, served

ABSENT = "What does the absent ferry cost?"
BRIEF = "How briefly does the ferry cross the sound?"
SLOW = "How slowly does the ferry cross the sound?"
RESEARCH = "portcullis-research"
ASKED = {
    "chat": ("/v1/chat", lambda question: {"message": question}),
    "chat.completions": (
        "/v1/chat/completions",
        lambda question: {"model": RESEARCH, "messages": [{"role": "user", "content": question}]},
    ),
    "responses": ("/v1/responses", lambda question: {"model": RESEARCH, "input": question}),
    "search_documents": ("/v1/capabilities/search_documents", lambda question: {"question": question}),
}
DOORS = ("chat", "chat.completions", "responses")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("departures"), "--log", "json", program=SCRIPTED) as one:
        yield one
        said = one.stop()
    assert "Traceback" not in said
    assert "unexpected" not in said


@pytest.fixture
def ann(server, request):
    return server.client(re.sub(r"[^A-Za-z0-9]", "", request.node.name)[:100])


def _until(found):
    for _ in range(400):
        if value := found():
            return value
        time.sleep(0.05)
    raise AssertionError("it never came")


def _rows(server):
    return list(open_archive(Settings(data_dir=server.data)).sessions(10_000))


def _audited(server, route):
    file = server.data / AUDIT_FILE
    lines = file.read_text().splitlines() if file.exists() else []
    told = [json.loads(line)["event"] for line in lines]
    return [(one["success"], one["error_code"]) for one in told if one["tool_name"] == route]


@contextmanager
def _line(server, method, path, key, body=None, **headers):
    host, port = server.url.removeprefix("http://").split(":")
    sent = b"" if body is None else json.dumps(body).encode()
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    with socket.create_connection((host, int(port))) as line:
        line.sendall(
            f"{method} {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: {key}\r\n{more}"
            f"Content-Length: {len(sent)}\r\n\r\n".encode()
            + sent
        )
        yield line


def _asked_and_left(server, client, route, question, **headers):
    """Ask, and leave as soon as there is a session; waits until that has ended."""
    path, body = ASKED[route]
    streamed = headers.pop("stream", False)
    known = {row.session_id for row in _rows(server)}
    told = {**body(question), **({"stream": True} if streamed else {})}
    with _line(server, "POST", path, client.headers["authorization"], told, **headers):
        _until(lambda: [row for row in _rows(server) if row.session_id not in known])
    (row,) = _until(lambda: [row for row in _rows(server) if row.session_id not in known and row.state == "closed"])
    assert row.stop == "TIMEOUT"


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("route", DOORS)
def test_the_audit_log_says_that_the_client_left(server, ann, route, streamed):
    before = len(_audited(server, route))
    _asked_and_left(server, ann, route, SLOW, stream=streamed)
    _until(lambda: len(_audited(server, route)) == before + 1)
    assert _audited(server, route)[-1] == (False, "cancelled")


def test_a_client_that_leaves_a_capability_breaks_nothing(server, ann):
    def counted():
        told = server.anonymous().get("/metrics").text
        found = re.search(r'^portcullis_requests_total\{.*search_documents",status="499"\} (\d+)$', told, re.MULTILINE)
        return 0 if found is None else int(found[1])

    before = counted()
    _asked_and_left(server, ann, "search_documents", SLOW)
    _until(lambda: counted() == before + 1)
    assert _audited(server, "search_documents")[-1] == (False, "cancelled")
    assert "Traceback" not in "".join(server.said)


@pytest.mark.ruling("R19")
@pytest.mark.parametrize("route", ASKED)
def test_who_comes_back_with_the_key_of_a_broken_connection_is_answered(server, ann, route):
    path, body = ASKED[route]
    keyed = {"Idempotency-Key": f"broken-{route}"}
    for _ in range(2):
        _asked_and_left(server, ann, route, BRIEF, Idempotency_Key=keyed["Idempotency-Key"])
    count = len(_rows(server))
    first = ann.post(path, json=body(BRIEF), headers=keyed)
    assert first.status_code == 200
    assert "forty minutes" in first.text
    again = ann.post(path, json=body(BRIEF), headers=keyed)
    assert again.json().get("id") == first.json().get("id")
    assert "forty minutes" in again.text
    assert len(_rows(server)) == count + 1
    assert ann.post(path, json=body(ABSENT), headers=keyed).status_code == 409


@pytest.mark.ruling("R6")
def test_a_turn_that_nobody_read_is_no_turn(server, ann):
    told = {"message": ABSENT, "conversation_id": "left"}
    assert ann.post("/v1/chat", json=told).json()["action"] == "ASK_CLARIFY"
    known = {row.session_id for row in _rows(server)}
    key = ann.headers["authorization"]
    with _line(server, "POST", "/v1/chat", key, {"message": SLOW, "conversation_id": "left"}):
        _until(lambda: [row for row in _rows(server) if row.session_id not in known])
    _until(lambda: [row for row in _rows(server) if row.session_id not in known and row.state == "closed"])
    assert ann.post("/v1/chat", json=told).json()["action"] == "UNKNOWN"


@pytest.mark.parametrize("mode", ["baseline", "research"])
def test_one_key_gives_one_id(ann, mode):
    sent = {"json": {"message": GROUNDED, "mode": mode}, "headers": {"Idempotency-Key": f"one-{mode}"}}
    first, again = ann.post("/v1/chat", **sent).json(), ann.post("/v1/chat", **sent).json()
    assert first == again
    other = {"message": GROUNDED, "mode": "baseline" if mode == "research" else "research"}
    refused = ann.post("/v1/chat", json=other, headers=sent["headers"])
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "idempotency_conflict")


def test_a_key_of_a_request_that_was_refused_is_free(ann):
    keyed = {"Idempotency-Key": "refused"}
    assert ann.post("/v1/chat", json={"message": "   "}, headers=keyed).status_code == 400
    assert ann.post("/v1/chat", json={"message": GROUNDED}, headers=keyed).json()["action"] == "GROUNDED"


async def test_a_stream_that_only_watches_ends_with_its_client():
    closed = []

    async def events():
        try:
            while True:
                yield b": waiting\n\n"
        finally:
            closed.append(True)

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        if message["type"] == "http.response.body" and len(sent) > 100:
            raise AssertionError("it goes on")
        sent.append(message)
        await asyncio.sleep(0)

    sent = []
    await EventStream(events(), None, lambda body: ())({"type": "http"}, receive, send)
    assert closed == [True]


def test_a_watcher_that_left_does_not_hold_up_the_end_of_the_server(tmp_path):
    """The request is that of another process which lives: this test."""
    with served(tmp_path, program=SCRIPTED, PORTCULLIS_SERVE_SHUTDOWN_GRACE_S="1") as one:
        client = one.client()
        other = LiveWorker(tmp_path / WORKERS_FOLDER, "another-process")
        store = RequestStore(tmp_path / CONVERSATIONS_FILE, other.name)
        store.begin("r-1", "local", "ann", None, 1)
        key = client.headers["authorization"]
        for _ in range(3):
            with _line(one, "GET", "/v1/research/r-1/events", key) as line:
                assert b": waiting" in line.recv(4_096) + line.recv(4_096)
        time.sleep(1)
        began = time.monotonic()
        said = one.stop()
        assert time.monotonic() - began < 8
        store.close()
        other.close()
    assert "Traceback" not in said
    assert "running task" not in said


def test_a_stream_with_a_key_that_waits_for_a_place_says_so_and_notices_its_client(tmp_path):
    limits = {"PORTCULLIS_SERVE_MAX_RUNNING": "1", "PORTCULLIS_SERVE_SHUTDOWN_GRACE_S": "1"}
    with served(tmp_path, program=SCRIPTED, **limits) as one:
        key = one.client().headers["authorization"]
        waiting = {"message": GROUNDED, "stream": True}
        with _line(one, "POST", "/v1/chat", key, {"message": SLOW}):
            _until(lambda: [row for row in _rows(one) if row.state == "open"])
            with _line(one, "POST", "/v1/chat", key, waiting, Idempotency_Key="left"):
                _until(lambda: "portcullis_research_waiting 1" in one.anonymous().get("/metrics").text)
            _until(lambda: "portcullis_research_waiting 0" in one.anonymous().get("/metrics").text)
            with _line(one, "POST", "/v1/chat", key, waiting, Idempotency_Key="stays") as line:
                line.settimeout(20)  # far less than the other one takes
                told = b""
                while b": waiting" not in told:
                    told += line.recv(4_096)
        assert len(_rows(one)) <= 2
