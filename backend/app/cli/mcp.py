"""`portcullis mcp`: serves MCP clients over stdio or HTTP."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..kernel.document_index import Collection
from ..kernel.errors import RequestInvalid
from ..kernel.request import Principal
from ..mcp_server.assembly import open_door
from ..mcp_server.client_config import CLIENTS, http_client_config, started_client_config
from ..mcp_server.transports import MCP_PATH, http_app, serve_http, serve_stdio
from ..system.contract_files import samples_dir
from ..system.reachable import LOOPBACK, check_reach
from ..system.settings import Settings, settings_from
from ..wiring.document_setup import documents_ready
from ..wiring.key_guard import KeyGuard
from .exits import Exit
from .gates import GateOpener
from .options import chosen_settings
from .principal import local_principal

__all__ = ["McpOptions", "print_client_config", "serve_mcp"]


_HOST: Final = "127.0.0.1"
_PORT: Final = 8765


@dataclass(frozen=True, slots=True)
class McpOptions:
    """How to serve; None is what was not said."""

    http: bool
    said_host: str | None
    said_port: int | None
    names: tuple[str, ...]
    tier: str

    @property
    def host(self) -> str:
        """Where to listen."""
        return _HOST if self.said_host is None else self.said_host

    @property
    def port(self) -> int:
        """The port there; 0 for a free one."""
        return _PORT if self.said_port is None else self.said_port

    @property
    def listens(self) -> bool:
        """True if something was said that only a server which listens can do."""
        return self.said_host is not None or self.said_port is not None or bool(self.names)

    @property
    def local(self) -> bool:
        """True if only this machine can ask; a name is for clients that come from elsewhere, through a proxy."""
        return self.host in LOOPBACK and not self.names


def serve_mcp(options: McpOptions, gate: GateOpener, docs: Path | None, env: str | None, data_dir: Path | None) -> Exit:
    """Serve until the client leaves, or until Ctrl-C.

    Raises:
        RequestInvalid: an option cannot be used.
    """
    settings = chosen_settings(data_dir, env)
    if options.listens and not options.http:
        raise RequestInvalid("--host, --port and --name are for --http: without it the server talks over stdio")
    if options.http and not options.local and settings.environment == "dev":
        raise RequestInvalid("beyond loopback, or with --name, `dev` is refused: set --env prod or staging")
    if options.http:
        check_reach(options.host, options.names, "--name")
    asyncio.run(_served(options, gate, docs, settings))
    return Exit.GROUNDED


def print_client_config(
    client: str, options: McpOptions, docs: Path | None, env: str | None, data_dir: Path | None
) -> Exit:
    """Print what a client has to be told: how to start the server, or with `--http` where it listens.

    Raises:
        RequestInvalid: there is no such client, or it cannot use such a server.
    """
    if client not in CLIENTS:
        raise RequestInvalid(f"client `{client}` is not one of {', '.join(CLIENTS)}")
    words: list[str] = []
    # A client starts the server in an environment of its own, so a folder that this shell has chosen must be said.
    chosen = chosen_settings(data_dir).data_dir
    folder = None if chosen == settings_from({"HOME": str(Path.home())}).data_dir else chosen
    for name, value in (("--docs", docs), ("--data-dir", folder)):
        if value is not None:
            words += [name, str(value.absolute())]
    words += [] if options.tier == "PRO" else ["--tier", options.tier]
    words += [] if env is None else ["--env", env]
    command = os.path.abspath(sys.argv[0])
    if options.http or client == "open-webui":
        if options.port == 0:
            raise RequestInvalid("a client needs a port that stays the same")
        told = http_client_config(client, _url(options), with_key=not options.local)
        started = f"Start the server: {shlex.join((command, 'mcp', *words, *_listening(options)))}\n"
        # What belongs into a file of the client stands alone on stdout.
        (sys.stdout if client == "open-webui" else sys.stderr).write(started)
    elif options.listens:
        raise RequestInvalid("--host, --port and --name are for --http")
    else:
        told = started_client_config(client, command, tuple(words))
    if docs is None:
        sys.stderr.write("no --docs given: the server will offer the sample documents about bread\n")
    sys.stdout.write(told + "\n")
    return Exit.GROUNDED


def _listening(options: McpOptions) -> list[str]:
    words = ["--http", "--port", str(options.port)]
    words += [] if options.said_host is None else ["--host", options.host]
    return words + [word for name in options.names for word in ("--name", name)]


def _url(options: McpOptions) -> str:
    """Where a client finds the server: under its first name, through a proxy that speaks TLS, or at its address."""
    if options.names:
        return f"https://{options.names[0]}{MCP_PATH}"
    return f"http://{_shown(options.host)}:{options.port}{MCP_PATH}"


async def _served(options: McpOptions, gate: GateOpener, docs: Path | None, settings: Settings) -> None:
    # Stdout belongs to the protocol: everything for a person goes to stderr.
    if docs is None:
        sys.stderr.write("no --docs given: serving the sample documents about bread\n")
    collection: Collection = (await documents_ready(docs or samples_dir(), settings))[0]
    local = local_principal(options.tier)
    async with gate(collection, settings=settings) as router:
        if not options.http:
            await serve_stdio(open_door(router, settings, local))
            return
        known: Principal | None = local if options.local else None
        guard = KeyGuard(settings)
        try:
            app = http_app(open_door(router, settings, known), guard, known, options.host, options.names)
            await serve_http(app, options.host, options.port, lambda port: _say_where(options.host, port))
        finally:
            guard.close()


def _say_where(host: str, port: int) -> None:
    sys.stderr.write(f"serving MCP on http://{_shown(host)}:{port}{MCP_PATH}\n")
    sys.stderr.flush()


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
