"""A search result as the specification shows it: parts that several capabilities read out of a merged hit."""

from __future__ import annotations

from typing import Final, Literal

from ...evidence.merging import MergedHit
from ...kernel.models import FrozenModel, WireModel
from ...kernel.results import CallOutcome
from ...parsing.html.links import host_of
from ...parsing.services.published import resolved_date
from ...parsing.text.text_cuts import cut_text

__all__ = ["DomainReputation", "display_link", "left_out_notes", "published_at", "reputation_of", "short_text"]

SNIPPET_BYTES: Final = 700


class DomainReputation(WireModel):
    """What the catalogue says about a host, and on what basis; a host that it does not know has none."""

    tier: Literal["high", "mixed", "low"]
    basis: str


def reputation_of(hit: MergedHit) -> DomainReputation | None:
    """The reputation that the tool recorded with the result."""
    basis = hit.fact("service:reputation_basis")
    match hit.fact("service:reputation"):
        case "high":
            return DomainReputation(tier="high", basis=basis)
        case "mixed":
            return DomainReputation(tier="mixed", basis=basis)
        case "low":
            return DomainReputation(tier="low", basis=basis)
    return None


def display_link(url: str) -> str:
    """The host as people write it."""
    return host_of(url)


def short_text(hit: MergedHit, most: int = SNIPPET_BYTES) -> str:
    """What the result says, cut at a good end; nothing where its text is only title and address."""
    text = hit.best.text
    if text.endswith(hit.best.locator):
        text = text.removesuffix(hit.best.locator).rstrip(". ").removesuffix(hit.best.title).rstrip(". ")
    return cut_text(text, most)[0]


def published_at(hit: MergedHit, now_ms: int) -> str | None:
    """RFC 3339 in UTC; "3 days ago" is counted from the moment that the session recorded. None for what is no day."""
    said = hit.fact("published")
    if not said:
        relative = hit.fact("published_relative")
        said = resolved_date(relative, now_ms) if relative else ""
    if len(said) == len("2020-01-01"):
        return f"{said}T00:00:00Z"
    return said if len(said) > len("2020-01-01") else None


def left_out_notes(given: FrozenModel, call: CallOutcome | None, names: dict[str, str]) -> tuple[str, ...] | None:
    """Filters that the caller set and the answering service does not know; `names` maps options to fields."""
    answered = next((rung for rung in call.rungs if rung.fault is None), None) if call is not None else None
    if answered is None:
        return None
    fields = (names.get(option, option) for option in answered.left_out)
    told = tuple(
        f"`{field}` was not applied: the search service that answered does not support it"
        for field in fields
        if field in given.model_fields_set
    )
    return told or None
