"""An answer of the gate as an MCP result: structured content, readable text, or the error form."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types
from pydantic import BaseModel

from ..kernel.failure import ErrorDetail, Failure
from .readable_text import readable

__all__ = ["Told", "error_result", "failure_of_arguments", "inline_result", "told_of", "unexpected_failure"]

_META: Final = "_meta"


@dataclass(frozen=True, slots=True)
class Told:
    """An output as it is sent: its body, and what rides beside it."""

    body: dict[str, Any]
    meta: dict[str, Any] | None

    @property
    def data(self) -> bytes:
        """The body as JSON."""
        return json.dumps(self.body, ensure_ascii=False, separators=(",", ":")).encode()


def told_of(output: BaseModel, routing: dict[str, Any] | None = None) -> Told:
    """The parts of an output; `routing` is for operators."""
    body = output.model_dump(mode="json", by_alias=True)
    meta = {**(body.pop(_META, None) or {}), **({"routing": routing} if routing else {})}
    return Told(body, meta or None)


def inline_result(told: Told) -> types.CallToolResult:
    """A result whose body is sent at once."""
    return types.CallToolResult(
        content=[types.TextContent(text=readable(told.body))], structured_content=told.body, meta=told.meta
    )


def error_result(failure: Failure) -> types.CallToolResult:
    """One readable line, and a JSON block that a program can branch on."""
    detail = json.dumps({"error": failure.error.model_dump(mode="json", by_alias=True)}, ensure_ascii=False)
    return types.CallToolResult(content=[types.TextContent(text=f"{failure.message}\n{detail}")], is_error=True)


def failure_of_arguments(message: str) -> Failure:
    """A mistake of the caller's: the message names the argument and the rule, never the value."""
    detail = ErrorDetail(kind="validation", retryable=False, suggested_action="fix_arguments")
    return Failure(message=f"Invalid request: {message}.", error=detail)


def unexpected_failure(*, retryable: bool) -> Failure:
    """Something broke inside; nothing is said about what."""
    action = "retry" if retryable else "try_alternative_source"
    detail = ErrorDetail.model_validate(
        {"kind": "upstream_unavailable", "retryable": retryable, "suggested_action": action}
    )
    return Failure(message="Not available: the request could not be completed.", error=detail)
