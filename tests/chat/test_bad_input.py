"""Bad input over real sockets: bodies, headers and clients that do what they should not."""

from __future__ import annotations

import json
import re
import resource
import socket
import time

import pytest

from tests.chat.scripted_server import CANARY, GROUNDED
from tests.chat.serving import SCRIPTED, served

PATHS = ("/v1/chat", "/v1/chat/completions", "/v1/responses", "/v1/capabilities/search_documents")
VALID = {
    "/v1/chat": {"message": GROUNDED},
    "/v1/chat/completions": {"model": "portcullis-research", "messages": [{"role": "user", "content": GROUNDED}]},
    "/v1/responses": {"model": "portcullis-research", "input": GROUNDED},
    "/v1/capabilities/search_documents": {"question": GROUNDED},
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("bad"), program=SCRIPTED) as one:
        yield one


@pytest.fixture(scope="module")
def client(server):
    return server.client()


def _message(answer):
    told = answer.json()
    return told["error"]["message"] if "error" in told and "message" in told["error"] else told["message"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"null",
        b'"text"',
        b"NaN",
        f'{{"message": {CANARY}}}'.encode(),
        b"[" * 50_000 + b"]" * 50_000,
        b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
    ],
    ids=["empty", "cut", "not-utf8", "list", "null", "text", "nan", "unquoted", "deep-list", "deep-object"],
)
def test_a_body_that_is_no_json_object_is_refused(client, path, body):
    answer = client.post(path, content=body)
    assert answer.status_code == 400
    assert CANARY not in answer.text
    assert _message(answer)


@pytest.mark.parametrize(
    ("path", "field", "value"),
    [
        ("/v1/chat", "message", 7),
        ("/v1/chat", "message", ""),
        ("/v1/chat", "message", "x" * 20_001),
        ("/v1/chat", "message", f"{CANARY}\x07"),
        ("/v1/chat", "message", "   "),
        ("/v1/chat", "mode", CANARY),
        ("/v1/chat", "conversation_id", f"../{CANARY}"),
        ("/v1/chat", "conversation_id", "x" * 129),
        ("/v1/chat", "depth", CANARY),
        ("/v1/chat", "constraints", {"max_iterations": 0}),
        ("/v1/chat", "constraints", {"source_filter": f"{CANARY} !"}),
        ("/v1/chat", "stream", CANARY),
        ("/v1/chat", "extra", CANARY),
        ("/v1/chat", "user", CANARY),
        ("/v1/chat", "tier", "MAX"),
        ("/v1/chat/completions", "messages", CANARY),
        ("/v1/chat/completions", "messages", [{"role": "assistant", "content": CANARY}]),
        ("/v1/chat/completions", "messages", [{"role": "user", "content": 7}]),
        ("/v1/chat/completions", "messages", [{"role": "user", "content": f"{CANARY}\x00"}]),
        ("/v1/chat/completions", "web_search_options", {"search_context_size": CANARY}),
        ("/v1/responses", "input", 7),
        ("/v1/responses", "input", []),
        ("/v1/capabilities/search_documents", "question", 7),
        ("/v1/capabilities/search_documents", "limit", 10**6),
        ("/v1/capabilities/search_documents", "extra", CANARY),
    ],
)
def test_a_wrong_field_is_named_and_its_value_is_not(client, path, field, value):
    answer = client.post(path, json={**VALID[path], field: value})
    assert answer.status_code == 400
    assert CANARY not in answer.text
    # A question is named by the name that it has behind the door.
    said = {"message": ("",), "messages": ("",), "input": ("",), "constraints": ("constraints", "source_filter")}
    assert any(name in answer.text for name in said.get(field, (field,)))


@pytest.mark.parametrize(
    ("path", "field", "value", "named"),
    [
        ("/v1/responses", "input", 7, "input"),
        ("/v1/responses", "input", [{"role": 7}], "input"),
        ("/v1/responses", "tools", [{"filters": {"allowed_domains": 7}}], "tools.0.filters.allowed_domains"),
        ("/v1/chat/completions", "messages", [{"content": "x"}], "messages.0.role"),
        ("/v1/chat/completions", "messages", [{"role": "user", "content": 7}], "messages.0.content"),
        ("/v1/chat/completions", "messages", [{"role": "user", "content": [{"text": 7}]}], "messages.0.content"),
        ("/v1/chat", "constraints", {"max_iterations": 0}, "constraints.max_iterations"),
        ("/v1/chat", "message", f"{CANARY}\x00" * 9_000, "message"),
        ("/v1/chat", "message", f"{CANARY}\x07", "message"),
        ("/v1/chat", "message", "   ", "message"),
        ("/v1/chat/completions", "messages", [{"role": "user", "content": f"{CANARY}\x00"}], "messages"),
        ("/v1/responses", "input", f"{CANARY}\x00", "input"),
        ("/v1/responses", "input", [], "input"),
    ],
)
def test_a_fault_is_named_in_the_words_of_the_body_and_not_of_a_parser(client, path, field, value, named):
    error = client.post(path, json={**VALID[path], field: value}).json()["error"]
    assert error["param"] == named
    assert not re.search(r"\[|_well_formed|function|tuple|constrained|pydantic|TextPart|ChatTurn", error["message"])


def test_a_lone_surrogate_is_no_text(client):
    for path in ("/v1/chat", "/v1/chat/completions"):
        body = json.dumps(VALID[path]).replace("ferry", "\\ud800").encode()
        assert client.post(path, content=body).status_code == 400


@pytest.mark.parametrize("path", PATHS)
def test_ten_megabytes_are_too_many(client, path):
    body = json.dumps({**VALID[path], "user": "x" * 10_000_000}).encode()
    answer = client.post(path, content=body)
    assert answer.status_code == 413
    assert client.post(path, content=(body[at : at + 65_536] for at in range(0, len(body), 65_536))).status_code == 413
    assert client.post(path, json=VALID[path]).status_code == 200


def test_a_header_may_not_name_another_host(server, client):
    for name in (
        "evil.example",
        f"{server.url.removeprefix('http://')}.evil.example",
        "",
        "[::2]:80",
        "127.0.0.1@evil",
    ):
        answer = client.get("/v1/models", headers={"Host": name})
        assert (answer.status_code, answer.json()["error"]["code"]) == (421, "misdirected_request")
    assert client.get("/v1/models", headers={"Host": "localhost:1"}).status_code == 200
    for name in (
        "X-Forwarded-Host",
        "X-Forwarded-For",
        "X-Forwarded-Proto",
        "Forwarded",
        "X-Real-IP",
        "X-Original-URL",
    ):
        answer = client.get("/v1/models", headers={name: "evil.example"})
        assert answer.status_code == 200
        assert "evil" not in answer.text + str(answer.headers)


def test_a_header_with_a_user_is_no_identity(server, client):
    first = client.post("/v1/chat", json=VALID["/v1/chat"]).json()
    forged = {"X-OpenWebUI-User-Id": "ann", "X-OpenWebUI-User-Email": "ann@example.org", "X-User": "ann"}
    other = server.client("bea")
    assert other.get(f"/v1/research/{first['id']}", headers=forged).status_code == 404


@pytest.mark.parametrize("key", ["", "x" * 201, "tab\there"])
def test_an_idempotency_key_is_short_and_printable(client, key):
    answer = client.post("/v1/chat", json=VALID["/v1/chat"], headers={"Idempotency-Key": key})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "Idempotency-Key")


@pytest.mark.parametrize(
    "path",
    [
        "/v1/research/x",
        "/v1/research/x/sources/y",
        "/v1/research/..%2f..%2fetc/sources/1",
        "/v1/capabilities/nope",
        "/v2",
    ],
)
def test_what_is_not_there_is_a_404(client, path):
    answer = client.get(path) if "research" in path else client.post(path, json={})
    assert answer.status_code == 404
    assert set(answer.json()["error"]) == {"message", "type", "param", "code"}


def test_a_method_that_a_path_does_not_take_is_a_405(client):
    answer = client.delete("/v1/chat")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def _line(server):
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port))), f"{host}:{port}"


def _head(where, client, length):
    key = client.headers["authorization"]
    return (
        f"POST /v1/chat HTTP/1.1\r\nHost: {where}\r\nAuthorization: {key}\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def test_a_slow_upload_holds_up_nobody_and_a_cut_one_hurts_nobody(server, client):
    lines = []
    for number in range(50):
        line, where = _line(server)
        line.sendall(_head(where, client, 500) + b'{"message": "')
        lines.append(line)
        if number % 2:
            line.close()
    assert client.post("/v1/chat", json=VALID["/v1/chat"]).status_code == 200
    for line in lines:
        line.close()
    assert client.get("/v1/models").status_code == 200


def test_a_slow_upload_is_given_up(server, client):
    line, where = _line(server)
    with line:
        line.settimeout(60)
        line.sendall(_head(where, client, 500) + b'{"message": "')
        assert b" 408 " in line.recv(4_096)


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /v1/chat HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
    ],
    ids=["version", "tls", "long-path", "two-lengths", "two-hosts"],
)
def test_what_is_no_request_gets_no_answer_of_substance(server, client, sent):
    line, _ = _line(server)
    with line:
        line.settimeout(10)
        line.sendall(sent)
        line.shutdown(socket.SHUT_WR)
        said = line.recv(65_536)
    assert not said or said.split(b" ", 2)[1][:1] == b"4"
    assert client.get("/v1/models").status_code == 200


def _watchers_possible():
    """Each takes one descriptor here and one in the server, which was started with the same limit."""
    return min(3_000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 500)


def test_thousands_of_idle_watchers_leave_room_for_others(server, client):
    begun = client.stream("POST", "/v1/chat", json={"message": "How slowly does the ferry cross?", "stream": True})
    with begun as stream:
        told = next(line for line in stream.iter_lines() if line.startswith("data: "))
        request_id = json.loads(told.removeprefix("data: "))["id"]
        watchers = []
        many = _watchers_possible()
        keys = [server.client(f"watch{number}", scopes=("chat", "operator")) for number in range(many // 200 + 1)]
        for number in range(many):
            line, where = _line(server)
            key = keys[number // 200].headers["authorization"]
            head = f"GET /v1/research/{request_id}/events HTTP/1.1\r\nHost: {where}\r\nAuthorization: {key}\r\n\r\n"
            line.sendall(head.encode())
            watchers.append(line)
        assert all(b" 200 " in line.recv(1_024) for line in watchers)
        assert server.client("other").post("/v1/chat", json=VALID["/v1/chat"]).json()["action"] == "GROUNDED"
        for line in watchers:
            line.close()
    assert server.client("after").get("/v1/models").status_code == 200


@pytest.mark.parametrize("sent", [b"", b"GET /v1/mod", b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-More: y"])
def test_a_connection_on_which_no_request_comes_is_closed(tmp_path, sent):
    """More bytes do not lengthen the time, and a request that came before does not open the door for the next."""
    with served(tmp_path, program=SCRIPTED, SCRIPTED_PATIENCE_S="2") as one:
        host = one.url.removeprefix("http://")
        whole = f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
        lines = [_line(one)[0] for _ in range(50)]
        for place, line in enumerate(lines):
            line.settimeout(20)
            if place % 2:
                line.sendall(whole)
                told = b""
                while b'{"status":"ok"}' not in told:
                    told += line.recv(4_096)
            line.sendall(sent)
        begun = time.monotonic()
        while time.monotonic() - begun < 1.2:
            time.sleep(0.2)
            for line in lines[::2]:
                line.sendall(sent[:1] and b"x")
        for line in lines:
            assert line.recv(4_096) == b""
            line.close()
        assert time.monotonic() - begun < 12
        assert one.anonymous().get("/healthz").status_code == 200


def test_a_request_that_takes_long_to_answer_is_not_cut(tmp_path):
    with served(tmp_path, program=SCRIPTED, SCRIPTED_PATIENCE_S="0.3") as one:
        asked = {"message": "How briefly does the ferry cross the sound, and how briefly does it turn?"}
        assert one.client().post("/v1/chat", json=asked).json()["action"] == "GROUNDED"


def test_the_server_has_said_nothing_of_what_was_sent(server):
    time.sleep(0.1)
    assert CANARY not in "".join(server.said)
    assert "Traceback" not in "".join(server.said)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", {"model": "x", "messages": [{"role": "user", "content": [1] * 300_000}]}),
        ("/v1/chat/completions", {"model": "x", "messages": [1] * 300_000}),
        ("/v1/chat/completions", {"model": "x", "messages": [{"role": "user", "content": [1] * 300}] * 1_000}),
        ("/v1/responses", {"model": "x", "input": GROUNDED, "tools": [1] * 300_000}),
        ("/v1/chat", {"message": GROUNDED, **{f"field{number}": 1 for number in range(50_000)}}),
        ("/v1/capabilities/check_grounding", {"text": "x" * 30, "sessionOrBundle": [1] * 80_000}),
    ],
    ids=["parts", "messages", "both", "tools", "fields", "sources"],
)
def test_a_body_with_a_flood_of_faults_is_refused_with_one_of_them(client, path, body):
    answer = client.post(path, json=body)
    assert answer.status_code == 400
    assert len(answer.content) < 1_000


def test_domains_that_are_too_long_together_are_refused_by_name(client):
    names = [f"{'a' * 40}{number}.example" for number in range(50)]
    body = {**VALID["/v1/chat/completions"], "search_domain_filter": names}
    answer = client.post("/v1/chat/completions", json=body)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "search_domain_filter")
