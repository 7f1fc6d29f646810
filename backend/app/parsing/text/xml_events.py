"""Reads XML as a stream of events: no tree, no entities but the known ones, nothing fetched, nothing unbounded."""

from __future__ import annotations

from html import unescape
from typing import Final, NoReturn, Protocol
from xml.parsers import expat

from ..refusal import ParseRefused, Refusal

__all__ = ["XmlReader", "read_xml"]

_DEEPEST: Final = 256
_MOST_ELEMENTS: Final = 2_000_000


class XmlReader(Protocol):
    """Takes the events; names are `namespace local`, or just `local` without a namespace."""

    def start(self, name: str, attributes: dict[str, str]) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, text: str) -> None: ...


def read_xml(data: bytes, reader: XmlReader) -> None:
    """Play the document to the reader.

    Raises:
        ParseRefused: not well-formed, too deep or too long (`unreadable`), or it declares its own entities (`bomb`).
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    # With an outside definition that is never read, an entity that nobody declared is skipped and told.
    parser.UseForeignDTD(True)
    depth = elements = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, elements
        depth, elements = depth + 1, elements + 1
        if depth > _DEEPEST or elements > _MOST_ELEMENTS:
            raise ParseRefused(Refusal.UNREADABLE)
        reader.start(name, attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        reader.end(name)

    def declared(*_: object) -> NoReturn:
        raise ParseRefused(Refusal.BOMB)

    def skipped(name: str, is_parameter: bool) -> None:
        if not is_parameter:
            reader.text(unescape(f"&{name};"))

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = reader.text
    parser.EntityDeclHandler = declared
    parser.SkippedEntityHandler = skipped
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as exc:
        raise ParseRefused(Refusal.UNREADABLE) from exc
