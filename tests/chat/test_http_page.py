"""docs/http.md, followed literally: its request, its client, and the route of a backend of one's own."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import httpx2
import pytest

from app.chat.bodies import BODY_BYTES_MAX
from app.wiring.key_guard import REQUESTS_PER_MINUTE
from tests.chat.serving import make_key, served
from tests.doors.command import ROOT

PAGE = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("page")) as one:
        yield one


def _block(language, word):
    (found,) = [text for kind, text in BLOCKS if kind == language and word in text]
    return found


def test_the_request_of_the_page_is_answered(server):
    reply = server.client().post("/v1/chat", content=_block("json", "message")).json()
    assert (reply["conversation_id"], reply["action"]) == ("c-17", "GROUNDED")


def test_the_client_of_the_page_prints_a_cited_answer(server):
    code = _block("python", "openai").replace("http://127.0.0.1:8080", server.url)
    code = code.replace("api_key=KEY", f"api_key={make_key(server.data, 'page')!r}")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "[1]" in done.stdout
    assert f"{server.url}/v1/research/" in done.stdout
    assert "/sources/1" in done.stdout


def test_the_route_of_a_backend_of_ones_own_answers(tmp_path):
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "ferry.md").write_text("# Ferry\n\nThe ferry leaves at eight from the north quay.\n")
    code = _block("python", "FastAPI")
    assert len([line for line in code.splitlines() if line.strip() and not line.startswith(("from", "import"))]) <= 10
    (tmp_path / "backend.py").write_text(code, encoding="utf-8")
    run = [sys.executable, "-m", "uvicorn", "backend:app", "--port", "0", "--log-level", "info"]
    env = {"PATH": "", "HOME": str(tmp_path), "PORTCULLIS_DATA": str(tmp_path / "data")}
    backend = subprocess.Popen(run, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True)
    try:
        url = next(found[1] for line in backend.stderr if (found := re.search(r"running on (http://\S+)", line)))
        result = httpx2.post(f"{url}/ask", params={"question": "When does the ferry leave?"}, timeout=60).json()
        assert "The ferry leaves at eight" in result["answer"]
        assert result["citations"][0]["evidence"]
    finally:
        backend.terminate()
        backend.wait(30)
        backend.stderr.close()


def test_every_path_of_the_page_is_in_the_document_and_the_other_way_round(server):
    document = server.client(scopes=("chat", "operator")).get("/openapi.json").json()
    table = PAGE.split("| path | what |", 1)[1].split("\n\n", 1)[0]
    named = set(re.findall(r"(?<![.\w}])(/v1/[a-z/{}]+|/[a-z]+(?:\.json)?)`", table))
    named |= {f"/v1/research/{{id}}{rest}" for rest in re.findall(r"`\.\.\.(/[a-z/{}]+)`", table)}
    told = set()
    for path in document["paths"]:
        plain = path.replace("{request_id}", "{id}").replace("{number}", "{n}").replace("{model}", "{id}")
        told.add("/v1/capabilities/{name}" if re.match(r"/v1/capabilities/\w", plain) else plain)
    assert len(told) > 12
    assert told - named == set()
    assert named - told == {"/openapi.json", "/console"}


def test_numbers_of_the_page_are_those_of_the_code():
    assert f"more than {REQUESTS_PER_MINUTE} requests of one key in a minute" in PAGE
    assert BODY_BYTES_MAX == 1_000_000
    assert "longer than 1 MB" in PAGE
    assert json.loads(_block("json", "message"))["message"]
