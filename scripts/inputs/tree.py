"""The files of a checkout with their digests, as they are or as they would be after a change."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path

from .content import Reading, content_digest

__all__ = ["Change", "Tree", "matching"]

# Left behind by tools, or by a run of the product.
_SKIPPED = {"__pycache__", "build", "dist", "node_modules"}
_HIDDEN_KEPT = {".ci"}


class Change(StrEnum):
    """What a hypothetical change does to a file."""

    CODE = "code"
    COMMENT = "comment"


class Tree:
    """Read lazily and at most once; with `changes`, the named files count as changed, and new names as new files."""

    def __init__(self, root: Path, changes: Mapping[str, Change] | None = None) -> None:
        self.root = root
        self._changes = dict(changes or {})
        self.names = tuple(sorted({*_files(root), *self._changes}))
        self._known = frozenset(self.names)
        self._data: dict[str, bytes] = {}
        self._matched: dict[tuple[str, ...], tuple[str, ...]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def data(self, name: str) -> bytes:
        """The bytes on disk; a file that only a change would bring has none."""
        if name not in self._data:
            try:
                self._data[name] = (self.root / name).read_bytes()
            except OSError:
                self._data[name] = b""
        return self._data[name]

    def digest(self, name: str, reading: Reading) -> str:
        """Of one file."""
        digest = content_digest(name, self.data(name), reading)
        change = self._changes.get(name)
        same = change is None or (change is Change.COMMENT and reading is Reading.CODE and name.endswith(".py"))
        return digest if same else f"changed {digest}"

    def matching(self, patterns: Iterable[str]) -> tuple[str, ...]:
        """Names that match any of the patterns; a `!` in front takes names away again."""
        wanted = tuple(patterns)
        if wanted not in self._matched:  # the same few lists are asked for thousands of times
            self._matched[wanted] = matching(self.names, wanted)
        return self._matched[wanted]


def matching(names: Iterable[str], patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Like the patterns of `.gitignore`: `*` stays within a folder, `**` does not; a folder stands for all below it."""
    wanted = [_pattern(pattern) for pattern in patterns if not pattern.startswith("!")]
    unwanted = [_pattern(pattern[1:]) for pattern in patterns if pattern.startswith("!")]
    return tuple(
        name
        for name in names
        if any(one.fullmatch(name) for one in wanted) and not any(one.fullmatch(name) for one in unwanted)
    )


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*)", pattern)
    spelled = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    return re.compile("".join(spelled.get(part, re.escape(part)) for part in parts) + "(?:/.*)?")


def _files(root: Path) -> Iterator[str]:
    for folder, below, names in os.walk(root):
        below[:] = [
            name
            for name in below
            if name not in _SKIPPED
            and not name.endswith(".egg-info")
            and (not name.startswith(".") or name in _HIDDEN_KEPT)
        ]
        place = Path(folder).relative_to(root)
        yield from ((place / name).as_posix() for name in names if not name.startswith("."))
