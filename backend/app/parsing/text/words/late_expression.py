"""A regular expression that is compiled when it is first used: most questions need a few of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

__all__ = ["LateExpression"]


class LateExpression:
    """Searches like `re.Pattern[str]`; a mistake in the expression shows at the first search."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._pattern = pattern
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._pattern, self._flags)

    def search(self, text: str) -> re.Match[str] | None:
        """The first place where it occurs."""
        return self._compiled.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """The place at the beginning, if it occurs there."""
        return self._compiled.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """The whole text, if it is one occurrence."""
        return self._compiled.fullmatch(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Every place where it occurs."""
        return self._compiled.finditer(text)
