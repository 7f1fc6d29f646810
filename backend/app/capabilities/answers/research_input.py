"""What a caller asks of `research()`, and the limits that follow from it."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from ...evidence.grounding.facets import facets_of
from ...kernel.conversation import NAMED_SOURCES_MAX, ConversationId, SourceOfTurn, TurnNumber, turn_key
from ...kernel.models import FrozenModel, Text
from ...kernel.request import CONTEXT_CHARS_MAX
from ..arguments import OwnedCollection, Question
from .research_models import ResearchConstraints
from .research_plan import ResearchPlan, SourceRules

__all__ = ["ConversationTurn", "Depth", "ResearchInput", "limits_of", "rules_of"]

Depth = Literal["shallow", "balanced", "deep"]
_DEPTHS: Final[dict[Depth, tuple[int, int, int, int]]] = {
    "shallow": (2, 5_000, 1, 1),
    "balanced": (4, 15_000, 2, 1),
    "deep": (5, 25_000, 3, 3),
}
"""Iterations, tokens, sources that a facet should have, and below how many of them the web is asked, too."""
_SOURCES: Final = 10
_HOST: Final = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}")
_SEPARATORS: Final = re.compile(r"[,;\s]+")


def limits_of(depth: Depth) -> dict[str, int]:
    """The limits of a depth as the fields of a constraints object."""
    iterations, tokens, _, _ = _DEPTHS[depth]
    return {"max_iterations": iterations, "token_budget": tokens, "max_sources": _SOURCES}


def rules_of(source_filter: str | None) -> SourceRules:
    """The places that a filter allows.

    Raises:
        ValueError: a word of it is neither a host nor `documents` nor `web`.
    """
    documents = web = True
    only: list[str] = []
    never: list[str] = []
    for word in filter(None, _SEPARATORS.split((source_filter or "").lower())):
        bare = word.lstrip("-").removeprefix("site:").removeprefix("*.").rstrip(".")
        if word in ("documents", "documents-only", "documents_only"):
            web = False
        elif word in ("web", "web-only", "web_only"):
            documents = False
        elif word == "only":
            continue
        elif _HOST.fullmatch(bare):
            (never if word.startswith("-") else only).append(bare)
        else:
            raise ValueError("`source_filter` takes hosts, `-host`, `documents` or `web`")
    if not documents and not web:
        raise ValueError("`source_filter` leaves neither documents nor the web")
    return SourceRules(documents=documents and not only, web=web, only=tuple(only), never=tuple(never))


class ConversationTurn(FrozenModel):
    """Where a question stands in a conversation, and which sources of earlier turns it names."""

    conversation: ConversationId | None = None
    """The conversation that this question belongs to; one of the caller's own."""
    turn: TurnNumber | None = None
    """Which turn of the conversation this is: later turns can name its sources, and the same turn is asked once."""
    earlier: Annotated[tuple[SourceOfTurn, ...], Field(max_length=NAMED_SOURCES_MAX)] = ()
    """Sources that earlier turns of the conversation showed, by turn and number: they are read first."""

    @model_validator(mode="after")
    def _turns_have_a_conversation(self) -> Self:
        if self.conversation is None and (self.turn is not None or self.earlier):
            raise ValueError("`turn` and `earlier` need a `conversation`")
        if self.turn is not None and any(one.turn >= self.turn for one in self.earlier):
            raise ValueError("`earlier` names a turn that is not before `turn`")
        return self

    @property
    def session_key(self) -> str | None:
        """The key of the session where the question is a numbered turn."""
        if self.conversation is None or self.turn is None:
            return None
        return turn_key(self.conversation, self.turn)


class ResearchInput(ConversationTurn):
    """A question with what is known already, how deep to look, and the caller's own limits."""

    question: Question
    context: Annotated[Text, Field(max_length=CONTEXT_CHARS_MAX)] = ""
    depth: Depth = "balanced"
    constraints: ResearchConstraints | None = None
    collection: OwnedCollection | None = "documents"

    @model_validator(mode="after")
    def _filter_can_be_read(self) -> ResearchInput:
        if self.constraints is not None:
            rules_of(self.constraints.source_filter)
        return self

    def plan(self) -> ResearchPlan:
        """The plan: a given constraints object rules instead of the depth."""
        iterations, tokens, wanted, web_below = _DEPTHS[self.depth]
        sources, places = _SOURCES, None
        if self.constraints is not None:
            own = self.constraints
            iterations, tokens, sources, places = (
                own.max_iterations,
                own.token_budget,
                own.max_sources,
                own.source_filter,
            )
        return ResearchPlan(
            facets=facets_of(self.question, self.context),
            rules=rules_of(places),
            max_iterations=iterations,
            token_budget=tokens,
            max_sources=sources,
            wanted_per_facet=wanted,
            web_below=web_below,
            conversation=self.conversation or "",
            recalled=tuple((one.turn, one.number) for one in self.earlier),
        )
