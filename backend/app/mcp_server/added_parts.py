"""Fixed tools, resources and prompts beside the capabilities: for a server that a test suite examines.

The product adds none (a test in `tests/architecture` says so): everything that it offers goes through the gate.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import mcp_types as types
from mcp.server.context import ServerRequestContext

__all__ = ["NOTHING_ADDED", "AddedParts"]

Contents = types.TextResourceContents | types.BlobResourceContents
ToolCode = Callable[[ServerRequestContext[Any, Any], dict[str, Any]], Awaitable[types.CallToolResult]]
PromptCode = Callable[[dict[str, str]], types.GetPromptResult]


@dataclass(frozen=True, slots=True)
class AddedParts:
    """What is listed and answered in addition; the names must not be those of capabilities."""

    tools: tuple[types.Tool, ...] = ()
    tool_code: Mapping[str, ToolCode] = field(default_factory=dict[str, ToolCode])
    resources: tuple[types.Resource, ...] = ()
    templates: tuple[types.ResourceTemplate, ...] = ()
    read: Callable[[str], Contents | None] = lambda uri: None
    prompts: tuple[types.Prompt, ...] = ()
    prompt_code: Mapping[str, PromptCode] = field(default_factory=dict[str, PromptCode])


NOTHING_ADDED: Final = AddedParts()
