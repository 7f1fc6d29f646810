"""Tools as a port: the only way to the outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ..calls import CallContext, ToolCall
from ..results import RawResult

__all__ = ["Tool", "Toolbox"]


class Tool(Protocol):
    """One way to the outside. It may raise `ToolFailure`; anything else it raises is a crash."""

    async def call(self, call: ToolCall, context: CallContext) -> RawResult: ...


Toolbox = Mapping[str, Tool]
