"""The constraints object that the options of `portcullis research` make."""

from __future__ import annotations

from typing import Any

from ..capabilities.answers.research_input import Depth, limits_of

__all__ = ["constraints_of"]


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
