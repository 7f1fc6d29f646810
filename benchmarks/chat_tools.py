"""Tools on loopback for the HTTP benchmark: a server that takes its time, the gate that asks it, and a bare app beside.

`python -m benchmarks.chat_tools tools MS` is the tools' server, `... serve ...` the real HTTP door whose documents are
looked up there, and `bare_app` a FastAPI app that makes the same calls with nothing in between.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from typing import Any

from fastapi import FastAPI, Request

from app.cli.main import create_app, main
from app.kernel.results import RawResult, SourceKind, text_item
from app.wiring import open_gate

__all__ = ["CALLS", "QUESTION", "bare_app", "bench_gate"]

QUESTION = "How long does the ferry take to cross the sound?"
CALLS = 2
"""What a research request with this question makes, one after the other."""
_TEXT = "# The ferry\n\nThe ferry takes forty minutes to cross the sound. It leaves from the north quay at eight.\n" + (
    "Boats of the line keep to the lane between the buoys, and the tide decides how wide they swing.\n" * 20
)
_PORT = "CHAT_BENCH_TOOLS"


async def serve_tools(takes_ms: int) -> None:
    """Answers every line with the text, after a while."""
    body = _TEXT.encode()
    said = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):  # who asked was killed
            while await reader.readline():
                while (await reader.readline()).strip():
                    pass
                await asyncio.sleep(takes_ms / 1000)
                writer.write(said)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=4_096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


class LoopbackTools:
    """Connections to the tools' server, kept open between calls."""

    def __init__(self, port: int | None = None) -> None:
        self._port = port or int(os.environ[_PORT])
        self._free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def text(self) -> str:
        """One call."""
        line = self._free.pop() if self._free else await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = line
        writer.write(b"GET / HTTP/1.1\r\nHost: tools\r\n\r\n")
        length = 0
        while head := (await reader.readline()).strip():
            if head.lower().startswith(b"content-length:"):
                length = int(head.partition(b":")[2])
        body = await reader.readexactly(length)
        self._free.append(line)
        return body.decode()


class LoopbackLookup:
    """Looks documents up on loopback."""

    def __init__(self, port: int | None = None) -> None:
        self._tools = LoopbackTools(port)

    async def call(self, call: Any, context: Any) -> RawResult:
        """The text as one passage."""
        item = text_item(
            "doc:documents/ferry.md#0-90", await self._tools.text(), kind=SourceKind.PASSAGE, title="Ferry"
        )
        return RawResult(status="ok", items=(item,), spent_units=1)


class NothingFound:
    """A tool that nobody asks."""

    async def call(self, call: Any, context: Any) -> RawResult:
        """Nothing."""
        return RawResult(status="empty", spent_units=1)


def bench_gate(documents: Any, *, settings: Any, collections: Any = None, port: int | None = None) -> Any:
    """The real gate over tools on loopback."""
    toolbox = {"doc_lookup": LoopbackLookup(port), "scrape_page": NothingFound(), "services": NothingFound()}
    return open_gate(documents, settings=settings, toolbox=toolbox, tripwire=True)


def bare_app() -> FastAPI:
    """A backend that calls the tools and hands on what they say."""
    app, held = FastAPI(), []

    @app.post("/v1/chat")
    async def chat(request: Request) -> dict[str, Any]:
        asked = await request.json()
        tools = held[0] if held else held.append(LoopbackTools()) or held[0]
        texts = [await tools.text() for _ in range(CALLS)]
        return {
            "id": "x",
            "text": asked["message"],
            "sources": [{"number": 1, "excerpt": text[:500]} for text in texts],
        }

    return app


if __name__ == "__main__":
    if sys.argv[1] == "tools":
        asyncio.run(serve_tools(int(sys.argv[2])))
    else:
        main(create_app(bench_gate))
