"""Running the server: signals, several processes, the queue, logs, metrics, retention, settings from a file."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from app.kernel.stops import Action
from app.system.config_file import SETTING_NAMES, SETTING_TABLES, read_config_file
from app.system.contract_files import read_contract
from app.system.data_folder import CONVERSATIONS_FILE, KEYS_FILE
from app.system.settings import Settings
from app.system.stores.conversations.sqlite import ConversationStore
from app.wiring import open_archive
from tests.chat.scripted_server import CANARY, GROUNDED
from tests.chat.serving import SCRIPTED, events_of, served
from tests.doors.command import ROOT, portcullis

TEXTS = read_contract().actions.texts
SLOW = "How slowly does the ferry cross the sound?"
BRIEF = "How briefly does the ferry cross the sound?"


def _rows(one):
    return list(open_archive(Settings(data_dir=one.data)).sessions(10_000))


def _until(found):
    for _ in range(600):
        if value := found():
            return value
        time.sleep(0.05)
    raise AssertionError("it never came")


@pytest.mark.ruling("R12")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_signal_lets_requests_end_with_one_stop_and_a_reply(tmp_path, number):
    with (
        served(tmp_path, program=SCRIPTED, PORTCULLIS_SERVE_SHUTDOWN_GRACE_S="1") as one,
        ThreadPoolExecutor(8) as pool,
    ):
        clients = [one.client(f"u{place}") for place in range(6)]
        asked = [pool.submit(client.post, "/v1/chat", json={"message": SLOW}) for client in clients[:3]]
        asked += [
            pool.submit(client.post, "/v1/chat", json={"message": SLOW, "stream": True}) for client in clients[3:]
        ]
        _until(lambda: len([row for row in _rows(one) if row.state == "open"]) == 6)
        one.process.send_signal(number)
        answers = [one_asked.result(60) for one_asked in asked]
        assert [answer.status_code for answer in answers] == [200] * 6
        assert all(TEXTS.BASELINE in answer.text for answer in answers)
        one.process.wait(60)
        rows = _rows(one)
    assert [(row.state, row.stop) for row in rows] == [("closed", "TIMEOUT")] * 6
    assert "Traceback" not in "".join(one.said)


def test_above_the_queue_a_request_is_told_to_come_again_and_opens_no_session(tmp_path):
    limits = {"PORTCULLIS_SERVE_MAX_RUNNING": "2", "PORTCULLIS_SERVE_MAX_WAITING": "1"}
    with served(tmp_path, program=SCRIPTED, **limits) as one, ThreadPoolExecutor(8) as pool:
        clients = [one.client(f"u{place}") for place in range(4)]
        asked = [pool.submit(client.post, "/v1/chat", json={"message": BRIEF}) for client in clients[:3]]

        def standing(name):
            told = one.anonymous().get("/metrics").text
            return int(re.search(rf"^portcullis_research_{name} (\d+)$", told, re.MULTILINE)[1])

        _until(lambda: (standing("running"), standing("waiting")) == (2, 1))
        for streamed in (False, True):
            refused = clients[3].post("/v1/chat", json={"message": GROUNDED, "stream": streamed})
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "overloaded")
            assert int(refused.headers["retry-after-ms"]) == 1000 * int(refused.headers["retry-after"]) > 0
        assert clients[3].post("/v1/chat", json={"message": GROUNDED, "mode": "baseline"}).status_code == 200
        assert [one_asked.result(60).json()["action"] for one_asked in asked] == ["GROUNDED"] * 3
        assert len(_rows(one)) == 3
        assert clients[3].post("/v1/chat", json={"message": GROUNDED}).json()["action"] == "GROUNDED"


def _workers(one):
    """The processes that the server has started to serve."""
    children = Path(f"/proc/{one.process.pid}/task/{one.process.pid}/children").read_text().split()
    return [int(pid) for pid in children if b"spawn_main" in _command_of(pid)]


def _command_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_processes_whose_parent_was_killed_end_and_free_the_port(tmp_path):
    with served(tmp_path, "--workers", "2", program=SCRIPTED) as one:
        workers = _until(lambda: len(_workers(one)) == 2 and _workers(one))
        client = one.client()
        assert client.post("/v1/chat", json={"message": GROUNDED}).json()["action"] == "GROUNDED"
        one.process.kill()
        _until(lambda: not any(b"spawn_main" in _command_of(pid) for pid in workers))
        with pytest.raises(httpx2.ConnectError):
            client.get("/healthz")


def test_processes_whose_parent_was_killed_while_they_start_end(tmp_path):
    with served(tmp_path, "--workers", "2", program=SCRIPTED) as one:
        workers = _until(lambda: len(_workers(one)) == 2 and _workers(one))
        one.process.kill()
        _until(lambda: not any(b"spawn_main" in _command_of(pid) for pid in workers))


def test_two_processes_are_one_server(tmp_path):
    with served(tmp_path, "--workers", "2", program=SCRIPTED) as one:
        client = one.client()
        _until(lambda: len(_workers(one)) == 2)
        with ThreadPoolExecutor(16) as pool:
            users = [one.client(f"u{place}") for place in range(8)]
            replies = list(
                pool.map(lambda place: users[place % 8].post("/v1/chat", json={"message": BRIEF}), range(32))
            )
        assert {reply.json()["action"] for reply in replies} == {"GROUNDED"}
        rows = _rows(one)
        assert len(rows) == 32
        # Whichever process is asked knows a request of the other.
        ids = [reply.json()["id"] for reply in replies[:8]]
        for place, request_id in enumerate(ids):
            for _ in range(4):
                told = users[place].get(f"/v1/research/{request_id}", headers={"Connection": "close"}).json()
                assert (told["state"], told["action"]) == ("ended", "GROUNDED")
                assert told["result"]["citations"]

        def counted():
            told = one.anonymous().get("/metrics", headers={"Connection": "close"}).text
            return sum(
                int(count) for count in re.findall(r"^portcullis_sessions_total\{.*\} (\d+)$", told, re.MULTILINE)
            )

        _until(lambda: counted() == 32)
        _cancelled_by_any_process(one, client)


def _cancelled_by_any_process(one, client):
    """Many requests for the end, each on a connection of its own: some reach the process that does not run it."""
    with client.stream("POST", "/v1/chat", json={"message": SLOW, "stream": True}) as stream:
        lines = stream.iter_lines()
        first = next(line for line in lines if line.startswith("data: "))
        path = f"/v1/research/{json.loads(first.removeprefix('data: '))['id']}"
        with ThreadPoolExecutor(8) as pool:
            states = list(
                pool.map(lambda _: client.post(f"{path}/cancel", headers={"Connection": "close"}).status_code, range(8))
            )
            watched = pool.submit(client.get, f"{path}/events", headers={"Connection": "close"})
        assert states == [200] * 8
        assert TEXTS.BASELINE in "\n".join(lines)
        assert events_of(watched.result(180).text)[-1][1]["state"] == "cancelled"


def test_a_killed_process_is_replaced_and_its_sessions_are_closed(tmp_path):
    with served(tmp_path, "--workers", "2", program=SCRIPTED) as one:
        _until(lambda: len(_workers(one)) == 2)
        client = one.client()
        before = _until(lambda: _workers(one))
        with ThreadPoolExecutor(12) as pool:
            users = [one.client(f"u{place}") for place in range(12)]
            asked = [pool.submit(_or_none, user, {"message": BRIEF}) for user in users]
            time.sleep(0.2)
            os.kill(before[0], signal.SIGKILL)
            replies = [one_asked.result(60) for one_asked in asked]
        assert all(reply is None or reply.json()["action"] == "GROUNDED" for reply in replies)
        _until(lambda: len(set(_workers(one)) - {before[0]}) == 2)
        assert client.post("/v1/chat", json={"message": GROUNDED}).json()["action"] == "GROUNDED"
        _until(lambda: not [row for row in _rows(one) if row.state == "open"])
        assert {row.stop for row in _rows(one)} <= {"SUCCESS_COMPLETED", "INTERNAL_INCONSISTENCY"}
        assert not [row for row in _rows(one) if row.state == "damaged"]


def _begun(client, question=SLOW, **headers):
    """A stream that has begun: its lines and the id of its request."""
    stream = client.stream("POST", "/v1/chat", json={"message": question, "stream": True}, headers=headers)
    lines = stream.__enter__().iter_lines()
    first = next(line for line in lines if line.startswith("data: "))
    return stream, lines, json.loads(first.removeprefix("data: "))["id"]


def test_a_request_of_a_killed_process_ends_for_those_who_look_at_it(tmp_path):
    with served(tmp_path, "--workers", "2", program=SCRIPTED) as one:
        workers = _until(lambda: len(found := _workers(one)) == 2 and found)
        begun = [_begun(one.client(f"u{place}")) for place in range(4)]
        for pid in workers:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for place, (_, _, request_id) in enumerate(begun):
            path, client = f"/v1/research/{request_id}", one.client(f"u{place}")

            def looked(client=client, path=path):
                told = _or_none(client, None, path)
                return told is not None and told.status_code == 200 and told.json()["state"] == "failed"

            _until(looked)
            assert events_of(client.get(f"{path}/events").text)[-1][1]["state"] == "failed"
            assert client.post(f"{path}/cancel").json()["action"] == "BASELINE"
        one.stop()


def test_a_second_server_on_the_same_folder_leaves_the_requests_of_the_first(tmp_path):
    with served(tmp_path, program=SCRIPTED) as one:
        client, keyed = one.client(), {"Idempotency-Key": "there-and-here"}
        stream, lines, request_id = _begun(client, **keyed)
        path = f"/v1/research/{request_id}"
        with served(tmp_path, program=SCRIPTED) as two:
            there = two.client()
            time.sleep(1.5)
            for streamed in (False, True):
                again = there.post("/v1/chat", json={"message": SLOW, "stream": streamed}, headers=keyed)
                assert (again.status_code, again.json()["error"]["code"]) == (409, "request_in_progress")
            assert there.get(path).json()["state"] == "running"
            assert there.post(f"{path}/cancel").status_code == 200
            assert TEXTS.BASELINE in "\n".join(lines)
            assert _until(lambda: there.get(path).json()["state"] == "cancelled")
        stream.__exit__(None, None, None)


def _or_none(client, body, path=None):
    try:
        return client.post("/v1/chat", json=body) if path is None else client.get(path)
    except httpx2.TransportError:  # the process that had it was killed
        return None


def test_the_log_has_a_line_for_every_request_and_no_text(tmp_path):
    with served(tmp_path, "--log", "json", program=SCRIPTED) as one:
        client = one.client()
        asked = [
            client.post("/v1/chat", json={"message": f"What does the crashing ferry {CANARY} cost?"}),
            client.get(f"/v1/research/{CANARY}"),
            client.get(f"/{CANARY}?q={CANARY}", headers={"X-Note": CANARY}),
            client.get("/openapi.json"),
            client.get(f"/console/ask/{CANARY}"),
            client.get(f"/console/{CANARY}"),
        ]
        said = one.stop()
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    requests = {line["request_id"]: line for line in lines if line["event"] == "request"}
    routes = ("/v1/chat", "/v1/research/{request_id}", "", "/openapi.json")
    of_the_console = ("/console/ask/{request_id}", "/console/{rest:path}")
    for answer, route in zip(asked, (*routes, *of_the_console), strict=True):
        line = requests[answer.headers["x-request-id"]]
        assert (line["route"], line["status"]) == (route, answer.status_code)
        assert route in of_the_console or re.fullmatch(r"[0-9a-f]{12}", line["key_id"])
    assert CANARY not in said
    assert client.headers["authorization"].split()[1] not in said
    audit = (one.data / "audit.jsonl").read_text()
    assert CANARY not in audit
    assert json.loads(audit.splitlines()[0])["event"]["door"] == "http"


def test_retention_deletes_what_is_old(tmp_path):
    with served(tmp_path, program=SCRIPTED) as one:
        one.client().post("/v1/chat", json={"message": GROUNDED, "conversation_id": "old"})
        assert len(_rows(one)) == 1
    turns = ConversationStore(tmp_path / CONVERSATIONS_FILE)
    turns.add("local", "ann", "older", request="r", action=Action.UNKNOWN, session_id=None, at_ms=1)
    turns.close()
    long_ago = time.time() - 3 * 86_400
    for file in (tmp_path / "journal" / "closed").rglob("*"):
        os.utime(file, (long_ago, long_ago))
    with served(tmp_path, program=SCRIPTED, PORTCULLIS_SERVE_RETENTION_DAYS="2") as one:
        store = ConversationStore(tmp_path / CONVERSATIONS_FILE)
        _until(lambda: not store.turns("local", "ann", "older"))
        assert len(store.turns("local", "ann", "old")) == 2
        store.close()


def test_research_is_shown_again_from_its_record_when_the_server_was_started_anew(tmp_path):
    with served(tmp_path, program=SCRIPTED) as one:
        client = one.client()
        request_id = client.post("/v1/chat", json={"message": GROUNDED}).json()["id"]
        path = f"/v1/research/{request_id}"
        first, source = client.get(path).json(), client.get(f"{path}/sources/1").json()
    with served(tmp_path, program=SCRIPTED) as one:
        client, other = one.client(), one.client("bea")
        assert client.get(path).json() == first
        assert client.get(f"{path}/sources/1").json() == source
        assert events_of(client.get(f"{path}/events").text) == [("end", first)]
        assert client.post(f"{path}/cancel").json()["state"] == "ended"
        assert other.get(path).status_code == 404
        assert portcullis("erase", "--tenant", "local", "--yes", data_dir=tmp_path).returncode == 0
        assert client.get(path).status_code == 404


def test_erasing_a_tenant_takes_its_conversations_along(tmp_path):
    with served(tmp_path, program=SCRIPTED) as one:
        one.client().post("/v1/chat", json={"message": GROUNDED, "conversation_id": "c"})
        one.client(tenant="birch").post("/v1/chat", json={"message": GROUNDED, "conversation_id": "c"})
    assert portcullis("erase", "--tenant", "local", "--yes", data_dir=tmp_path).returncode == 0
    store = ConversationStore(tmp_path / CONVERSATIONS_FILE)
    assert store.turns("local", "ann", "c") == ()
    assert len(store.turns("birch", "ann", "c")) == 2
    store.close()
    assert GROUNDED.encode() not in (tmp_path / CONVERSATIONS_FILE).read_bytes()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["INT", "TERM", "HUP"])
def test_make_serve_prints_a_key_that_ends_with_the_server(tmp_path, number):
    target = re.search(r"^serve:.*\n\t\$\(BIN\)/portcullis (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    words = target[1].split()[1:]
    with served(tmp_path, *words) as one:
        said = "".join(_until(lambda: len(one.said) >= 4 and one.said))
        key = re.search(r"^key, .*: (\S+)$", said, re.MULTILINE)[1]
        console = re.search(r"^console: (\S+)$", said, re.MULTILINE)[1]
        client = one.anonymous()
        headers = {"Authorization": f"Bearer {key}"}
        assert client.get(console).status_code < 500
        asked = {"message": "How long should sourdough proof in the fridge?"}
        reply = client.post("/v1/chat", json=asked, headers=headers).json()
        assert (reply["action"], len(reply["sources"])) == ("GROUNDED", 1)
        assert client.get("/metrics", headers=headers).status_code == 200
        one.stop(number)
        assert one.process.returncode == (130 if number == signal.SIGINT else 0)
    listed = json.loads(portcullis("keys", "list", "--json", data_dir=tmp_path).stdout)["keys"]
    assert [bool(entry["revoked_at_ms"]) for entry in listed] == [True]
    assert key.encode() not in (tmp_path / KEYS_FILE).read_bytes()


def _config(tmp_path, text):
    path = tmp_path / "portcullis.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_config_check_says_where_a_setting_comes_from_and_hides_keys(tmp_path):
    text = f'data = "{tmp_path}"\nresearch = false\n[keys]\nBRAVE = "{CANARY}"\n[serve]\nport = 9000\nworkers = 2\n'
    given = {"PORTCULLIS_SERVE_PORT": "9001", "PORTCULLIS_KEY_EXA": CANARY}
    done = portcullis("config", "check", "--config", _config(tmp_path, text), "--json", data_dir=tmp_path, env=given)
    assert done.returncode == 0, done.stderr
    assert CANARY.encode() not in done.stdout + done.stderr
    told = {one["variable"]: (one["value"], one["origin"]) for one in json.loads(done.stdout)["settings"]}
    assert told["PORTCULLIS_SERVE_PORT"] == ("9001", "environment")
    assert told["PORTCULLIS_SERVE_WORKERS"] == ("2", "file")
    assert told["PORTCULLIS_RESEARCH"] == ("off", "file")
    assert told["PORTCULLIS_SERVE_HOST"] == ("127.0.0.1", "default")
    assert told["PORTCULLIS_KEY_BRAVE"] == ("set", "file")
    assert told["PORTCULLIS_KEY_EXA"] == ("set", "environment")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("port = 1", "port"),
        ("[serve]\nprot = 1", "prot"),
        ("[serve]\nport = 70000", "PORTCULLIS_SERVE_PORT"),
        ("[serve]\nport = 1.5", "serve.port"),
        ("serve = 1", "serve"),
        ('[serve]\nhost = "0.0.0.0"', "dev"),
        ('env = "moon"', "env"),
        ('[search_routing]\nweb = ["nobody"]', "nobody"),
        ('[keys]\n"A B" = "x"', "keys"),
        (f'contact = "{CANARY}', "TOML"),
        (f'[keys]\nBRAVE = "{CANARY}\\u0007"', "BRAVE"),
    ],
)
def test_config_check_names_what_cannot_be_used(tmp_path, text, named):
    done = portcullis("config", "check", "--config", _config(tmp_path, text), data_dir=tmp_path)
    assert done.returncode == 2
    assert named.encode() in done.stderr
    assert CANARY.encode() not in done.stdout + done.stderr


def test_every_command_reads_the_file_that_the_environment_names(tmp_path):
    path = _config(tmp_path, "research = false\n")
    done = portcullis("ask", "rye?", "--json", data_dir=tmp_path, env={"PORTCULLIS_CONFIG": str(path)})
    assert json.loads(done.stdout)["error"]["kind"] == "config"
    done = portcullis(
        "ask", "rye?", "--json", data_dir=tmp_path, env={"PORTCULLIS_CONFIG": str(path), "PORTCULLIS_RESEARCH": "on"}
    )
    assert json.loads(done.stdout)["error"] is None


def test_the_file_in_deploy_shows_every_setting(tmp_path):
    shown = tomllib.loads(
        re.sub(r"^# (?=[A-Za-z_]+ = )", "", (ROOT / "deploy/portcullis.toml").read_text(), flags=re.M)
    )
    assert set(SETTING_NAMES) <= set(shown)
    assert set(shown["serve"]) == set(SETTING_TABLES["serve"])
    assert read_config_file(ROOT / "deploy" / "portcullis.toml")["PORTCULLIS_SERVE_PORT"] == "8080"


def test_the_unit_and_the_image_start_the_server(tmp_path):
    unit = (ROOT / "deploy" / "portcullis.service").read_text(encoding="utf-8")
    image = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"^ExecStart=\S+/portcullis serve ", unit, re.MULTILINE)
    assert re.search(r'^ENTRYPOINT \["portcullis"\]\nCMD \["serve", ', image, re.MULTILINE)
    assert (
        int(re.search(r"^TimeoutStopSec=(\d+)$", unit, re.MULTILINE)[1])
        > Settings(data_dir=tmp_path).serve.shutdown_grace_s
    )
    assert re.search(r"^USER 10001$", image, re.MULTILINE)
    hatchling = re.search(r"hatchling==(\S+)", image)[1]
    assert f"hatchling=={hatchling} " in (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    program = shutil.which("systemd-analyze")
    if program is None:
        return  # the rest is judged where the tool is
    here = tmp_path / "portcullis.service"
    here.write_text(re.sub(r"/opt/portcullis/bin/portcullis", shutil.which("true"), unit), encoding="utf-8")
    done = subprocess.run([program, "verify", str(here)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_folder_that_cannot_be_used_ends_the_server_in_one_line(tmp_path):
    (tmp_path / "FORMAT").write_text("99\n")
    done = portcullis("serve", "--port", "0", data_dir=tmp_path)
    assert done.returncode == 7
    assert done.stderr.decode().splitlines()[-1].startswith("portcullis: data folder")
    assert Path(tmp_path / "FORMAT").read_text() == "99\n"


def test_what_was_erased_is_not_served_from_memory(tmp_path):
    keyed = {"Idempotency-Key": "erased"}
    with served(tmp_path, program=SCRIPTED) as one:
        client = one.client()
        reply = client.post("/v1/chat", json={"message": GROUNDED}, headers=keyed).json()
        path = f"/v1/research/{reply['id']}"
        assert client.get(path).json()["result"]["citations"]
        (row,) = _rows(one)
        assert portcullis("erase", row.session_id, data_dir=tmp_path).returncode == 0
        assert client.get(path).json()["result"] is None
        assert client.get(f"{path}/sources/1").status_code == 404
        assert events_of(client.get(f"{path}/events").text)[-1][1]["result"] is None
        again = client.post("/v1/chat", json={"message": GROUNDED}, headers=keyed).json()
        assert (again["text"], again["sources"]) == (TEXTS.BASELINE, [])
        other = client.post("/v1/chat", json={"message": GROUNDED}).json()["id"]
        assert portcullis("erase", "--tenant", "local", "--yes", data_dir=tmp_path).returncode == 0
        assert client.get(f"/v1/research/{other}").status_code == 404
