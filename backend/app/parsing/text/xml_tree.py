"""A small XML document as a tree, for the answers of services: bounded, without namespaces, entities or surprises."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ..refusal import ParseRefused, Refusal
from .xml_events import read_xml

__all__ = ["XmlNode", "read_tree"]

_LARGEST: Final = 5_000_000
_MOST_NODES: Final = 300_000


@dataclass(slots=True)
class XmlNode:
    """One element: its name without a namespace, its attributes, and what is inside in order."""

    name: str
    attributes: dict[str, str]
    inside: list[XmlNode | str] = field(default_factory=list)

    @property
    def children(self) -> Iterator[XmlNode]:
        """The elements right below."""
        return (part for part in self.inside if isinstance(part, XmlNode))

    def all(self, *path: str) -> list[XmlNode]:
        """Every element under these names, one inside the other."""
        found = [self]
        for name in path:
            found = [child for node in found for child in node.children if child.name == name]
        return found

    def first(self, *path: str) -> XmlNode | None:
        """The first of them."""
        return next(iter(self.all(*path)), None)

    def said(self, *path: str) -> str:
        """The text of the first of them as one line, markup inside it left out."""
        node = self.first(*path)
        return "" if node is None else " ".join(node.text.split())

    @property
    def text(self) -> str:
        """All text inside, in order."""
        parts: list[str] = []
        todo: list[XmlNode | str] = [self]
        while todo:
            part = todo.pop()
            if isinstance(part, str):
                parts.append(part)
            else:
                todo.extend(reversed(part.inside))
        return "".join(parts)


class _Tree:
    def __init__(self) -> None:
        self.root: XmlNode | None = None
        self._open: list[XmlNode] = []
        self._count = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > _MOST_NODES:
            raise ParseRefused(Refusal.TOO_LARGE)
        node = XmlNode(name.rpartition(" ")[2], {key.rpartition(" ")[2]: value for key, value in attributes.items()})
        if self._open:
            self._open[-1].inside.append(node)
        else:
            self.root = node
        self._open.append(node)

    def end(self, name: str) -> None:
        self._open.pop()

    def text(self, text: str) -> None:
        if self._open:
            self._open[-1].inside.append(text)


def read_tree(data: bytes) -> XmlNode:
    """The root of a document.

    Raises:
        ParseRefused: too long, not well-formed, too deep, too many elements, or with entities of its own.
    """
    if len(data) > _LARGEST:
        raise ParseRefused(Refusal.TOO_LARGE)
    tree = _Tree()
    read_xml(data, tree)
    if tree.root is None:
        raise ParseRefused(Refusal.UNREADABLE)
    return tree.root
