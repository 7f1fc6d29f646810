"""The HTTP door in a thread of the test process: real gate, real sockets, a key for an operator."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from pathlib import Path

import uvicorn

from app.chat.assembly import chat_app, open_chat_door
from app.chat.door import Reach
from app.system.clock import SystemClock
from app.wiring.key_guard import open_key_store
from tests.browser.demo_sessions import TENANT, demo_settings, gate_on
from tests.fixtures.web_world import open_world
from tests.fixtures.web_world.answers import answer_of

__all__ = ["DemoServer"]

_SEARCH = "searx.internal"


class DemoServer:
    """Serves one data folder; `gate` holds back the answers of the web search while it is closed."""

    def __init__(self, folder: Path, clock=None) -> None:
        self.folder = folder
        self.clock = clock or SystemClock()
        self.key = self.make_key("operator")
        self.url = ""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready = threading.Event()
        self._failed: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="demo-server")

    def __enter__(self):
        self._thread.start()
        self._ready.wait(60)
        if self._failed is not None or not self.url:
            raise RuntimeError("the server did not start") from self._failed
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._let_go)
        self._thread.join(60)

    def make_key(self, *scopes: str, tenant: str = TENANT) -> str:
        """A key that may do what its scopes say."""
        store = open_key_store(demo_settings(self.folder))
        return store.create(tenant, "operator", "MAX", ("documents",), (*scopes, "chat"))[1]

    def hold_search(self) -> None:
        """From now on the web search waits."""
        self._loop.call_soon_threadsafe(self._open.clear)

    def release_search(self) -> None:
        """The web search answers."""
        self._loop.call_soon_threadsafe(self._open.set)

    def _let_go(self) -> None:
        self._open.set()
        self._server.should_exit = True

    def _run(self) -> None:
        try:
            asyncio.run(self._served())
        except BaseException as exc:  # told to the thread that waits
            self._failed = exc
            self._ready.set()
            raise

    async def _search(self, asked, writer) -> None:
        await self._open.wait()
        writer.write(answer_of(_SEARCH, asked.target, asked.body))

    async def _served(self) -> None:
        self._loop, self._open = asyncio.get_running_loop(), asyncio.Event()
        self._open.set()
        settings = demo_settings(self.folder)
        async with (
            open_world({_SEARCH: self._search}) as world,
            gate_on(self.folder, self.clock, world=world) as router,
            open_chat_door(router, settings, Reach()) as door,
        ):
            app = chat_app(dataclasses.replace(door, clock=self.clock))
            config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", access_log=False)
            self._server = uvicorn.Server(config)
            serving = asyncio.create_task(self._server.serve())
            while not self._server.started and not serving.done():  # noqa: ASYNC110  it has no event to wait for
                await asyncio.sleep(0.02)
            self.url = f"http://127.0.0.1:{self._server.servers[0].sockets[0].getsockname()[1]}"
            self._ready.set()
            await serving
