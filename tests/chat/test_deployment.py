"""Settings and deployment: what cannot be used is told at once, and a server that starts can be reached."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from tests.chat.scripted_server import CANARY
from tests.chat.serving import SCRIPTED, make_key, served
from tests.doors.command import ROOT, portcullis

EVERY = "0.0.0.0"  # noqa: S104  what the image listens on


def test_config_check_names_everything_that_cannot_be_used_at_once(tmp_path):
    text = (
        'env = "prod"\nresearch = "perhaps"\nprot = 1\n'
        '[serve]\nhost = "0.0.0.0"\nport = 70000\nworkers = "many"\nprt = 1\n'
        '[model]\nname = "m"\n[search_routing]\nweb = ["nobody"]\nnews = ["nowhere"]\n'
        f'[keys]\nBRAVE = "{CANARY}\\u0007"\n'
    )
    config = tmp_path / "portcullis.toml"
    config.write_text(text, encoding="utf-8")
    done = portcullis("config", "check", "--config", config, data_dir=tmp_path)
    assert done.returncode == 2
    said = done.stderr.decode()
    named = ("RESEARCH", "`prot`", "`serve.prt`", "SERVE_PORT", "SERVE_WORKERS", "SERVE_NAMES", "MODEL_URL", "nobody")
    assert [word for word in (*named, "nowhere", "BRAVE", "10 settings") if word not in said] == []
    assert CANARY not in said


def test_config_check_names_what_nothing_reads(tmp_path):
    config = tmp_path / "portcullis.toml"
    config.write_text('[keys]\nBRAVE = "k"\nBRAEV = "k"\n[urls]\nSEARX = "http://127.0.0.1:8888"\n', encoding="utf-8")
    given = {"PORTCULLIS_SERVE_PROT": "8080", "PORTCULLIS_KEY_OPENALEX": "k", "PORTCULLIS_CONFIG": str(config)}
    for words in (("--json",), ()):
        done = portcullis("config", "check", *words, data_dir=tmp_path, env=given)
        assert done.returncode == 0
        said = [line.split()[3].rstrip(":") for line in done.stderr.decode().splitlines() if "nothing here" in line]
        assert said == ["PORTCULLIS_KEY_BRAEV", "PORTCULLIS_SERVE_PROT", "PORTCULLIS_URL_SEARX"]
        if words:
            assert json.loads(done.stdout)["unread"] == said


@pytest.mark.parametrize("host", [EVERY, "::", "[::]", ""])
def test_a_server_that_nobody_could_reach_does_not_start(tmp_path, host):
    given = {"PORTCULLIS_ENV": "prod"}
    done = portcullis("serve", "--port", "0", "--host", host, data_dir=tmp_path, env=given)
    assert done.returncode == 2
    assert done.stdout == b""
    assert len(done.stderr.splitlines()) == 1
    assert b"--name or PORTCULLIS_SERVE_NAMES" in done.stderr
    done = portcullis("mcp", "--http", "--port", "0", "--host", host, data_dir=tmp_path, env=given)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert b"with --name" in done.stderr


@pytest.mark.parametrize("name", ["https://chat.example.org", "chat.example.org:8080", "chat.example.org/", EVERY])
def test_a_name_that_no_request_can_carry_is_refused(tmp_path, name):
    given = {"PORTCULLIS_ENV": "prod", "PORTCULLIS_SERVE_NAMES": name}
    done = portcullis("serve", "--port", "0", "--host", EVERY, data_dir=tmp_path, env=given)
    assert (done.returncode, name.encode() in done.stderr) == (2, True)


@pytest.mark.parametrize("words", [("serve",), ("serve", "--workers", "2"), ("mcp", "--http")], ids=" ".join)
def test_an_address_that_is_taken_is_told_in_one_line(tmp_path, words):
    with served(tmp_path / "one", program=SCRIPTED) as one:
        port = one.url.rpartition(":")[2]
        done = portcullis(*words, "--port", port, data_dir=tmp_path / "two")
    assert done.returncode == 2
    said = done.stderr.decode().splitlines()
    assert said[-1] == f"portcullis: cannot listen on `127.0.0.1`, port {port}: address already in use"
    assert [line for line in said[:-1] if "sample documents" not in line] == []


def test_the_image_is_reached_by_the_name_that_is_set(tmp_path):
    """What the image sets, and the health check that it runs, against a server of this machine."""
    image = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    (block,) = re.findall(r"^ENV ((?:.+\\\n)*.+)$", image, re.MULTILINE)
    given = dict(re.findall(r"(PORTCULLIS_\w+)=(\S+)", block))
    assert given.pop("PORTCULLIS_DATA") == "/var/lib/portcullis"
    check = json.loads(re.search(r"^HEALTHCHECK .* CMD (\[.+\])$", image, re.MULTILINE)[1])
    refused = portcullis("serve", "--port", "0", data_dir=tmp_path, env=given)
    assert (refused.returncode, b"PORTCULLIS_SERVE_NAMES" in refused.stderr) == (2, True)
    given["PORTCULLIS_SERVE_NAMES"] = "chat.example.org, localhost"
    with served(tmp_path, program=SCRIPTED, **given) as one:
        port = one.url.rpartition(":")[2]
        url = f"http://127.0.0.1:{port}"
        key = {"Authorization": f"Bearer {make_key(tmp_path)}"}
        for name, status in (("localhost", 200), ("chat.example.org", 200), (EVERY, 421), ("127.0.0.1", 421)):
            assert httpx2.get(f"{url}/v1/models", headers={**key, "Host": name}).status_code == status, name
        words = [sys.executable, *(word.replace(":8080", f":{port}") for word in check[1:])]
        assert check[0] == "python"
        assert subprocess.run(words, env=given, check=False).returncode == 0
        assert subprocess.run(words, env={"PORTCULLIS_SERVE_NAMES": "other.example"}, check=False).returncode != 0


def test_the_dockerfile_passes_a_linter():
    """hadolint, from PyPI; no image is built here."""
    linter = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([linter, "--no-color", ROOT / "deploy" / "Dockerfile"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    wrong = subprocess.run([linter, "-"], input="FROM debian\nRUN sudo cd /\n", capture_output=True, text=True)
    assert wrong.returncode == 1
