"""One line of the audit log of a door: who called which tool, how long it took and how it ended; never a text."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..kernel.models import FrozenModel, Identifier, Text

__all__ = ["DoorEvent"]


class DoorEvent(FrozenModel):
    """A call through a door; of what was asked it holds the length and the digest (R14)."""

    at_ms: Annotated[int, Field(ge=0)]
    door: Identifier
    tenant_id: Identifier
    user_id: Identifier
    request_id: Text
    tool_name: Text
    duration_ms: Annotated[int, Field(ge=0)]
    success: bool
    error_code: str = ""
    query_length: Annotated[int, Field(ge=0)] = 0
    query_digest: str = ""
