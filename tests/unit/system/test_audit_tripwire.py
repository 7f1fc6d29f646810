"""The tripwire by itself: what trips it, where it looks away, and that the host's own code is left alone."""

from __future__ import annotations

import asyncio
import contextvars
import os
import socket
import sqlite3
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

import app
from app.kernel.errors import OperationForbidden
from app.system.tripwire import install

WIRE = install()


def test_there_is_one_in_a_process():
    assert install() is WIRE


@pytest.mark.ruling("R16")
@pytest.mark.parametrize(
    "operation",
    [
        lambda: socket.socket(),
        lambda: socket.getaddrinfo("localhost", 80),
        lambda: subprocess.run(["true"]),
        lambda: os.system("true"),  # noqa: S605  never starts
        lambda: os.fork(),
        lambda: sqlite3.connect(":memory:"),
        lambda: threading.Thread(target=int).start(),
        lambda: sys.audit("portcullis.tool", "doc_lookup"),
        lambda: sys.audit("import", f"{app.__name__}.tools.anything", None),
        lambda: sys.audit("import", "urllib.request", None),
        lambda: os.open("never-made", os.O_WRONLY | os.O_CREAT),
    ],
    ids=["socket", "names", "process", "shell", "fork", "database", "thread", "tool", "import", "urllib", "file"],
)
def test_what_trips_it(operation):
    with pytest.raises(OperationForbidden, match="inside a session and outside a tool call"), WIRE.armed():
        operation()
    assert not os.path.exists("never-made")


def test_what_does_not(tmp_path):
    with WIRE.armed():
        assert (tmp_path.parent).is_dir()
        sys.audit("import", f"{app.__name__}.toolshed", None)
        sys.audit("import", "json.decoder", None)
        with open(__file__) as own, open(os.devnull, "w") as nothing:
            assert own.readline()
            assert nothing.writable()


@pytest.mark.ruling("R16")
def test_a_trip_that_a_room_hides_is_raised_at_the_end():
    with pytest.raises(OperationForbidden), WIRE.armed(), suppress(OperationForbidden):
        socket.socket()


def test_another_error_does_not_cover_a_trip():
    def room():
        with suppress(OperationForbidden):
            socket.socket()
        raise ValueError

    with pytest.raises(OperationForbidden), WIRE.armed():
        room()


def test_a_tool_call_and_the_host_are_left_alone():
    async def session(line):
        with WIRE.armed():
            with WIRE.tool_call():
                socket.socket().close()
            with pytest.raises(OperationForbidden), WIRE.armed():
                socket.socket()  # the wire is there; only the tool was let through
            await asyncio.wait_for(line.wait(), 5)
            return "ended"

    async def host():
        line = asyncio.Event()
        running = asyncio.create_task(session(line))
        await asyncio.sleep(0)
        # The session is open and armed; this is the host's own business.
        socket.socket().close()
        assert await (await asyncio.create_subprocess_exec("true")).wait() == 0
        aside = threading.Thread(target=lambda: socket.socket().close())
        aside.start()
        aside.join()
        line.set()
        assert await running == "ended"

    asyncio.run(host())


def test_a_port_runs_as_the_hosts_code():
    class Store:
        def plain(self, word):
            socket.socket().close()
            return word

        async def slow(self, word):
            await asyncio.sleep(0)
            socket.socket().close()
            return word

    async def session():
        store = WIRE.outside(Store())
        with WIRE.armed():
            assert store.plain("a") == "a"
            assert await store.slow(word="b") == "b"
        with pytest.raises(OperationForbidden), WIRE.armed():
            await Store().slow("c")

    asyncio.run(session())


def test_a_session_that_nobody_finishes_is_no_trouble():
    async def session():
        with WIRE.armed():
            await asyncio.sleep(0)

    left = session()
    contextvars.copy_context().run(left.send, None)
    left.close()  # in another context than it was begun in, as the collector does
    with pytest.raises(OperationForbidden), WIRE.armed():
        socket.socket()
