"""The two ways in: stdio for a client that starts us, and streamable HTTP on an address of the operator's choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import uvicorn
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..kernel.request import Principal
from ..system.prompt_requests import PromptRequests
from ..system.reachable import LOOPBACK, bound, is_every_address
from ..wiring.key_guard import KeyGuard
from .key_access import KeyAccess
from .process_border import HttpBorder
from .sdk_logs import log_places_only
from .short_refusals import ShortRefusals

__all__ = ["MCP_PATH", "McpConnection", "http_app", "serve_http", "serve_stdio"]

MCP_PATH: Final = "/mcp"
_BODY_BYTES: Final = 1_000_000
_IDLE_S: Final = 1_800.0
_SESSIONS: Final = 1_000


async def serve_stdio(server: Server[Any]) -> None:
    """Serve the client at the other end of stdin and stdout until it closes them."""
    log_places_only()
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def http_app(
    server: Server[Any], guard: KeyGuard, local: Principal | None, host: str, names: tuple[str, ...] = ()
) -> Any:
    """The ASGI app; `names` are hosts by which it is reached beyond loopback."""
    hosts = [f"{name}{port}" for name in (*_literal(host), *map(_in_url, names)) for port in ("", ":*")]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[f"{scheme}://{name}" for name in hosts for scheme in ("http", "https")],
    )
    app = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        transport_security=security,
        host=host,
        max_request_body_size=_BODY_BYTES,
        session_idle_timeout=_IDLE_S,
        max_sessions=_SESSIONS,
    )
    return HttpBorder(KeyAccess(ShortRefusals(app), guard, local))


async def serve_http(app: Any, host: str, port: int, ready: Callable[[int], None]) -> None:
    """Serve until a signal; `ready` is told the port.

    Raises:
        RequestInvalid: the address cannot be listened on.
    """
    log_places_only()
    config = uvicorn.Config(
        app,
        http=McpConnection,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        lifespan="on",
        proxy_headers=False,
        server_header=False,
    )
    listener = _Listener(config, ready)
    await listener.serve([bound(config.bind_socket, host, port)])


class McpConnection(PromptRequests, H11Protocol):
    """A connection of this server."""


class _Listener(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[int], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready(self.servers[0].sockets[0].getsockname()[1])


def _literal(host: str) -> tuple[str, ...]:
    """The address that is listened on, as requests name it."""
    if host in LOOPBACK:
        return ("127.0.0.1", "localhost", "[::1]")
    return () if is_every_address(host) else (_in_url(host),)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host.lower()
