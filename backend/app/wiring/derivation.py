"""Texts derived again: the stored bytes of fetched pages through the same readers, held beside what was recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Literal

from ..kernel.errors import ToolFailure
from ..kernel.noun import Noun
from ..kernel.records import Called, Line
from ..kernel.results import RawItem, RawResult
from ..parsing.fetched import READER_VERSION, Reading
from ..parsing.refusal import Refusal
from ..research.adapter import open_page_reader
from ..system.settings import Settings

__all__ = ["READ_AS", "Derivation", "derive_again"]

READ_AS = "read_as"


class Derivation(Noun):
    """How many texts came out again, and the first that did not."""

    derived: int
    result: Literal["identical", "differs", "missing"] = "identical"
    why: str = ""


Page = tuple[RawItem, dict[str, str]]


def derive_again(lines: Sequence[Line], get: Callable[[str], bytes | None], settings: Settings) -> Derivation:
    """Read every page of a session again, in the sandbox, without a network."""
    items = [(item, dict(item.metadata)) for line in lines for item in _items(line, get)]
    pages = [(item, told) for item, told in items if READ_AS in told]
    # A session without pages needs no process, and no loop: even an idle one has a socket of its own.
    return asyncio.run(_derived(pages, get, settings)) if pages else Derivation(derived=0)


async def _derived(pages: Sequence[Page], get: Callable[[str], bytes | None], settings: Settings) -> Derivation:
    async with aclosing(open_page_reader(None if settings.sandbox == "any" else settings.sandbox)) as reader:
        for number, (item, told) in enumerate(pages):
            data = get(item.content_hash)
            named = item.content_hash[:12]
            if data is None:
                return Derivation(derived=number, result="missing", why=f"the bytes {named} of a page are missing")
            if told.get("reader") != READER_VERSION:
                why = f"page {named} was read by version {told.get('reader')}, this is {READER_VERSION}"
                return Derivation(derived=number, result="differs", why=why)
            try:
                read = await reader.parse(data, told[READ_AS])
            except ToolFailure:
                read = Refusal.UNREADABLE
            same = isinstance(read, Reading) and (read.text_hash, read.text[item.start : item.end], read.title) == (
                item.text_hash,
                item.body,
                item.title,
            )
            if not same:
                return Derivation(derived=number, result="differs", why=f"the text of page {named} comes out otherwise")
    return Derivation(derived=len(pages))


def _items(line: Line, get: Callable[[str], bytes | None]) -> tuple[RawItem, ...]:
    if not isinstance(line.record, Called) or line.record.input.raw is None or not line.record.input.fetched:
        return ()
    stored = get(line.record.input.raw)
    return () if stored is None else RawResult.model_validate_json(stored).items
