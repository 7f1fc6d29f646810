"""The words that the screen blocked, for operators: read from the stored answers, never from a journal (R14)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pydantic import ValidationError

from ..kernel.errors import StoreUnusable
from ..kernel.journal_records import Called, Line
from ..kernel.models import FrozenModel, Text
from ..kernel.results import Finding, RawItem, RawResult

__all__ = ["BlockedWords", "blocked_words"]

_AROUND: Final = 80
_LONGEST: Final = 600
Get = Callable[[str], bytes | None]


class BlockedWords(FrozenModel):
    """One finding with its place and its words; locator and words are empty where the store has lost the answer."""

    call_id: str
    rule_id: str
    part: str
    start: int
    end: int
    locator: Text = ""
    title: Text = ""
    before: Text = ""
    words: Text = ""
    after: Text = ""


def blocked_words(lines: Sequence[Line], get: Get) -> tuple[BlockedWords, ...]:
    """Every finding of a session, in the order of its record."""
    found: list[BlockedWords] = []
    for line in lines:
        called = line.record
        if isinstance(called, Called) and called.findings:
            items = _items(called, get)
            found.extend(_told(called.outcome.call_id, finding, items) for finding in called.findings)
    return tuple(found)


def _items(called: Called, get: Get) -> tuple[RawItem, ...]:
    try:
        stored = None if called.input.raw is None else get(called.input.raw)
        return () if stored is None else RawResult.model_validate_json(stored).items
    except (StoreUnusable, ValidationError):
        return ()


def _told(call_id: str, finding: Finding, items: Sequence[RawItem]) -> BlockedWords:
    position, _, part = finding.part.removeprefix("items.").partition(".")
    place = int(position) if position.isdecimal() else len(items)
    item = items[place] if place < len(items) else None
    text = "" if item is None else _part_of(item, part)
    low, high = finding.start, min(finding.end, finding.start + _LONGEST)
    return BlockedWords(
        call_id=call_id,
        rule_id=finding.rule_id,
        part=part or finding.part,
        start=finding.start,
        end=finding.end,
        locator="" if item is None else item.locator,
        title="" if item is None else item.title,
        before=text[max(0, low - _AROUND) : low],
        words=text[low:high],
        after=text[high : high + _AROUND],
    )


def _part_of(item: RawItem, part: str) -> str:
    """The text of a part as the screen names it: `title`, `body`, `hidden.0`, `metadata.2.value`."""
    name, _, rest = part.partition(".")
    place, _, side = rest.partition(".")
    number = int(place) if place.isdecimal() else -1
    match name:
        case "locator":
            return item.locator
        case "requested":
            return item.requested
        case "title":
            return item.title
        case "snippet":
            return item.snippet
        case "body":
            return item.body
        case "hidden" if 0 <= number < len(item.hidden):
            return item.hidden[number]
        case "metadata" if 0 <= number < len(item.metadata):
            return item.metadata[number][0 if side == "name" else 1]
        case _:
            return ""
