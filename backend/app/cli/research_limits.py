"""What the options of `portcullis research` make: the constraints object, and the turn of a conversation."""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import ValidationError

from ..capabilities.answers.research_input import ConversationTurn, Depth, limits_of
from ..kernel.errors import RequestInvalid
from ..kernel.faults import first_fault

__all__ = ["constraints_of", "turn_of"]

_NAMED: Final = re.compile(r"([0-9]{1,6}):([0-9]{1,4})")


def constraints_of(
    depth: Depth,
    documents_only: bool,
    exclude: list[str],
    max_iterations: int | None,
    token_budget: int | None,
    max_sources: int | None,
) -> dict[str, Any]:
    """The limits of the depth with what the options say instead; nothing where they say nothing."""
    words = (["documents"] if documents_only else []) + [f"-{host.lstrip('-')}" for host in exclude]
    given = {"max_iterations": max_iterations, "token_budget": token_budget, "max_sources": max_sources}
    own: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if words:
        own["source_filter"] = " ".join(words)
    return {**limits_of(depth), **own} if own else {}


def turn_of(conversation: str | None, turn: int | None, earlier: list[str]) -> ConversationTurn | None:
    """Where the question stands in a conversation; None where no option says so.

    Raises:
        RequestInvalid: an option names no turn or no source.
    """
    if conversation is None and turn is None and not earlier:
        return None
    named = [_NAMED.fullmatch(one) for one in earlier]
    if not all(named):
        raise RequestInvalid("`--earlier` takes TURN:NUMBER, such as 1:2 for source 2 of turn 1")
    sources = [{"turn": int(one[1]), "number": int(one[2])} for one in named if one is not None]
    try:
        return ConversationTurn.model_validate({"conversation": conversation, "turn": turn, "earlier": tuple(sources)})
    except ValidationError as exc:
        name, said = first_fault(exc)
        raise RequestInvalid(f"`--{name}` is wrong: {said}" if name else said) from exc
