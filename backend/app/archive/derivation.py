"""Pages derived again: their stored bytes through the same readers, every part held beside what was recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Literal, Protocol

from ..evidence.page_facts import PageFacts, facts_from_pairs, facts_of, page_hidden, page_plain
from ..kernel.errors import ToolFailure, ToolTimeout
from ..kernel.journal_records import Called, Line
from ..kernel.models import FrozenModel
from ..kernel.results import RawItem, RawResult, SourceKind
from ..parsing.fetched import READER_VERSION, FetchedAs, PageAnswer, PageReading
from ..parsing.refusal import Refusal

__all__ = ["Derivation", "PageReader", "derive_again"]


class Derivation(FrozenModel):
    """How many pages came out again, and the first that did not."""

    derived: int
    result: Literal["identical", "differs", "missing"] = "identical"
    why: str = ""


class PageReader(Protocol):
    """Who reads bytes again: a pool of confined processes."""

    async def parse(self, data: bytes, name: str, /) -> PageAnswer: ...

    async def aclose(self) -> None: ...


Page = tuple[RawItem, PageFacts, FetchedAs]
Get = Callable[[str], bytes | None]


def derive_again(lines: Sequence[Line], get: Get, open_reader: Callable[[], PageReader]) -> Derivation:
    """Read every page of a session again, in the sandbox, without a network."""
    items = [(item, facts_from_pairs(item.metadata)) for line in lines for item in _items(line, get)]
    pages = [(item, facts, facts.read_as) for item, facts in items if facts.read_as is not None]
    if not pages:  # no process is needed, and no loop: even an idle one has a socket of its own
        return Derivation(derived=0)
    return asyncio.run(_derived(pages, get, open_reader))


async def _derived(pages: Sequence[Page], get: Get, open_reader: Callable[[], PageReader]) -> Derivation:
    async with aclosing(open_reader()) as reader:
        for number, (item, facts, about) in enumerate(pages):
            data = get(item.content_hash)
            named = item.content_hash[:12]
            if data is None:
                return Derivation(derived=number, result="missing", why=f"the bytes {named} of a page are missing")
            if facts.reader != READER_VERSION:
                why = f"page {named} was read by version {facts.reader}, this is {READER_VERSION}"
                return Derivation(derived=number, result="differs", why=why)
            try:
                read = await reader.parse(data, about.model_dump_json())
            except ToolTimeout:
                # Says something of this machine and nothing of the page.
                return Derivation(derived=number, result="differs", why=f"page {named} could not be read in time")
            except ToolFailure:
                read = Refusal.UNREADABLE
            others = _differing(item, facts, about, read)
            if others:
                why = f"page {named} comes out otherwise: {', '.join(others)}"
                return Derivation(derived=number, result="differs", why=why)
    return Derivation(derived=len(pages))


def _differing(item: RawItem, facts: PageFacts, about: FetchedAs, read: PageAnswer) -> list[str]:
    """The fields of an item that its bytes do not give again."""
    if not isinstance(read, PageReading):
        return ["nothing can be read"]
    raw = about.form == "raw"
    # What the server called the bytes is an input; everything else that an item says is made of them.
    content_type = facts.content_type if raw else read.content_type
    again = RawItem(
        kind=SourceKind.FETCHED,
        locator=about.url,
        requested=item.requested,
        title=read.title,
        body=read.text[: item.end],
        metadata=facts_of(about, read, content_type).pairs(),
        content_hash=read.content_hash,
        text_hash=read.text_hash,
        end=item.end,
        hidden=(*page_hidden(about.url, read), *page_plain(read, item.body)),
        carriers_removed=read.carriers_removed,
        verbatim=raw,
    )
    here, there = again.model_dump(), item.model_dump()
    return [name for name, value in there.items() if here[name] != value]


def _items(line: Line, get: Callable[[str], bytes | None]) -> tuple[RawItem, ...]:
    if not isinstance(line.record, Called) or line.record.input.raw is None or not line.record.input.fetched:
        return ()
    stored = get(line.record.input.raw)
    return () if stored is None else RawResult.model_validate_json(stored).items
