"""What a caller asks of `research()`, and the limits that follow from it."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from ...evidence.facets import facets_of
from ...kernel.models import FrozenModel, Text
from ...kernel.request import CONTEXT_CHARS_MAX
from ..arguments import OwnedCollection, Question
from .research_models import ResearchConstraints
from .research_plan import ResearchPlan, SourceRules

__all__ = ["Depth", "ResearchInput", "limits_of", "rules_of"]

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


class ResearchInput(FrozenModel):
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
        )
