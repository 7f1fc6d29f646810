"""Judges a journey: the addresses behind a host, each redirect, and its end; real fetches ask the same room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from .addresses import address_refusal, canonical_address
from .urls import JudgedUrl, UrlRefusal, judge_url, redirect_target

__all__ = ["MAX_REDIRECTS", "HopCode", "HopRefusal", "Journey", "World", "judge_answer", "judge_journey"]

MAX_REDIRECTS: Final = 5
_PUBLIC_ADDRESS: Final = "93.184.215.14"


class HopCode(StrEnum):
    """Why a journey ends at a hop although the URL itself would do."""

    ADDRESS = "address_not_public"
    LOOP = "redirect_loop"
    NO_ADDRESS = "name_not_found"
    TOO_MANY = "too_many_redirects"


@dataclass(frozen=True, slots=True)
class HopRefusal:
    """The refusal of a hop; `detail` names the block of the first address that decided."""

    code: HopCode
    detail: str = ""

    @property
    def not_public(self) -> bool:
        """Whether the hop led to a place that is not public (R16)."""
        return self.code is HopCode.ADDRESS

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}" if self.detail else str(self.code)


def judge_answer(addresses: Sequence[str]) -> tuple[str, ...] | HopRefusal:
    """A resolver's whole answer: all of it is public, or none of it is used."""
    if not addresses:
        return HopRefusal(HopCode.NO_ADDRESS)
    judged: dict[str, None] = {}
    for text in addresses:
        why = address_refusal(text)
        address = canonical_address(text)
        if why is not None or address is None:
            return HopRefusal(HopCode.ADDRESS, why or "not_an_address")
        judged[address] = None
    return tuple(judged)


class Journey:
    """The rules of one fetch: what was judged, what was visited, and how many redirects are left."""

    def __init__(self, max_redirects: int = MAX_REDIRECTS) -> None:
        self._max_redirects = max_redirects
        self._visited: list[str] = []

    @property
    def redirects(self) -> int:
        """How many redirects were followed so far."""
        return max(0, len(self._visited) - 1)

    def start(self, text: str) -> JudgedUrl | UrlRefusal:
        """The first URL."""
        judged = judge_url(text)
        if isinstance(judged, JudgedUrl):
            self._visited = [judged.href]
        return judged

    def follow(self, at: JudgedUrl, location: str) -> JudgedUrl | UrlRefusal | HopRefusal:
        """The next URL, from a Location header."""
        target = redirect_target(at, location)
        if isinstance(target, UrlRefusal):
            return target
        if target.href in self._visited:
            return HopRefusal(HopCode.LOOP)
        if self.redirects >= self._max_redirects:
            return HopRefusal(HopCode.TOO_MANY)
        self._visited.append(target.href)
        return target


@dataclass(frozen=True, slots=True)
class World:
    """What a resolver and a server would say, written down: for judging without a network."""

    resolves_to: tuple[str, ...] = (_PUBLIC_ADDRESS,)
    by_host: Mapping[str, tuple[str, ...]] | None = None
    redirects: tuple[str, ...] = ()

    def addresses(self, url: JudgedUrl) -> tuple[str, ...]:
        """The answer for a host; an address is its own."""
        if url.literal:
            return (url.host,)
        return (self.by_host or {}).get(url.host, self.resolves_to)


def judge_journey(text: str, world: World) -> JudgedUrl | UrlRefusal | HopRefusal:
    """Where a fetch would end, or the first reason why it would not be made."""
    journey = Journey()
    step: JudgedUrl | UrlRefusal | HopRefusal = journey.start(text)
    for location in (*world.redirects, None):
        if not isinstance(step, JudgedUrl):
            return step
        answer = judge_answer(world.addresses(step))
        if isinstance(answer, HopRefusal):
            return answer
        if location is not None:
            step = journey.follow(step, location)
    return step
