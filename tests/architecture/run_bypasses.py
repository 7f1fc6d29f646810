"""Runs bypasses for real: python -m tests.architecture.run_bypasses armed|free ID ... prints what became of each."""

from __future__ import annotations

import asyncio
import inspect
import json
import socket
import sys
import tempfile
import threading
from contextlib import nullcontext
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from typing import Any

from tests.architecture.corpus import Bypass, read_corpus

from app import Settings, open_gate
from app.kernel.calls import CallContext, ToolCall
from app.kernel.errors import OperationForbidden
from app.system.clock import SystemClock
from app.system.contract_files import samples_dir
from app.system.stores.content.memory import MemoryStore
from app.system.tripwire import install
from app.wiring import prepare_documents

SEEN: list[str] = []


class _Server(ThreadingHTTPServer):
    """Notes every connection, used or not."""

    def process_request(self, request: Any, client_address: Any) -> None:
        SEEN.append("connection")
        super().process_request(request, client_address)


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *words: object) -> None:
        """Quiet."""


@dataclass(frozen=True)
class World:
    """What a bypass would have at hand in a running session."""

    router: Any
    parts: tuple[Any, ...]
    """What a toolbox is opened with."""
    port: int
    file: str
    line: socket.socket
    """Connected before the session; its other end is with whoever runs the bypass."""
    call = ToolCall(call_id="aside", tool="doc_lookup", params=(("query", "sourdough"),))
    context = CallContext(tenant="local", collection="documents", own_deadline_ms=10_000, max_output_bytes=200_000)
    protocol = asyncio.Protocol

    def connect(self) -> socket.socket:
        """A plain connection, for bypasses that are about where the code runs."""
        return socket.create_connection(("127.0.0.1", self.port))


async def run_one(bypass: Bypass, world: World, armed: bool) -> str:
    """Load it as a module at its place and let it reach for what it wants."""
    place = PurePosixPath(bypass.place)
    package = ".".join(place.parent.parts).removeprefix("backend.") if "app" in place.parts else ""
    room: dict[str, Any] = {"__name__": f"{package}.{place.stem}".strip("."), "__package__": package}
    # What the bypass brings home stays alive, so that nothing is closed in the middle of the next one.
    kept = []
    try:
        with install().armed() if armed else nullcontext():
            code = compile(bypass.source, bypass.place, "exec", dont_inherit=True)
            exec(code, room)  # noqa: S102  the corpus is our own
            found = room["reach"](world)
            kept.append(await found if inspect.isawaitable(found) else found)
        if "after" in room:
            # The session is over; what it left behind goes on in the host's loop.
            kept[:] = [await room["after"](world)]
    except OperationForbidden as exc:
        return f"refused {exc}"
    except Exception as exc:  # noqa: BLE001  whatever it is, the report says it
        return f"failed {type(exc).__name__}: {exc}"
    return "reached" if kept[0] else "failed to find anything"


async def run_all(mode: str, ids: list[str]) -> dict[str, dict[str, Any]]:
    """One after the other, each in a task of its own, as sessions are."""
    server = _Server(("127.0.0.1", 0), _Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    report = {}
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder) / "data")
        collection, _ = prepare_documents(samples_dir(), settings)
        parts = (settings, (collection,), SystemClock(), MemoryStore())
        async with open_gate(collection, settings=settings, tripwire=True) as router:
            for bypass in read_corpus():
                if bypass.id in ids:
                    file = Path(folder) / bypass.id
                    line, far_end = socket.socketpair()
                    far_end.setblocking(False)
                    world = World(router, parts, server.server_port, str(file), line)
                    before = len(SEEN)
                    task = asyncio.create_task(run_one(bypass, world, mode == "armed"))
                    end = await asyncio.wait_for(task, 30)
                    await asyncio.sleep(0.02)  # a connection that was made is noticed by now
                    effect = len(SEEN) > before or file.exists() or _heard(far_end)
                    line.close()
                    far_end.close()
                    report[bypass.id] = {"end": end, "effect": effect, "workers": _workers(router)}
    server.shutdown()
    return report


def _heard(far_end: socket.socket) -> bool:
    try:
        return bool(far_end.recv(1))
    except BlockingIOError:
        return False


def _workers(router: Any) -> int:
    """How many workers were asked; they are started with the gate."""
    pool = router._adapter._toolbox["doc_lookup"]._pool
    return sum(worker.calls > 0 for worker in (*pool._idle, *pool._busy))


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run_all(sys.argv[1], sys.argv[2:]))))
