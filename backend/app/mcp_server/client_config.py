"""What to write into the settings of an MCP client: how to start this server, or where it listens."""

from __future__ import annotations

import json
import shlex
from typing import Final

from ..kernel.errors import RequestInvalid

__all__ = ["CLIENTS", "http_client_config", "started_client_config"]

CLIENTS: Final = ("claude-desktop", "claude-code", "cursor", "vscode", "codex", "open-webui")
_NAME: Final = "portcullis"
_KEY: Final = "KEY"
_KEY_VARIABLE: Final = "MCP_KEY_PORTCULLIS"


def started_client_config(client: str, command: str, arguments: tuple[str, ...]) -> str:
    """For a client that starts the server itself and talks to it over stdio.

    Raises:
        RequestInvalid: the client starts no servers.
    """
    words = ("mcp", *arguments)
    entry = {"command": command, "args": list(words)}
    match client:
        case "claude-code":
            return f"claude mcp add {_NAME} -- {shlex.join((command, *words))}"
        case "vscode":
            return _json({"servers": {_NAME: {"type": "stdio", **entry}}})
        case "codex":
            listed = ", ".join(_toml(word) for word in words)
            return f"[mcp_servers.{_NAME}]\ncommand = {_toml(command)}\nargs = [{listed}]"
        case "open-webui":
            raise RequestInvalid("Open WebUI starts no servers: it takes one that listens, with --http")
        case _:
            return _json({"mcpServers": {_NAME: entry}})


def http_client_config(client: str, url: str, *, with_key: bool) -> str:
    """For a client of a server that listens.

    Raises:
        RequestInvalid: the client has no file for servers that listen.
    """
    headers = {"Authorization": f"Bearer {_KEY}"} if with_key else {}
    entry = {"url": url, **({"headers": headers} if headers else {})}
    match client:
        case "claude-desktop":
            raise RequestInvalid("Claude Desktop takes a server that listens in Settings > Connectors only")
        case "claude-code":
            header = f' --header "Authorization: Bearer {_KEY}"' if with_key else ""
            return f"claude mcp add --transport http {_NAME} {url}{header}"
        case "vscode":
            return _json({"servers": {_NAME: {"type": "http", **entry}}})
        case "codex":
            key = f"\nbearer_token_env_var = {_toml(_KEY_VARIABLE)}" if with_key else ""
            return f"[mcp_servers.{_NAME}]\nurl = {_toml(url)}{key}"
        case "open-webui":
            key = f", key {_KEY}" if with_key else ""
            return (
                f"In Open WebUI: Admin Settings > External Tools > Add, type `MCP (Streamable HTTP)`,\nURL {url}{key}"
            )
        case _:
            return _json({"mcpServers": {_NAME: entry}})


def _json(told: object) -> str:
    return json.dumps(told, indent=2, ensure_ascii=False)


def _toml(text: str) -> str:
    """A basic string: TOML has the escapes of JSON, but none for half a code point."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
