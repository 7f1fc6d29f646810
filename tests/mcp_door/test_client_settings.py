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
            assert "http://127.0.0.1:8765/mcp" in told
            return words[0], words[1:-3]
        case _:
            entry = json.loads(told)["mcpServers"]["portcullis"]
    return entry["command"], entry["args"]


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "my docs"
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
