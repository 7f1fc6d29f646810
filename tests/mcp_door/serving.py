"""Starts the real MCP server in a process of its own and finds out where it listens."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.doors.command import CLI, ROOT

__all__ = ["WORLD", "client_of", "environment", "http_server", "stdio_client"]

WORLD = (sys.executable, "-m", "tests.fixtures.web_world")
_WHERE = re.compile(rb"serving MCP on (http://\S+)")


def environment(data_dir, **more):
    return {"PATH": os.environ["PATH"], "HOME": str(data_dir), "PORTCULLIS_DATA": str(data_dir), **more}


@contextmanager
def http_server(data_dir, *words, program=(str(CLI),), said=None, **more):
    """The URL of a server that is up; what it says on stderr is added to `said` when it has ended."""
    server = subprocess.Popen(
        [*program, "mcp", "--http", "--port", "0", *words],
        env=environment(data_dir, **more),
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    try:
        for line in server.stderr:
            found = _WHERE.search(line)
            if found is not None:
                break
        else:
            raise RuntimeError("the server did not start")
        yield found[1].decode()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)
        if said is not None:
            said.append(server.stderr.read().decode())
        server.stderr.close()


@asynccontextmanager
async def client_of(url, mode="auto", key=None):
    """The official client over HTTP."""
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


def stdio_client(data_dir: Path, mode="auto", program=(str(CLI),), words=()):
    """The official client over stdio."""
    command, *before = program
    server = StdioServerParameters(
        command=command, args=[*before, "mcp", *words], env=environment(data_dir), cwd=str(ROOT)
    )
    return Client(server, mode=mode)
