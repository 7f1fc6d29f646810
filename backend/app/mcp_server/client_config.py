"""What to write into the settings of an MCP client so that it starts this server."""

from __future__ import annotations

import json
from typing import Final

__all__ = ["CLIENTS", "client_config"]

CLIENTS: Final = ("claude-desktop", "claude-code", "cursor", "vscode", "codex", "open-webui")


def client_config(client: str, command: str, arguments: tuple[str, ...]) -> str:
    """The snippet for a client, with the path of this installation."""
    words = ("mcp", *arguments)
    entry = {"command": command, "args": list(words)}
    match client:
        case "claude-code":
            return f"claude mcp add portcullis -- {command} {' '.join(words)}"
        case "vscode":
            return json.dumps({"servers": {"portcullis": {"type": "stdio", **entry}}}, indent=2)
        case "codex":
            listed = ", ".join(json.dumps(word) for word in words)
            return f"[mcp_servers.portcullis]\ncommand = {json.dumps(command)}\nargs = [{listed}]"
        case "open-webui":
            return (
                f"Start the server: {command} {' '.join((*words, '--http', '--port', '8765'))}\n"
                "In Open WebUI: Admin Settings > External Tools > Add, type `MCP (Streamable HTTP)`,\n"
                "URL http://127.0.0.1:8765/mcp"
            )
        case _:
            return json.dumps({"mcpServers": {"portcullis": entry}}, indent=2)
