"""The listener: opens gate and door inside the server's own loop, and serves until a signal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import uvicorn
from opentelemetry import metrics
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess

from ..kernel.document_index import Collection
from ..kernel.errors import ResearchError
from ..research.router import Router
from ..system.data_folder import METERS_FOLDER, open_data_folder
from ..system.parent_process import ParentProcess
from ..system.prompt_requests import PromptRequests
from ..system.reachable import bound
from ..system.settings import Settings
from .asgi import App, Receive, Scope, Send
from .assembly import chat_app, open_chat_door
from .background_work import chores_done
from .door import Reach
from .json_log import log_requests
from .meters import ServerMeters
from .shared_meters import SharedMeters
from .stop_signals import close_on_signals

__all__ = ["ChatConnection", "GateOfServer", "ServedGate", "serve_chat"]

_AFTER_GRACE_S: Final = 10
_BACKLOG: Final = 2_048


class GateOfServer(Protocol):
    """How the gate of a server is opened."""

    def __call__(
        self, documents: Collection | None, *, settings: Settings, collections: Mapping[str, Path] = ...
    ) -> AbstractAsyncContextManager[Router]: ...


@dataclass
class ServedGate:
    """An ASGI app that opens its gate when the server starts and closes it when the server ends."""

    gate: GateOfServer
    documents: Collection | None
    settings: Settings
    reach: Reach
    collections: Mapping[str, Path]
    """Further tenants with documents of their own."""
    app: App | None = None
    failed: ResearchError | None = None
    """Why the gate could not be opened."""
    parent: ParentProcess | None = None
    """Who starts the processes that serve, where there are several."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Open and close on the server's word, and hand requests on."""
        if scope["type"] == "lifespan":
            await self._lived(receive, send)
        elif self.app is not None:
            await self.app(scope, receive, send)

    async def _lived(self, receive: Receive, send: Send) -> None:
        await receive()
        log_requests(self.settings.serve.log)
        meters = ServerMeters()
        metrics.set_meter_provider(meters)
        async with AsyncExitStack() as held:
            try:
                router = await held.enter_async_context(self._opened())
                door = await held.enter_async_context(open_chat_door(router, self.settings, self.reach, meters))
            except ResearchError as exc:
                self.failed = exc
                await send({"type": "lifespan.startup.failed", "message": str(exc)})
                return
            await held.enter_async_context(chores_done(door, self.parent))
            close_on_signals(door)
            self.app = chat_app(door)
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    def _opened(self) -> AbstractAsyncContextManager[Router]:
        if self.collections:
            return self.gate(self.documents, settings=self.settings, collections=self.collections)
        return self.gate(self.documents, settings=self.settings)


def serve_chat(served: ServedGate, ready: Callable[[int], None]) -> None:
    """Serve until a signal; `ready` is told the port as soon as connections are taken.

    Raises:
        ResearchError: the gate cannot be opened.
        RequestInvalid: the address cannot be listened on.
    """
    serve = served.settings.serve
    config = uvicorn.Config(
        served,
        http=ChatConnection,
        host=served.reach.host,
        port=serve.port,
        workers=serve.workers,
        log_level="error",
        access_log=False,
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=serve.shutdown_grace_s + _AFTER_GRACE_S,
    )
    # First the address: a second server that was started by mistake must not give up the requests of the first.
    socket = bound(config.bind_socket, served.reach.host, serve.port)
    data = open_data_folder(served.settings.data_dir)
    SharedMeters.begin_anew(data / METERS_FOLDER)
    if serve.workers > 1:
        socket.listen(_BACKLOG)  # who connects before the first process is up waits
        ready(socket.getsockname()[1])
        served.parent = ParentProcess()
        Multiprocess(config, [socket]).run()
        return
    asyncio.run(_ChatListener(config, ready).serve([socket]))
    if served.failed is not None:
        raise served.failed


class ChatConnection(PromptRequests, H11Protocol):
    """A connection of this server."""


class _ChatListener(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[int], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready(self.servers[0].sockets[0].getsockname()[1])
