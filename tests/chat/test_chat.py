"""`/v1/chat` and research by its id: replies, conversations, keys sent twice, finish, cancel, clients that leave."""

from __future__ import annotations

import json
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.kernel.stops import Cause
from app.system.contract_files import read_contract
from app.system.settings import Settings
from app.wiring import open_archive
from tests.chat.scripted_server import ANSWER, EXPECTED, GROUNDED
from tests.chat.serving import SCRIPTED, events_of, served

TEXTS = read_contract().actions.texts
ABSENT = "What does the absent ferry cost?"
SLOW = "How slowly does the ferry cross the sound?"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("chat"), program=SCRIPTED) as one:
        yield one


@pytest.fixture
def ann(server, request):
    """A client of a user of its own, so that no test uses up another's limits."""
    return server.client(re.sub(r"[^A-Za-z0-9]", "", request.node.name)[:100])


def _until(found):
    """What a condition gives, once it gives something."""
    for _ in range(600):
        if value := found():
            return value
        time.sleep(0.05)
    raise AssertionError("it never came")


def _sessions(server):
    return list(open_archive(Settings(data_dir=server.data)).sessions(1_000))


def test_a_grounded_reply_has_its_sources(ann):
    reply = ann.post("/v1/chat", json={"message": GROUNDED}).json()
    assert (reply["mode"], reply["action"]) == ("research", "GROUNDED")
    assert f"{ANSWER} [1]" in reply["text"]
    (source,) = reply["sources"]
    assert (source["number"], source["title"], source["url"]) == (1, "The ferry", "doc:documents/ferry.md#0-90")
    assert ANSWER in source["excerpt"]


@pytest.mark.ruling("R14")
@pytest.mark.parametrize("question", sorted(EXPECTED), ids=lambda question: EXPECTED[question][0])
def test_a_stop_is_a_200_with_the_text_of_its_action(ann, question):
    _, action = EXPECTED[question]
    answered = ann.post("/v1/chat", json={"message": question})
    reply = answered.json()
    assert (answered.status_code, reply["action"]) == (200, action)
    if action != "GROUNDED":
        assert (reply["text"], reply["sources"]) == (getattr(TEXTS, action), [])


def test_events_say_nothing_before_the_verdict_and_together_the_same_as_the_reply(ann):
    whole = ann.post("/v1/chat", json={"message": GROUNDED, "conversation_id": "c1"}).json()
    streamed = ann.post("/v1/chat", json={"message": GROUNDED, "conversation_id": "c1", "stream": True})
    assert streamed.headers["content-type"].startswith("text/event-stream")
    told = events_of(streamed.text)
    names = [name for name, _ in told]
    assert names[0] == "start"
    first = names.index("sources")
    assert set(names[1:first]) == {"progress"}
    assert set(names[first + 1 : -1]) == {"text"}
    assert names[-1] == "end"
    assert "".join(data["text"] for name, data in told if name == "text") == whole["text"]
    assert told[first][1]["sources"] == whole["sources"]
    assert told[-1][1]["action"] == "GROUNDED"
    assert all(set(data) == {"step", "round"} for name, data in told if name == "progress")


def test_baseline_asks_no_tool_and_says_that_there_is_no_model(server, ann):
    before = len(_sessions(server))
    reply = ann.post("/v1/chat", json={"message": GROUNDED, "mode": "baseline"}).json()
    assert reply["action"] == "BASELINE"
    assert "No language model" in reply["text"]
    assert len(_sessions(server)) == before


def test_a_question_that_is_too_long_is_not_researched(server, ann):
    before = len(_sessions(server))
    reply = ann.post("/v1/chat", json={"message": GROUNDED * 20}).json()
    assert reply["action"] == "BASELINE"
    assert "longer than 500 characters" in reply["text"]
    assert len(_sessions(server)) == before


@pytest.mark.ruling("R6")
def test_who_was_asked_to_clarify_is_not_asked_again(ann):
    told = {"message": ABSENT, "conversation_id": "ferry"}
    assert ann.post("/v1/chat", json=told).json()["action"] == "ASK_CLARIFY"
    assert ann.post("/v1/chat", json=told).json()["action"] == "UNKNOWN"
    # That was the answer to the clarification; what follows is a new question.
    assert ann.post("/v1/chat", json=told).json()["action"] == "ASK_CLARIFY"
    assert ann.post("/v1/chat", json={"message": ABSENT, "conversation_id": "other"}).json()["action"] == "ASK_CLARIFY"


@pytest.mark.ruling("R6")
def test_a_forged_conversation_is_that_of_nobody_else(server, ann):
    assert ann.post("/v1/chat", json={"message": ABSENT, "conversation_id": "mine"}).json()["action"] == "ASK_CLARIFY"
    for other in (server.client("bea"), server.client("ann", tenant="birch")):
        forged = other.post("/v1/chat", json={"message": ABSENT, "conversation_id": "mine"}).json()
        assert forged["action"] == "ASK_CLARIFY"
    assert ann.post("/v1/chat", json={"message": ABSENT, "conversation_id": "mine"}).json()["action"] == "UNKNOWN"


@pytest.mark.ruling("R19")
def test_the_same_key_again_gives_the_same_reply_and_no_second_session(server, ann):
    told, keyed = {"message": ABSENT, "conversation_id": "twice"}, {"Idempotency-Key": "message-17"}
    first = ann.post("/v1/chat", json=told, headers=keyed).json()
    count = len(_sessions(server))
    again = ann.post("/v1/chat", json=told, headers=keyed).json()
    assert (again["action"], again["text"]) == (first["action"], first["text"]) == ("ASK_CLARIFY", TEXTS.ASK_CLARIFY)
    assert len(_sessions(server)) == count
    # The conversation has one turn, so the next question answers the clarification.
    assert ann.post("/v1/chat", json=told).json()["action"] == "UNKNOWN"


def test_a_key_of_another_request_is_a_conflict(server, ann):
    keyed = {"Idempotency-Key": "one-key"}
    assert ann.post("/v1/chat", json={"message": GROUNDED}, headers=keyed).status_code == 200
    refused = ann.post("/v1/chat", json={"message": ABSENT}, headers=keyed)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "idempotency_conflict")
    streamed = ann.post("/v1/chat", json={"message": ABSENT, "stream": True}, headers=keyed)
    assert streamed.status_code == 409
    # It is nobody else's key.
    assert server.client("bea").post("/v1/chat", json={"message": ABSENT}, headers=keyed).status_code == 200


def test_two_requests_with_one_key_at_once_are_one_session(server, ann):
    keyed, told = (
        {"Idempotency-Key": "at-once"},
        {"message": "How briefly does the ferry cross?", "conversation_id": "k"},
    )
    before = len(_sessions(server))
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: ann.post("/v1/chat", json=told, headers=keyed).json(), range(4)))
    assert len({reply["text"] for reply in replies}) == 1
    assert len(_sessions(server)) == before + 1


def _started(client, question=SLOW):
    """A stream that has begun: its response and the id of its research."""
    stream = client.stream("POST", "/v1/chat", json={"message": question, "stream": True})
    response = stream.__enter__()
    lines = response.iter_lines()
    name = next(line for line in lines if line.startswith("data: "))
    return stream, lines, events_of(name + "\n\n")[0][1]["id"]


def test_cancel_ends_it_with_the_text_of_baseline(server, ann):
    stream, lines, request_id = _started(ann)
    assert ann.get(f"/v1/research/{request_id}").json()["state"] in ("queued", "running")
    assert ann.post(f"/v1/research/{request_id}/cancel").status_code == 200
    rest = "\n".join(lines)
    assert TEXTS.BASELINE in rest
    stream.__exit__(None, None, None)
    told = ann.get(f"/v1/research/{request_id}").json()
    assert (told["state"], told["action"], told["result"]) == ("cancelled", "BASELINE", None)


def test_finish_is_known_to_the_session(server, ann):
    question = "How briefly does the ferry cross the sound, what does the absent ticket cost, and who briefly sails it?"
    stream, lines, request_id = _started(ann, question)
    assert ann.post(f"/v1/research/{request_id}/finish").status_code == 200
    told = events_of("\n".join(lines))
    stream.__exit__(None, None, None)
    assert told[-1][0] == "end"
    looked = ann.get(f"/v1/research/{request_id}").json()
    assert looked["state"] == "ended"


@pytest.mark.ruling("R12")
@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
def test_a_client_that_leaves_is_a_cancelled_session_in_journal_and_metrics(server, ann, streamed):
    def counted():
        return sum(
            int(line.rpartition(" ")[2])
            for line in server.anonymous().get("/metrics").text.splitlines()
            if line.startswith("portcullis_sessions_total{") and 'cause="cancelled"' in line
        )

    before, known = counted(), {row.session_id for row in _sessions(server)}
    body = json.dumps({"message": SLOW, "stream": streamed})
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as line:
        line.sendall(
            f"POST /v1/chat HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: {ann.headers['authorization']}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        _until(lambda: [row for row in _sessions(server) if row.session_id not in known])
    _until(lambda: counted() == before + 1)
    (row,) = _until(lambda: [row for row in _sessions(server) if row.session_id not in known and row.state == "closed"])
    history = open_archive(Settings(data_dir=server.data)).show(row.session_id)
    assert row.stop == "TIMEOUT"
    assert Cause.CANCELLED in {signal.cause for signal in history.signals}


def test_research_is_seen_by_its_owner_and_by_operators_of_its_tenant_alone(server, ann):
    reply = ann.post("/v1/chat", json={"message": GROUNDED}).json()
    path = f"/v1/research/{reply['id']}"
    mine = ann.get(path).json()
    assert (mine["state"], mine["action"]) == ("ended", "GROUNDED")
    assert mine["result"]["citations"][0]["locator"] == reply["sources"][0]["url"]
    source = ann.get(f"{path}/sources/1").json()
    assert source["excerpt"] == reply["sources"][0]["excerpt"]
    assert source["end"] - source["start"] == len(source["excerpt"])
    assert ann.get(f"{path}/sources/2").status_code == 404
    assert server.client("op", scopes=("chat", "operator")).get(path).status_code == 200
    for other in (server.client("bea"), server.client("ann", tenant="birch", scopes=("chat", "operator"))):
        for way in (path, f"{path}/events", f"{path}/sources/1"):
            assert other.get(way).status_code == 404
        for way in (f"{path}/finish", f"{path}/cancel"):
            assert other.post(way).status_code == 404
    unknown = ann.get("/v1/research/00000000-0000-4000-8000-000000000000")
    assert unknown.json() == server.client("bea").get(path).json()


def test_any_number_may_watch(server, ann):
    stream, lines, request_id = _started(ann, "How briefly does the ferry cross the sound?")
    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(lambda _: events_of(ann.get(f"/v1/research/{request_id}/events").text), range(8)))
    list(lines)
    stream.__exit__(None, None, None)
    assert all(events[-1][0] == "end" and events[-1][1]["state"] == "ended" for events in seen)
    assert len({len(events) for events in seen}) == 1


def test_a_first_message_that_is_sent_twice_with_one_key_is_one_request(ann):
    """Also where no conversation is named: the key begins the same one."""
    sent = {"json": {"message": GROUNDED}, "headers": {"Idempotency-Key": "first-message"}}
    first, again = ann.post("/v1/chat", **sent), ann.post("/v1/chat", **sent)
    assert first.status_code == again.status_code == 200
    assert (first.json()["conversation_id"], first.json()["text"]) == (
        again.json()["conversation_id"],
        again.json()["text"],
    )
