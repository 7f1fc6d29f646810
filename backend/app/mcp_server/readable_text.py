"""An output as text for a person, or for a model whose client passes on nothing but text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

__all__ = ["readable"]

_FIRST: Final = ("answer", "status", "title", "name", "url", "link", "locator", "text", "snippet", "content")
# They identify and measure: for programs, which find them in the structured content.
_FOR_PROGRAMS: Final = (
    "contentHash",
    "content_hash",
    "textHash",
    "text_hash",
    "sourceId",
    "start",
    "end",
    "relevanceMilli",
)
# A part that says again what another part says, where that one is there.
_SAID_BY: Final = {"urls": "results", "combinedContent": "sources", "snippet": "raw_excerpt"}
_TRUST: Final = "trust"


def readable(body: Mapping[str, Any]) -> str:
    """The body as lines, the most telling ones first; nothing is cut short."""
    return "\n".join(_lines(body, "", whole=True))


def _lines(value: Mapping[str, Any], indent: str, *, whole: bool = False) -> Iterator[str]:
    for name in sorted(value, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST)):
        part = value[name]
        # What is said of the whole is not repeated in every part of it.
        if name in _FOR_PROGRAMS or value.get(_SAID_BY.get(name, "")) or (name == _TRUST and not whole):
            continue
        yield from _part(name, part, indent, whole=whole)


def _part(name: str, part: Any, indent: str, *, whole: bool) -> Iterator[str]:
    if part is None or part == "":
        return
    name = " ".join(name.split())  # some names come from pages
    if isinstance(part, Mapping | list):
        below = list(_lines(part, f"{indent}  ") if isinstance(part, Mapping) else _listed(part, f"{indent}  "))
        if below:
            yield f"{indent}{name}:"
            yield from below
        elif whole and isinstance(part, list):
            yield f"{name}: none"
        return
    # Lines of a text are set in, so that none of them can pass for a part of the answer.
    first, *rest = _plain(part).splitlines() or [""]
    if rest:
        yield f"{indent}{name}:"
        yield from (f"{indent}  {line}" if line else "" for line in (first, *rest))
    else:
        yield f"{indent}{name}: {first}"


def _listed(rows: list[Any], indent: str) -> Iterator[str]:
    for number, row in enumerate(rows, start=1):
        if isinstance(row, Mapping):
            first, *rest = list(_lines(row, f"{indent}   ")) or [""]
            yield f"{indent}{number}. {first.strip()}"
            yield from rest
        else:
            yield f"{indent}{number}. {' '.join(_plain(row).splitlines())}"


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
