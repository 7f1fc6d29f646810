"""What a plan asks for: tool calls in batches, and the word that it is done."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from .models import FrozenModel, Identifier, Text

__all__ = ["Batch", "CallContext", "Done", "Ended", "ParamValue", "Params", "ToolCall"]

ParamValue = TypeAliasType("ParamValue", "bool | int | Text | tuple[ParamValue, ...] | dict[Text, ParamValue] | None")
"""JSON without decimals, which travel as their literal text (R30)."""
Params = tuple[tuple[str, ParamValue], ...]


class ToolCall(FrozenModel):
    """§2.2: one entry of a plan; its ladder, redirects and retries are part of it (R11)."""

    call_id: Identifier
    tool: Identifier
    params: Params = ()
    branch: Identifier = "main"
    about: Text = ""
    """The question that the returned items must answer; if empty, their relevance is not checked."""
    with_related: bool = False
    """Once one item answers `about`, items of the same call that belong to its subject are accepted, too."""

    def param(self, name: str) -> ParamValue | None:
        """The value of a parameter, or None where the plan did not set it."""
        return dict(self.params).get(name)


class CallContext(FrozenModel):
    """What a tool may know of the session: whose data, how long, how much."""

    tenant: Identifier
    user: str = ""
    collection: Identifier | None
    own_deadline_ms: int
    max_output_bytes: int


class Batch(FrozenModel):
    """Calls that start together, after `wait_ms`."""

    calls: Annotated[tuple[ToolCall, ...], Field(min_length=1)]
    wait_ms: Annotated[int, Field(ge=0)] = 0


class Done(FrozenModel):
    """The plan's own end; `limit` when the rest of the grant does not cover its next batch (R4)."""

    why: Literal["complete", "no_gain", "limit"]


class Ended(StrEnum):
    """How a session's collecting ended: by its plan, or by a stop."""

    COMPLETE = "complete"
    NO_GAIN = "no_gain"
    LIMIT = "limit"
    FINISHED_EARLY = "finished_early"
    STOPPED = "stopped"
