"""Reads a line of JSON that describes a URL and the world round it, and says what a fetch would be told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .journeys import HopRefusal, World, judge_journey
from .urls import JudgedUrl, UrlRefusal, judge_url

__all__ = ["judge_line", "verdict_of"]


def judge_line(line: bytes) -> dict[str, str | None]:
    """The verdict on one line, also where it is none: what cannot be read is refused."""
    try:
        case = json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return _refused(None, "unreadable_line: not JSON")
    if not isinstance(case, dict) or not isinstance(case.get("url"), str):
        return _refused(None, "unreadable_line: no url")
    try:
        world = _world(case)
    except _Unreadable as exc:
        return _refused(case["url"], f"unreadable_line: {exc}")
    return verdict_of(case["url"], judge_journey(case["url"], world))


def verdict_of(url: str, judged: JudgedUrl | UrlRefusal | HopRefusal) -> dict[str, str | None]:
    """A judgement as one JSON object."""
    if isinstance(judged, JudgedUrl):
        return {"url": url, "verdict": "accept", "reason": "public"}
    return _refused(url, str(judged))


class _Unreadable(ValueError):
    """A field is not what it should be."""


def _world(case: Mapping[str, Any]) -> World:
    resolves_to = World().resolves_to
    if case.get("resolves_to") is not None:
        resolves_to = _texts(case["resolves_to"], "resolves_to")
    return World(resolves_to, _by_host(case.get("resolves_to_by_host")), _hops(case.get("redirect_to")))


def _by_host(value: Any) -> dict[str, tuple[str, ...]]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _Unreadable("resolves_to_by_host")
    return {_host(name): _texts(answer, "resolves_to_by_host") for name, answer in value.items()}


def _host(name: str) -> str:
    """A name as a URL would spell it, so that the look-up finds it."""
    judged = judge_url(f"https://{name}/")
    return judged.host if isinstance(judged, JudgedUrl) else name.lower().removesuffix(".")


def _hops(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else _texts(value, "redirect_to")


def _texts(value: Any, field: str) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise _Unreadable(field)
    return tuple(values)


def _refused(url: str | None, reason: str) -> dict[str, str | None]:
    return {"url": url, "verdict": "refuse", "reason": reason}
