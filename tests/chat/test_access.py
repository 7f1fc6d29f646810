"""Who may come in: keys, scopes, tenants, and what each path asks for."""

from __future__ import annotations

import socket

import pytest

from tests.chat.serving import SCRIPTED, bearer, make_key, served
from tests.doors.command import portcullis

KEYED = (
    ("GET", "/v1/models"),
    ("GET", "/v1/models/portcullis-research"),
    ("POST", "/v1/chat"),
    ("POST", "/v1/chat/completions"),
    ("POST", "/v1/responses"),
    ("GET", "/v1/capabilities"),
    ("POST", "/v1/capabilities/search_documents"),
    ("GET", "/v1/research/x"),
    ("POST", "/v1/research/x/cancel"),
    ("GET", "/openapi.json"),
    ("GET", "/nowhere"),
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("access"), program=SCRIPTED) as one:
        yield one


@pytest.mark.parametrize(("method", "path"), KEYED)
def test_without_a_valid_key_nobody_comes_in(server, method, path):
    key = make_key(server.data)
    revoked = make_key(server.data, "gone")
    assert portcullis("keys", "revoke", revoked.split("_")[1], data_dir=server.data).returncode == 0
    for headers in (
        {},
        bearer("pck_000000000000_x"),
        bearer(key[:-1]),
        bearer(revoked),
        {"Authorization": f"Basic {key}"},
    ):
        answer = server.anonymous().request(method, path, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_api_key")
        assert answer.headers["www-authenticate"].startswith("Bearer")
    two = [("Authorization", f"Bearer {key}"), ("Authorization", f"Bearer {key}")]
    assert server.anonymous().request(method, path, headers=two).status_code == 401


def test_a_key_is_judged_before_the_body_is_read(server):
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as line:
        line.settimeout(30)
        line.sendall(f"POST /v1/chat HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000000\r\n\r\n".encode())
        assert b" 401 " in line.recv(4_096)


def test_scopes(server):
    admin = server.client(scopes=("admin",))
    assert admin.get("/v1/models").status_code == 403
    assert admin.get("/openapi.json").status_code == 200
    assert server.client().get("/metrics").status_code == 403
    assert server.client(scopes=("operator",)).get("/metrics").status_code == 200
    assert server.client(scopes=("operator",)).get("/v1/models").status_code == 403


def test_the_probes_are_open_and_tell_details_to_operators_alone(server):
    anybody, operator = server.anonymous(), server.client(scopes=("operator",))
    assert anybody.get("/healthz").json() == {"status": "ok"}
    seen, known = anybody.get("/readyz").json(), operator.get("/readyz").json()
    assert seen["ready"] is known["ready"] is True
    assert {check["detail"] for check in seen["checks"]} == {None}
    assert seen["caps"] is seen["contract"] is seen["sandbox"] is None
    assert len(known["caps"]) == len(known["contract"]) == 64
    assert {"lock", "sandbox", "content_store", "journal", "ledger", "certificate"} <= {
        check["name"] for check in known["checks"]
    }


def test_an_unknown_path_and_an_unknown_tenant_look_alike(server):
    mine = server.client("ann").get("/v1/research/00000000-0000-4000-8000-000000000000")
    other = server.client("bea", tenant="birch").get("/v1/research/00000000-0000-4000-8000-000000000000")
    assert (mine.status_code, mine.json()) == (other.status_code, other.json())


def test_every_response_has_an_id_of_its_own(server):
    client = server.client()
    ids = {client.get(path).headers["x-request-id"] for path in ("/healthz", "/v1/models", "/nowhere")}
    assert len(ids) == 3


def test_websockets_are_closed(server):
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as line:
        line.settimeout(30)
        line.sendall(
            f"GET /v1/chat HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )
        assert line.recv(4_096).split(b" ")[1][:1] == b"4"


def test_beyond_loopback_dev_is_refused(tmp_path):
    for words in (("--host", "127.0.0.2"), ("--name", "chat.example.org")):
        refused = portcullis("serve", "--port", "0", *words, data_dir=tmp_path)
        assert refused.returncode == 2
        assert b"`dev` is refused" in refused.stderr


def test_beyond_loopback_metrics_need_an_operator(tmp_path):
    with served(tmp_path, "--env", "staging", "--host", "127.0.0.2", "--name", "Chat.Example.org") as one:
        named = {"Host": "chat.example.org"}
        assert one.anonymous().get("/healthz", headers=named).status_code == 200
        assert one.anonymous().get("/healthz", headers={"Host": "localhost"}).status_code == 421
        assert one.anonymous().get("/metrics", headers=named).status_code == 401
        assert one.client(scopes=("operator",)).get("/metrics", headers=named).status_code == 200


def test_an_answer_without_a_citation_is_not_called_grounded(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "tower.md").write_text("# Tower\n\nThe Lindmark tower was built of granite from Ostby.\n")
    with served(tmp_path / "data", "--docs", str(tmp_path / "docs"), "--tenant", "acme") as one:
        client = one.client(tenant="acme")
        reply = client.post("/v1/chat", json={"message": "When was the Lindmark tower built?"}).json()
        assert client.get(f"/v1/research/{reply['id']}").json()["action"] == "UNKNOWN"
    assert (reply["action"], reply["sources"]) == ("UNKNOWN", [])
    assert reply["text"] == "No sources are available for this request."


def test_documents_are_those_of_their_tenants_alone(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "ferry.md").write_text("# Ferry\n\nThe ferry leaves at eight from the north quay.\n")
    words = ("--docs", str(tmp_path / "docs"), "--tenant", "acme", "--tenant", "birch")
    asked = {"message": "When does the ferry leave?"}
    with served(tmp_path / "data", *words) as one:
        for tenant, action in (("acme", "GROUNDED"), ("birch", "GROUNDED"), ("local", "ASK_CLARIFY")):
            reply = one.client(tenant=tenant).post("/v1/chat", json=asked).json()
            assert reply["action"] == action, tenant
            assert ("north quay" in str(reply)) is (action == "GROUNDED")
