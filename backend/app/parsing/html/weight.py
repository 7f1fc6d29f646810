"""Weighs an HTML source before a parser builds its tree: some short pages stand for very large ones."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["too_heavy"]

# Browsers stop nesting far below this; no page that people read comes near it.
_DEEPEST: Final = 5_000
# A parser climbs the open elements at many tags, so its time grows with tags times depth.
_MOST_CLIMBED: Final = 200_000_000
# Every paragraph opens again what was left open before it: elements that stand in no line of the source.
_REOPENED_AT_LEAST: Final = 100_000
_REOPENED_PER_TAG: Final = 4
# A parser compares each attribute of a tag with all before it.
_MOST_ATTRIBUTES: Final = 1_000
_SAME_OPEN: Final = 3  # more of the same formatting element are not opened again

# Both cases spelt out: without the flag the search for `<` is a fast one.
_MARK: Final = re.compile(r"<(?:!--|(/?)([A-Za-z][A-Za-z0-9]*))")
_ATTRIBUTE: Final = re.compile(r"[\s/\"'=]*[^\s\"'>/=]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]*))?")
_FORMATTING_LIST: Final = "a b big code em font i nobr s small strike strong tt u "
_FORMATTING: Final = frozenset(_FORMATTING_LIST.split())
_ALONE: Final = frozenset(("a", "nobr"))  # a second one closes the first
_RAW: Final = frozenset(("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"))
_UNNESTED_LIST: Final = (
    "area base br col dd dt embed hr img input li link meta option p param rp rt source tbody td tfoot th thead tr "
    "track wbr "
)
_UNNESTED: Final = frozenset(_UNNESTED_LIST.split())


class _Formatting:
    """The formatting elements that a parser would open again."""

    def __init__(self) -> None:
        self.count = 0
        self._open: dict[str, list[str]] = {}
        self._same: dict[str, int] = {}

    def opened(self, name: str, tag: str) -> None:
        """A start tag, known by its whole text."""
        open_ = self._open.setdefault(name, [])
        if (name in _ALONE and open_) or self._same.get(tag, 0) >= _SAME_OPEN:
            return
        open_.append(tag)
        self._same[tag] = self._same.get(tag, 0) + 1
        self.count += 1

    def closed(self, name: str) -> None:
        """An end tag; one that closes nothing changes nothing."""
        if open_ := self._open.get(name):
            self._same[open_.pop()] -= 1
            self.count -= 1


def too_heavy(source: str) -> bool:
    """Whether the page's tree would be far out of proportion to its source; an estimate, in one pass."""
    formatting = _Formatting()
    at = opaque_until = depth = climbed = reopened = tags = 0
    while (mark := _MARK.search(source, at)) is not None:
        at = mark.end()
        if mark.group(2) is None:
            if mark.start() >= opaque_until:
                end = source.find("-->", mark.start() + 2)
                opaque_until = len(source) if end < 0 else end
            continue
        name, ends, opaque = mark.group(2).lower(), bool(mark.group(1)), mark.start() < opaque_until
        if not opaque:
            closed_at = _tag_end(source, at)
            if closed_at is None:
                return True
            at = closed_at
        if name in _FORMATTING and not ends:
            if name in _ALONE and not opaque:
                reopened += formatting.count
            # What looks like a start tag counts wherever it stands; an end tag only where it is sure to be one.
            formatting.opened(name, source[mark.start() : at])
        if opaque:
            continue
        tags += 1
        if ends and name in _FORMATTING:
            formatting.closed(name)
        if ends or name not in _FORMATTING:
            reopened += formatting.count
        if name in _RAW and not ends:
            opaque_until = _end_of(source, name, at)
        elif name not in _UNNESTED:
            depth = max(0, depth + (-1 if ends else 1))
        climbed += depth
        if depth > _DEEPEST or climbed > _MOST_CLIMBED or reopened > _REOPENED_AT_LEAST + _REOPENED_PER_TAG * tags:
            return True
    return False


def _end_of(source: str, name: str, at: int) -> int:
    """Where the end tag of an element stands, whatever its letters' case."""
    size = len(name)
    while (at := source.find("</", at)) >= 0:
        if source[at + 2 : at + 2 + size].lower() == name:
            return at
        at += 2
    return len(source)


def _tag_end(source: str, at: int) -> int | None:
    """Where the attributes of a tag end; None where there are too many of them."""
    for _ in range(_MOST_ATTRIBUTES):
        attribute = _ATTRIBUTE.match(source, at)
        if attribute is None:
            return at
        at = attribute.end()
    return None
