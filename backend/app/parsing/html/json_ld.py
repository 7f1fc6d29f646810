"""Reads the JSON-LD of a page within bounds: which blocks are JSON at all, and what they say about the article."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from ..text.clean_text import cleaned, without_controls

__all__ = ["LinkedData", "read_json_ld", "strings_of"]

_MOST_BLOCKS: Final = 20
_MOST_CHARACTERS: Final = 100_000
_MOST_ITEMS: Final = 200
_LONGEST: Final = 500
_LONGEST_BODY: Final = 100_000
_MOST_AUTHORS: Final = 10
_ARTICLE_ENDINGS: Final = ("article", "posting", "report", "review", "recipe", "guide", "book", "thesis", "webpage")


@dataclass(frozen=True, slots=True)
class LinkedData:
    """What the blocks say; empty where they say nothing."""

    blocks: tuple[str, ...] = ()
    """Each block verbatim, if it is JSON and fits."""
    types: tuple[str, ...] = ()
    headline: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    modified: str = ""
    description: str = ""
    publisher: str = ""
    body: str = ""
    upvotes: int = 0
    comments: int = 0


def read_json_ld(sources: list[str]) -> LinkedData:
    """The linked data in the texts of a page's JSON-LD scripts; what is broken or too long is left out."""
    kept: list[str] = []
    values: list[Any] = []
    left = _MOST_CHARACTERS
    for source in sources[:_MOST_BLOCKS]:
        block = source.strip()
        if not block or len(block) > left:
            continue
        try:
            values.append(json.loads(block, parse_constant=_no_number))
        except (ValueError, RecursionError):
            continue
        left -= len(block)
        kept.append(block)
    items = [item for value in values for item in _items(value)][:_MOST_ITEMS]
    return _told(tuple(kept), items)


def _no_number(text: str) -> Any:
    """Python reads `NaN` and `Infinity`, which are no JSON."""
    raise ValueError(text)


def strings_of(blocks: Iterable[str]) -> Iterator[str]:
    """What blocks say when they are read, names and carriers included, without signs in between; a text for each."""
    for block in blocks:
        said: list[str] = []
        waiting: list[Any] = [json.loads(block)]
        while waiting:
            match waiting.pop():
                case str() as text:
                    said.append(text)
                case list() as values:
                    waiting.extend(reversed(values))
                case dict() as pairs:
                    waiting.extend(part for pair in reversed(pairs.items()) for part in reversed(pair))
        if text := without_controls("\n".join(said)).strip():
            yield text


def _items(value: Any) -> Iterator[dict[str, Any]]:
    """Objects at the top: alone, in a list, or in a graph."""
    waiting = [value]
    for _ in range(_MOST_ITEMS):
        if not waiting:
            return
        one = waiting.pop(0)
        if isinstance(one, list):
            waiting.extend(one[:_MOST_ITEMS])
        elif isinstance(one, dict):
            yield one
            if isinstance(graph := one.get("@graph"), list):
                waiting.extend(graph[:_MOST_ITEMS])
            if isinstance(main := one.get("mainEntity"), dict):
                waiting.append(main)


def _told(blocks: tuple[str, ...], items: list[dict[str, Any]]) -> LinkedData:
    types = tuple(dict.fromkeys(name for item in items for name in _types(item)))
    # What describes the article comes before what describes its site.
    telling = [item for item in items if any(name.lower().endswith(_ARTICLE_ENDINGS) for name in _types(item))]
    telling = sorted(telling, key=lambda item: "articleBody" not in item and "headline" not in item)
    upvotes, comments = _engagement(items)
    return LinkedData(
        blocks=blocks,
        types=types,
        headline=_first(telling, "headline", "name"),
        authors=next((names for item in telling if (names := _names(item.get("author")))), ()),
        published=_first(telling, "datePublished", "dateCreated"),
        modified=_first(telling, "dateModified"),
        description=_first(telling, "description"),
        publisher=next((names[0] for item in telling if (names := _names(item.get("publisher")))), ""),
        body=next((text for item in telling if (text := _text(item.get("articleBody"), _LONGEST_BODY))), ""),
        upvotes=upvotes,
        comments=comments,
    )


def _types(item: dict[str, Any]) -> tuple[str, ...]:
    named = item.get("@type")
    names = named if isinstance(named, list) else [named]
    return tuple(_text(name, _LONGEST).rpartition("/")[2] for name in names[:5] if isinstance(name, str))


def _first(items: list[dict[str, Any]], *names: str) -> str:
    return next((text for name in names for item in items if (text := _text(item.get(name), _LONGEST))), "")


def _text(value: Any, longest: int) -> str:
    return " ".join(cleaned(value[:longest]).text.split()) if isinstance(value, str) else ""


def _names(value: Any) -> tuple[str, ...]:
    """Of persons or organisations, given as texts, as objects, or as a list of both."""
    people = value if isinstance(value, list) else [value]
    found: list[str] = []
    for person in people[:_MOST_AUTHORS]:
        name = person.get("name") if isinstance(person, dict) else person
        if isinstance(name, list):
            name = name[0] if name else ""
        if (text := _text(name, _LONGEST)) and text not in found:
            found.append(text)
    return tuple(found)


def _engagement(items: list[dict[str, Any]]) -> tuple[int, int]:
    upvotes = comments = 0
    for item in items:
        statistics = item.get("interactionStatistic")
        for counter in (statistics if isinstance(statistics, list) else [statistics])[:20]:
            if not isinstance(counter, dict):
                continue
            kind = counter.get("interactionType")
            kind = kind.get("@type") if isinstance(kind, dict) else kind
            count = _count(counter.get("userInteractionCount"))
            if isinstance(kind, str) and kind.endswith(("LikeAction", "VoteAction", "AgreeAction")):
                upvotes = max(upvotes, count)
            elif isinstance(kind, str) and kind.endswith("CommentAction"):
                comments = max(comments, count)
        comments = max(comments, _count(item.get("commentCount")))
    return upvotes, comments


def _count(value: Any) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 12:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else 0
