"""What to write into the settings of an MCP client so that it starts this server."""

from __future__ import annotations

import json
import shlex
from typing import Final

__all__ = ["CLIENTS", "client_config"]

CLIENTS: Final = ("claude-desktop", "claude-code", "cursor", "vscode", "codex", "open-webui")


def client_config(client: str, command: str, arguments: tuple[str, ...], port: int) -> str:
    """The snippet for a client, with the path of this installation."""
    words = ("mcp", *arguments)
    entry = {"command": command, "args": list(words)}
    match client:
        case "claude-code":
            return f"claude mcp add portcullis -- {shlex.join((command, *words))}"
        case "vscode":
            return json.dumps({"servers": {"portcullis": {"type": "stdio", **entry}}}, indent=2)
        case "codex":
            listed = ", ".join(json.dumps(word) for word in words)
            return f"[mcp_servers.portcullis]\ncommand = {json.dumps(command)}\nargs = [{listed}]"
        case "open-webui":
            return (
                f"Start the server: {shlex.join((command, *words, '--http', '--port', str(port)))}\n"
                "In Open WebUI: Admin Settings > External Tools > Add, type `MCP (Streamable HTTP)`,\n"
                f"URL http://127.0.0.1:{port}/mcp"
            )
        case _:
            return json.dumps({"mcpServers": {"portcullis": entry}}, indent=2)
