"""Shrinking: a world that fails loses sessions, batches, calls and faults for as long as it still fails."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

Json = dict[str, Any]
_ROUNDS = 40


def shrink(world: Json, fails: Callable[[Json], bool]) -> Json:
    """A smaller world that fails, too; the same one where nothing can go."""
    for _ in range(_ROUNDS):
        smaller = next((one for one in _smaller(world) if fails(one)), None)
        if smaller is None:
            return world
        world = smaller
    return world


def _smaller(world: Json) -> Iterator[Json]:
    """Every world with one thing less, the big things first."""
    for name in ("sessions", "earlier", "jumps", "locks"):
        for place in range(len(world[name])):
            if name != "sessions" or len(world[name]) > 1:
                yield _without(world, (name,), place)
    for number, session in enumerate(world["sessions"]):
        here: tuple[Any, ...] = ("sessions", number)
        for place in range(len(session["ends"])):
            yield _without(world, (*here, "ends"), place)
        for place in range(len(session["plan"]["batches"])):
            yield _without(world, (*here, "plan", "batches"), place)
        for key in ("cancel", "observer_error", "ledger_error"):
            if key in session:
                yield _without(world, here, key)
        for key, plain in (("narrow", {}), ("balance", None), ("watched", False), ("clarified", False)):
            if session[key] != plain:
                yield _with(world, here, key, plain)
        if "breaks" in session["plan"]:
            yield _without(world, (*here, "plan"), "breaks")
        for at, batch in enumerate(session["plan"]["batches"]):
            yield from _smaller_batch(world, (*here, "plan", "batches", at), batch)


def _smaller_batch(world: Json, here: tuple[Any, ...], batch: Json) -> Iterator[Json]:
    if batch["wait"]:
        yield _with(world, here, "wait", 0)
    for place, call in enumerate(batch["calls"]):
        if len(batch["calls"]) > 1:
            yield _without(world, (*here, "calls"), place)
        for item in range(len(call["items"])):
            if len(call["items"]) > 1:
                yield _without(world, (*here, "calls", place, "items"), item)


def _without(world: Json, path: tuple[Any, ...], key: Any) -> Json:
    changed = copy.deepcopy(world)
    del _at(changed, path)[key]
    return changed


def _with(world: Json, path: tuple[Any, ...], key: str, value: Any) -> Json:
    changed = copy.deepcopy(world)
    _at(changed, path)[key] = value
    return changed


def _at(world: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        world = world[step]
    return world
