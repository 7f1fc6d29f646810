"""Turns of a conversation, and sources of earlier turns by number (R35)."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from .models import FrozenModel, Identifier

__all__ = ["NAMED_SOURCES_MAX", "ConversationId", "SourceOfTurn", "TurnNumber", "turn_key"]

NAMED_SOURCES_MAX: Final = 10
ConversationId = Identifier
TurnNumber = Annotated[int, Field(ge=1, le=100_000)]


class SourceOfTurn(FrozenModel):
    """The source that an earlier turn showed under a number."""

    turn: TurnNumber
    number: Annotated[int, Field(ge=1, le=1_000)]


def turn_key(conversation: str, turn: int) -> str:
    """The session key of a turn: the same tenant, user, conversation and turn always give the same session."""
    return f"conversation/{conversation}/turn/{turn}"
