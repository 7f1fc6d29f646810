"""Starts the real HTTP server in a process of its own, makes keys for it, and asks it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import httpx2

from app.system.clock import SystemClock
from app.system.data_folder import KEYS_FILE, open_data_folder
from app.system.stores.keys.sqlite import KeyStore
from tests.doors.command import CLI, ROOT

__all__ = ["SCRIPTED", "Served", "events_of", "make_key", "served"]

SCRIPTED = (sys.executable, "-m", "tests.chat.scripted_server")
_WHERE = re.compile(r"serving HTTP on (http://\S+)")


class Served:
    """A server that is up: where it is, what it has said on stderr, and clients with keys."""

    def __init__(self, url, data, process, said):
        self.url, self.data, self.process, self.said = url, data, process, said
        self._clients = []

    def client(self, user="ann", **more):
        """A client with a key of its own."""
        client = httpx2.Client(base_url=self.url, headers=bearer(make_key(self.data, user, **more)), timeout=180)
        self._clients.append(client)
        return client

    def anonymous(self):
        """A client without a key."""
        client = httpx2.Client(base_url=self.url, timeout=180)
        self._clients.append(client)
        return client

    def stop(self, number=signal.SIGINT, wait_s=60):
        """End it as an operator would; gives what it said."""
        for client in self._clients:
            client.close()
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.wait(wait_s)
        return "".join(self.said)


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


def make_key(data, user="ann", *, tenant="local", tier="MAX", scopes=("chat",), **more):
    """The text of a new key."""
    open_data_folder(data)
    return KeyStore(data / KEYS_FILE, SystemClock()).create(tenant, user, tier, ("documents",), scopes, **more)[1]


@contextmanager
def served(data, *words, program=(str(CLI),), **environ):
    """The real server until the block is left."""
    env = {"PATH": os.environ["PATH"], "HOME": str(data), "PORTCULLIS_DATA": str(data), **environ}
    process = subprocess.Popen(
        [*program, "serve", "--port", "0", *words], env=env, cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    said, url, up = [], [], threading.Event()

    def read():
        for line in process.stderr:
            said.append(line)
            found = _WHERE.search(line)
            if found:
                url.append(found[1])
                up.set()
        up.set()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    up.wait(60)
    if not url:
        process.kill()
        process.wait()
        raise RuntimeError(f"the server did not start: {''.join(said)}")
    one = Served(url[0], Path(data), process, said)
    try:
        yield one
    finally:
        one.stop()
        reader.join(10)
        if not reader.is_alive():  # a process that was left behind holds the pipe; a close would wait for it
            process.stderr.close()


def events_of(text):
    """Server-sent events as (name, data), without comments; `[DONE]` stays a text."""
    found = []
    for block in text.split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith(":")]
        name = next((line.removeprefix("event: ") for line in lines if line.startswith("event: ")), "")
        data = "\n".join(line.removeprefix("data: ") for line in lines if line.startswith("data: "))
        if data:
            found.append((name, data if data == "[DONE]" else json.loads(data)))
    return found
