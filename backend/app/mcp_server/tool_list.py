"""Capabilities as MCP tools: name, title, description, schemas and annotations come from the registry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import mcp_types as types

from ..kernel.capability import AnyCapability
from ..kernel.request import Principal
from .artifacts import LINKED_SCHEMA

__all__ = ["offered_to", "output_schema", "tool_of"]

_META: Final = "_meta"
_OUTSIDE: Final = ("scrape_page", "services")


def offered_to(principal: Principal, capabilities: Mapping[str, AnyCapability]) -> tuple[AnyCapability, ...]:
    """What a principal may call, in the order of the registry; the rest does not exist for it."""
    return tuple(one for one in capabilities.values() if set(one.scopes) <= set(principal.scopes))


def tool_of(one: AnyCapability) -> types.Tool:
    """A capability as its listing."""
    hints = types.ToolAnnotations(
        title=one.title,
        read_only_hint=one.effect == "none",
        destructive_hint=False,
        idempotent_hint=one.effect == "none",
        open_world_hint=any(tool in _OUTSIDE for tool in one.tools),
    )
    return types.Tool(
        name=one.name,
        title=one.title,
        description=one.description,
        input_schema=one.input_schema(),
        output_schema=output_schema(one),
        annotations=hints,
    )


def output_schema(one: AnyCapability) -> dict[str, Any]:
    """The schema of an output as it is sent: freshness rides beside the body, and a large body comes as a link."""
    schema = one.output.model_json_schema(by_alias=True)
    named = schema.pop("$defs", {})
    properties = {name: part for name, part in schema.get("properties", {}).items() if name != _META}
    return {"type": "object", "anyOf": [{**schema, "properties": properties}, LINKED_SCHEMA], "$defs": named}
