"""Rules about entry points: what an installer, a loader or a build would run, held against a list with reasons."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from .finding import Finding
from .words import ENTRY_POINTS

__all__ = ["PROJECT", "entry_rules", "missing_entries"]

PROJECT = "pyproject.toml"
# Files of other build systems, or of an installation, that can name entry points as well.
_FILES = frozenset({"entry_points.txt", "setup.cfg", "setup.py"})
_TABLES = ("entry-points", "gui-scripts", "plugins", "scripts")
_RULE = "entry-point"


def entry_rules(path: str, source: str) -> Iterator[Finding]:
    """Every entry point, build hook or second packaging file; the judge takes out those that are listed."""
    name = PurePosixPath(path).name
    if name in _FILES:
        yield Finding(path, 0, "foreign-file", name, f"`{name}` can name entry points that `{PROJECT}` does not show")
    if name != PROJECT:
        return
    try:
        told = tomllib.loads(source)
    except tomllib.TOMLDecodeError:
        yield Finding(path, 0, "unreadable", name, "is not TOML that the guard can read")
        return
    for table, what, where in _entries(told):
        if path != PROJECT or (table, what, where) not in ENTRY_POINTS:
            subject = _subject(table, what, where)
            yield Finding(path, 0, _RULE, subject, f"adds `{subject}`, which an installer or a loader would run")


def _subject(table: str, name: str, where: str) -> str:
    """How an entry is named in a finding."""
    return f"{table}.{name} = {where}"


def missing_entries(source: str) -> Iterator[str]:
    """Listed entry points that the project does not have any more."""
    there = set(_entries(tomllib.loads(source)))
    yield from (_subject(*entry) for entry in sorted(set(ENTRY_POINTS) - there))


def _entries(told: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    project = told.get("project", {})
    tables = {f"project.{name}": project.get(name) for name in _TABLES}
    for tool, options in told.get("tool", {}).items():
        if isinstance(options, dict):
            tables |= {f"tool.{tool}.{name}": options.get(name) for name in _TABLES}
    for table, found in tables.items():
        yield from _leaves(table, found)
    yield from (("project.dynamic", name, "") for name in project.get("dynamic", ()) if name in _TABLES)
    build = told.get("build-system", {})
    yield from (("build-system", "backend-path", str(place)) for place in build.get("backend-path", ()))
    yield from _hooks("tool.hatch", told.get("tool", {}).get("hatch", {}))


def _leaves(table: str, found: Any) -> Iterator[tuple[str, str, str]]:
    """A group is a table of its own: `[project.entry-points.group]`."""
    for name, value in found.items() if isinstance(found, dict) else ():
        if isinstance(value, dict):
            yield from _leaves(f"{table}.{name}", value)
        else:
            yield table, name, str(value)


def _hooks(table: str, found: Any) -> Iterator[tuple[str, str, str]]:
    """Hooks of the build run code from the checkout, wherever in the tool's tables they stand."""
    for name, value in found.items() if isinstance(found, dict) else ():
        if name in ("hooks", "metadata"):
            yield from ((f"{table}.{name}", hook, "") for hook in value)
        else:
            yield from _hooks(f"{table}.{name}", value)
