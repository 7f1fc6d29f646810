"""Worlds from files: what a failure printed, or a world by itself; anything else is refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]
_OF_WORLD = {"flavour": str, "patient": bool, "jumps": list, "locks": list, "earlier": list, "sessions": list}
_OF_SESSION = {
    "n": int,
    "start": int,
    "tenant": str,
    "user": str,
    "tier": str,
    "environment": str,
    "enabled": bool,
    "sealed": bool,
    "readable": bool,
    "owns": bool,
    "clarified": bool,
    "narrow": dict,
    "balance": (int, type(None)),
    "key": (str, type(None)),
    "watched": bool,
    "declared": list,
    "ends": list,
    "plan": dict,
}


class NoCase(Exception):
    """The file cannot be played; the message says why."""


def read_case(path: Path) -> Json:
    """The world of a file.

    Raises:
        NoCase: there is no such file, it cannot be read, or no world stands in it.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as exc:
        raise NoCase(f"cannot read the case `{path}`: {exc.strerror}") from exc
    except (ValueError, RecursionError) as exc:
        raise NoCase(f"the case `{path}` is not JSON") from exc
    world = found.get("case", found) if isinstance(found, dict) else found
    if not _fits(world, _OF_WORLD) or not world["sessions"]:
        raise NoCase(f"the case `{path}` is not a world")
    if not all(_fits(session, _OF_SESSION) and _plans(session["plan"]) for session in world["sessions"]):
        raise NoCase(f"the case `{path}` has a session that is none")
    return world  # type: ignore[no-any-return]  # what was read from JSON


def _fits(value: Any, shape: dict[str, Any]) -> bool:
    return isinstance(value, dict) and all(
        name in value and isinstance(value[name], kind) for name, kind in shape.items()
    )


def _plans(plan: Json) -> bool:
    batches = plan.get("batches")
    return isinstance(batches, list) and all(
        _fits(batch, {"calls": list}) and all(_fits(call, {"id": str, "does": str}) for call in batch["calls"])
        for batch in batches
    )
