"""A model behind the chat server: what holds reaches the user with our markers, and nothing else of it does."""

from __future__ import annotations

import os
import subprocess
import time
from itertools import pairwise

import httpx2
import pytest

from tests.chat.serving import events_of, served
from tests.doors.command import CLI
from tests.fixtures.scripted_model import model_in_a_thread

ASKED = "How long should sourdough proof in the fridge?"
GOOD = "e1 | In the fridge, sourdough should proof for about 8 to 16 hours.\n"
WORDED = "In the fridge, sourdough should proof for about 8 to 16 hours. [1]"
BAD = "e1 | Canary bakers proof it for 97 hours.\ne9 | See https://canary.example/proof.\nReferences: [1] Canary 2019\n"


def test_plain_and_streamed_replies_are_worded_and_forgeries_stay_behind(tmp_path):
    with model_in_a_thread([GOOD, GOOD + "e1 | Canary bakers proof it for 97 hours.\n", BAD]) as model:
        settings = {"PORTCULLIS_MODEL_URL": model.url, "PORTCULLIS_MODEL_NAME": "tiny-1"}
        with served(tmp_path, **settings) as server:
            client = server.client()
            plain = client.post("/v1/chat", json={"message": ASKED}).json()
            assert (plain["action"], plain["text"]) == ("GROUNDED", WORDED)
            assert plain["sources"][0]["number"] == 1

            asked = {"model": "portcullis-research", "stream": True, "messages": [{"role": "user", "content": ASKED}]}
            chunks = [
                data for _, data in events_of(client.post("/v1/chat/completions", json=asked).text) if data != "[DONE]"
            ]
            said = "".join(
                choice["delta"].get("content", "") for chunk in chunks for choice in chunk.get("choices", ())
            )
            assert said.startswith(WORDED)
            assert "Canary" not in said

            forged = client.post("/v1/chat", json={"message": ASKED})
            assert "anary" not in forged.text
            assert "8 to 16 hours at 4" in forged.json()["text"]

            baseline = client.post("/v1/chat", json={"message": ASKED, "mode": "baseline"})
            assert baseline.json()["action"] == "BASELINE"
        assert len(model.asked) == 3


def settings_of(model):
    return {"PORTCULLIS_MODEL_URL": model.url, "PORTCULLIS_MODEL_NAME": "tiny-1"}


def test_a_stream_is_never_silent_for_long_while_the_model_writes(tmp_path):
    asked = {"model": "portcullis-research", "stream": True, "messages": [{"role": "user", "content": ASKED}]}
    with (
        model_in_a_thread([GOOD], "pauses", 11.0) as model,
        served(tmp_path, **settings_of(model)) as server,
        server.client().stream("POST", "/v1/chat/completions", json=asked) as reply,
    ):
        moments, said = [time.monotonic()], b""
        for piece in reply.iter_raw():
            moments.append(time.monotonic())
            said += piece
    assert b"8 to 16 hours" in said
    assert moments[-1] - moments[0] > 10
    assert max(later - earlier for earlier, later in pairwise(moments)) < 6.5
    assert said.split(b"data:")[0].count(b": waiting") >= 3


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_leaves_ends_the_request_to_the_model(tmp_path, stream):
    with model_in_a_thread([GOOD], "pauses", 30.0) as model, served(tmp_path, **settings_of(model)) as server:
        with pytest.raises(httpx2.TimeoutException):
            server.client().post("/v1/chat", json={"message": ASKED, "stream": stream}, timeout=4.0)
        ends = time.monotonic() + 10
        while not model.left and time.monotonic() < ends:
            time.sleep(0.05)
        assert model.left == len(model.asked) == 1


def test_what_was_worded_once_is_shown_again_until_it_is_erased(tmp_path):
    other = "e1 | Sourdough should proof in the fridge for about 8 to 16 hours.\n"
    key = {"Idempotency-Key": "k-1"}
    with model_in_a_thread([GOOD, other]) as model:
        with served(tmp_path, **settings_of(model)) as server:
            client = server.client()
            first = client.post("/v1/chat", json={"message": ASKED}, headers=key).json()
            again = client.post("/v1/chat", json={"message": ASKED}, headers=key).json()
            assert first["text"] == again["text"] == WORDED
            assert client.get(f"/v1/research/{first['id']}").json()["result"]["answer"] == WORDED
            end = dict(events_of(client.get(f"/v1/research/{first['id']}/events").text))["end"]
            assert end["result"]["answer"] == WORDED
        with served(tmp_path, **settings_of(model)) as server:
            client = server.client()
            seen = client.get(f"/v1/research/{first['id']}").json()["result"]
            assert (seen["answer"], seen["cost_metadata"]["model_id"]) == (WORDED, "tiny-1")
            assert client.post("/v1/chat", json={"message": ASKED}, headers=key).json()["text"] == WORDED
        assert "identical" in _run("replay", seen["trace_id"], data=tmp_path)
        assert len(model.asked) == 1
    _run("prune", "--older-than", "1d", data=tmp_path)
    assert _holds(tmp_path, GOOD.encode())
    _run("erase", seen["trace_id"], data=tmp_path)
    assert not _holds(tmp_path, GOOD.encode())


def test_what_the_model_did_is_counted_for_operators(tmp_path):
    texts = [GOOD + "e1 | Canary bakers proof it for 97 hours.\n", BAD]
    with model_in_a_thread(texts) as model, served(tmp_path, **settings_of(model)) as server:
        client = server.client()
        for _ in range(2):
            client.post("/v1/chat", json={"message": ASKED})
        model.how = "down"
        client.post("/v1/chat", json={"message": ASKED})
        told = server.client("op", scopes=("chat", "operator")).get("/metrics").text
    assert 'portcullis_model_answers_total{outcome="worded",why=""} 1' in told
    assert 'portcullis_model_answers_total{outcome="sentences",why="lines_dropped"} 1' in told
    assert 'portcullis_model_answers_total{outcome="sentences",why="unreachable"} 1' in told
    assert 'portcullis_model_lines_total{outcome="kept",why=""} 1' in told
    assert 'portcullis_model_lines_total{outcome="dropped",why="number"} 2' in told
    assert "anary" not in told


def _holds(data, text):
    return any(text in path.read_bytes() for path in (data / "store").rglob("*") if path.is_file())


def _run(*words, data):
    env = {"PATH": os.environ["PATH"], "HOME": str(data), "PORTCULLIS_DATA": str(data)}
    done = subprocess.run([str(CLI), *words], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
