"""Merges ranked results of several providers: one entry per page or work, in an order that no completion can change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from ..kernel.results import Source
from ..parsing.services.dois import doi_of
from ..parsing.url.canonical_url import canonical_url

__all__ = ["MergedHit", "identity_keys", "image_keys", "merge_hits"]

# Reciprocal rank fusion: 60 is the constant of its authors; whole numbers, so that every machine adds up alike.
_SMOOTHING: Final = 60
_SCALE: Final = 10**9


@dataclass(frozen=True, slots=True)
class MergedHit:
    """One page or work, as the best placed provider told it, and what the others said of it."""

    best: Source
    others: tuple[Source, ...]
    score: int

    def fact(self, name: str) -> str:
        """The first that anybody says; empty where nobody does."""
        return next((value for one in (self.best, *self.others) for key, value in one.metadata if key == name), "")

    def facts(self, name: str) -> tuple[str, ...]:
        """Everything that the first who knows says under a name."""
        told = (tuple(value for key, value in one.metadata if key == name) for one in (self.best, *self.others))
        return next(filter(None, told), ())


def identity_keys(source: Source) -> tuple[str, ...]:
    """What makes two results the same: the address in its canonical spelling, and a DOI."""
    doi = doi_of(dict(source.metadata).get("doi", "")).lower()
    named = (canonical_url(f"https://doi.org/{doi}"),) if doi else ()
    return (canonical_url(source.locator), *named)


def image_keys(source: Source) -> tuple[str, ...]:
    """Of a picture: its own address; one page may show many."""
    return (canonical_url(dict(source.metadata).get("image", "") or source.locator),)


def merge_hits(
    sources: Iterable[Source], keys: Callable[[Source], tuple[str, ...]] = identity_keys
) -> tuple[MergedHit, ...]:
    """The results of one question, best first: reciprocal rank fusion over providers, ties by place, name and address.

    The same results in any order give the same list, to the byte.
    """
    ordered = sorted(sources, key=_place)
    groups: dict[int, list[Source]] = {}
    group_of: dict[str, int] = {}
    for number, source in enumerate(ordered):
        named = keys(source)
        known = sorted({group_of[key] for key in named if key in group_of})
        group = known[0] if known else number
        groups.setdefault(group, []).append(source)
        for other in known[1:]:  # a result that has the DOI of one and the address of another
            groups[group].extend(groups.pop(other))
            group_of.update({key: group for key, owner in group_of.items() if owner == other})
        group_of.update(dict.fromkeys(named, group))
    merged = [_merged(sorted(group, key=_place)) for group in groups.values()]
    return tuple(sorted(merged, key=lambda hit: (-hit.score, *_place(hit.best))))


def _merged(group: list[Source]) -> MergedHit:
    best_of: dict[str, int] = {}
    for source in group:
        place, provider, *_ = _place(source)
        best_of[provider] = min(place, best_of.get(provider, place))
    score = sum(_SCALE // (_SMOOTHING + place + 1) for place in best_of.values())
    return MergedHit(best=group[0], others=tuple(group[1:]), score=score)


def _place(source: Source) -> tuple[int, str, str, str]:
    facts = dict(source.metadata)
    position = facts.get("service:position", "0")
    number = int(position) if position.isdecimal() and len(position) < 10 else 0
    return number, facts.get("service:provider", ""), source.locator, source.source_id
