"""The printed settings of every client start this installation's server over the folder that was named."""

from __future__ import annotations

import json
import os
import shlex
import tomllib

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from app.mcp_server.client_config import CLIENTS
from tests.doors.command import CLI, portcullis


def _started_by(client, told):
    """Command and arguments, from the format that the client reads."""
    match client:
        case "claude-code":
            words = shlex.split(told)
            assert words[:5] == ["claude", "mcp", "add", "portcullis", "--"]
            return words[5], words[6:]
        case "codex":
            entry = tomllib.loads(told)["mcp_servers"]["portcullis"]
        case "vscode":
            entry = json.loads(told)["servers"]["portcullis"]
            assert entry["type"] == "stdio"
        case "open-webui":
            words = shlex.split(told.splitlines()[0].removeprefix("Start the server: "))
            assert words[-3:] == ["--http", "--port", "8765"]
            assert "URL http://127.0.0.1:8765/mcp" in told
            return words[0], words[1:-3]
        case _:
            entry = json.loads(told)["mcpServers"]["portcullis"]
    return entry["command"], entry["args"]


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "my \U0001f4da docs"
    folder.mkdir()
    (folder / "lamp.md").write_text("# The lamp\n\nThe harbour lamp of Port Kelder has burned since 1887.\n")
    return folder


@pytest.mark.parametrize("client", CLIENTS)
def test_the_settings_have_the_paths_of_this_installation(tmp_path, docs, client):
    told = portcullis("mcp", "--print-config", client, "--docs", docs, data_dir=tmp_path)
    assert told.returncode == 0
    wanted = ["mcp", "--docs", str(docs), "--data-dir", str(tmp_path)]
    assert _started_by(client, told.stdout.decode()) == (str(CLI), wanted)


async def test_a_server_that_is_started_by_them_answers_from_the_documents(tmp_path, docs):
    told = portcullis("mcp", "--print-config", "claude-desktop", "--docs", docs, data_dir=tmp_path)
    command, arguments = _started_by("claude-desktop", told.stdout.decode())
    # The client's own environment: neither the folder nor the working directory of the shell.
    params = StdioServerParameters(command=command, args=arguments, env={"PATH": os.environ["PATH"]}, cwd="/")
    async with Client(params) as client:
        found = await client.call_tool("ask_documents", {"question": "Since when has the harbour lamp burned?"})
    assert "1887" in found.content[0].text
    assert (tmp_path / "audit.jsonl").exists()


def test_an_unknown_client_is_told_which_ones_there_are(tmp_path):
    told = portcullis("mcp", "--print-config", "emacs", data_dir=tmp_path)
    assert told.returncode == 2
    assert all(client.encode() in told.stderr for client in CLIENTS)


def _listening_at(client, told):
    """Where a client finds the server, and the key that it sends, from the format that the client reads."""
    match client:
        case "claude-code":
            words = shlex.split(told)
            assert words[:6] == ["claude", "mcp", "add", "--transport", "http", "portcullis"]
            return words[6], words[8] if words[7:8] == ["--header"] else None
        case "codex":
            entry = tomllib.loads(told)["mcp_servers"]["portcullis"]
            return entry["url"], entry.get("bearer_token_env_var")
        case "vscode":
            entry = json.loads(told)["servers"]["portcullis"]
            assert entry["type"] == "http"
        case "open-webui":
            url, _, key = told.splitlines()[-1].removeprefix("URL ").partition(", key ")
            return url, key or None
        case _:
            entry = json.loads(told)["mcpServers"]["portcullis"]
    return entry["url"], entry.get("headers", {}).get("Authorization")


@pytest.mark.parametrize("client", [client for client in CLIENTS if client != "claude-desktop"])
def test_the_settings_for_a_server_that_listens_have_its_address(tmp_path, docs, client):
    local = portcullis("mcp", "--print-config", client, "--http", "--port", "9000", "--docs", docs, data_dir=tmp_path)
    assert _listening_at(client, local.stdout.decode()) == ("http://127.0.0.1:9000/mcp", None)
    said = (local.stderr + local.stdout).decode()
    (start,) = (line for line in said.splitlines() if line.startswith("Start the server: "))
    wanted = [str(CLI), "mcp", "--docs", str(docs), "--data-dir", str(tmp_path), "--http", "--port", "9000"]
    assert shlex.split(start.removeprefix("Start the server: ")) == wanted
    far = ("--http", "--host", "192.0.2.1", "--name", "mcp.example.org", "--env", "prod")
    url, key = _listening_at(
        client, portcullis("mcp", "--print-config", client, *far, data_dir=tmp_path).stdout.decode()
    )
    assert (url, bool(key)) == ("https://mcp.example.org/mcp", True)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--port", "9000"), "--http"),
        (("--name", "mcp.example.org"), "--http"),
        (("--print-config", "cursor", "--host", "127.0.0.1"), "--http"),
        (("--print-config", "claude-desktop", "--http"), "Connectors"),
        (("--print-config", "cursor", "--http", "--port", "0"), "port"),
    ],
)
def test_options_that_would_be_forgotten_are_refused(tmp_path, words, why):
    told = portcullis("mcp", *words, data_dir=tmp_path, stdin=b"")
    assert (told.returncode, told.stdout) == (2, b"")
    assert why in told.stderr.decode()
