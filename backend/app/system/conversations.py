"""One turn of a conversation, as it is remembered: who spoke, how it was answered, in which session; never a text."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..kernel.models import FrozenModel, Identifier
from ..kernel.stops import Action

__all__ = ["StoredTurn"]


class StoredTurn(FrozenModel):
    """A question or an answer; texts stay in the content store (R14)."""

    number: Annotated[int, Field(ge=1)]
    role: Literal["user", "assistant"]
    action: Action | None = None
    """What the contract said to do; of a question None."""
    session_id: Identifier | None = None
    at_ms: Annotated[int, Field(ge=0)]
