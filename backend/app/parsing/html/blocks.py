"""Cuts a flattened page into blocks: runs of text without a break in them, each with its place in lists and tables."""

from __future__ import annotations

import re
from typing import Final

from .tree import BLOCKS, TEXT, Node

__all__ = ["ENDS_SENTENCE", "HEADINGS", "Block", "cut_blocks", "fold"]

HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
"""Heading elements and their levels."""

ENDS_SENTENCE: Final = re.compile(r"[.!?\u2026\u3002\uff01\uff1f:;,][\"'\u2019\u201d)\]]*$")
"""The end of a text that stops like a sentence; look for it in the last few characters."""

_SPACE: Final = re.compile(r"\s+")
_LISTS: Final = frozenset(("dir", "dl", "menu", "ol", "ul"))
_ITEMS: Final = frozenset(("dd", "dt", "li"))


def fold(text: str) -> str:
    """Text with its white space folded."""
    return _SPACE.sub(" ", text)


class Block:
    """A run of text: `nodes[start:end]` inside the element `within`."""

    __slots__ = (
        "end",
        "item",
        "last",
        "level",
        "linked",
        "list_at",
        "lists",
        "pre",
        "quotes",
        "start",
        "table",
        "text",
        "within",
    )

    def __init__(self, start: int, last: int, end: int, text: str, linked: int, place: _OpenBlocks) -> None:
        self.start = start
        self.last = last
        """Its last text node that is not blank."""
        self.end = end
        self.text = text
        self.linked = linked
        """How many of its characters are links to elsewhere."""
        self.within = place.within
        self.level = place.levels[-1] if place.levels else 0
        """Of its heading, or 0."""
        self.item = place.items[-1] if place.items else -1
        """The innermost list item, or -1."""
        self.lists = len(place.lists)
        self.list_at = place.lists[-1] if place.lists else -1
        self.quotes = place.quotes
        self.pre = place.pre > 0
        self.table = place.tables[-1] if place.tables else -1


class _OpenBlocks:
    """Which block elements are open."""

    def __init__(self) -> None:
        self._open: list[tuple[int, int, str]] = []
        self.within = -1
        self.items: list[int] = []
        self.lists: list[int] = []
        self.levels: list[int] = []
        self.tables: list[int] = []
        self.quotes = self.pre = 0

    def closes_at(self) -> int:
        return self._open[-1][0] if self._open else -1

    def enter(self, node: Node) -> None:
        tag = node.tag
        self._open.append((node.end, node.at, tag))
        self.within = node.at
        if tag in _ITEMS:
            self.items.append(node.at)
        elif tag in _LISTS:
            self.lists.append(node.at)
        elif tag in HEADINGS:
            self.levels.append(HEADINGS[tag])
        elif tag == "table":
            self.tables.append(node.at)
        elif tag == "blockquote":
            self.quotes += 1
        elif tag == "pre":
            self.pre += 1

    def leave(self) -> None:
        _, _, tag = self._open.pop()
        self.within = self._open[-1][1] if self._open else -1
        if tag in _ITEMS:
            self.items.pop()
        elif tag in _LISTS:
            self.lists.pop()
        elif tag in HEADINGS:
            self.levels.pop()
        elif tag == "table":
            self.tables.pop()
        elif tag == "blockquote":
            self.quotes -= 1
        elif tag == "pre":
            self.pre -= 1


class _Cutter:
    def __init__(self) -> None:
        self.found: list[Block] = []
        self.place = _OpenBlocks()
        self._parts: list[str] = []
        self._start = self._last = -1
        self._linked = 0
        self._link_until = 0

    def finish(self, end: int) -> None:
        if self._parts:
            joined = "".join(self._parts)
            text = joined.strip("\n").rstrip() if self.place.pre else fold(joined).strip()
            if text.strip():
                self.found.append(Block(self._start, self._last, end, text, min(self._linked, len(text)), self.place))
            self._parts = []
            self._linked = 0

    def write(self, node: Node) -> None:
        text = node.text
        if not self._parts:
            if not text or text.isspace():
                return
            self._start = node.at
        self._parts.append(text)
        if not text.isspace():
            self._last = node.at
        if node.at < self._link_until:
            self._linked += len(text) if len(text) < 2 else len(fold(text))

    def element(self, node: Node) -> None:
        tag = node.tag
        if tag in BLOCKS:
            self.finish(node.at)
            self.place.enter(node)
        elif tag == "br":
            if self.place.pre:
                if self._parts:
                    self._parts.append("\n")
            else:
                self.finish(node.at)
        elif tag == "a" and (node.attributes.get("href") or "#")[0] != "#":
            self._link_until = max(self._link_until, node.end)


def cut_blocks(nodes: list[Node]) -> list[Block]:
    """The blocks of a page in reading order, blank ones left out."""
    cutter = _Cutter()
    place = cutter.place
    for node in nodes:
        while 0 <= place.closes_at() <= node.at:
            cutter.finish(node.at)
            place.leave()
        if node.tag == TEXT:
            cutter.write(node)
        else:
            cutter.element(node)
    cutter.finish(len(nodes))
    return cutter.found
