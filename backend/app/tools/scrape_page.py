"""The tool `scrape_page`: fetches one URL, has its bytes read in a confined process, and hands over what they say."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Annotated, Final

from pydantic import Field, TypeAdapter, ValidationError

from ..evidence.page_facts import PLAIN_SLACK, facts_of, page_hidden, page_plain
from ..kernel.calls import CallContext, ToolCall
from ..kernel.canonical import sha256_hex
from ..kernel.errors import ContractViolation, DestinationForbidden, OutputTooLarge, ToolTimeout, ToolUnavailable
from ..kernel.models import FrozenModel, Text
from ..kernel.ports import Clock, ContentStore
from ..kernel.results import RawItem, RawResult, SourceKind, UnavailableKind
from ..parsing.fetched import FetchedAs, Form, PageAnswer, PageReading
from ..parsing.html.links import host_of
from ..parsing.http.exchange import FetchCode, Fetched, Unfetched, WebRequest, asks_for_login
from ..parsing.http.fields import field_value
from ..parsing.refusal import Refusal
from ..parsing.sites.fetch_plan import MOST_PARTS, MOST_ROUNDS, FetchPlan, Wanted, fetch_plan_of, may_ask, plain_way
from ..parsing.sites.joined_answers import Part, packed
from ..parsing.text.text_cuts import cut_bytes, cut_text, utf8_length
from .fetch.fetcher import Fetcher, result_of
from .sandbox.host.parser_answers import AnswerReader
from .sandbox.host.parsers import DocumentTooLarge, ParserPool, ParserRaised
from .sandbox.spec import ParserSpec, page_parser
from .sandbox.walls.levels import SandboxLevel

__all__ = ["LARGEST_BODY", "ScrapePage", "open_page_reader"]

LARGEST_BODY: Final = 20_000_000
"""Bytes of a response after decoding; longer text is cut, longer documents are refused."""

_LARGEST_PART: Final = 5_000_000
_SPENT_UNITS: Final = 1
_LAST_MOMENT_MS: Final = 100
_BEFORE_THE_CUT_MS: Final = 50
# Those who can write Markdown are asked for it first, in the same request.
_ACCEPT: Final = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.8"
_REFUSED: Final = {Refusal.TOO_LARGE: UnavailableKind.TOO_LARGE, Refusal.TOO_SLOW: UnavailableKind.SLOW}


class _ScrapeParams(FrozenModel):
    url: Text
    form: Form = "text"
    max_length: Annotated[int, Field(ge=1)]


class ScrapePage:
    """One page per call, within the call's own deadline, download and reading together (R2)."""

    def __init__(
        self,
        fetcher: Callable[[], Fetcher],
        reader: ParserPool[PageAnswer],
        clock: Clock,
        store: ContentStore,
    ) -> None:
        # Opened with the first page: reading the list of certificates is not for those who only ask their documents.
        self._opened = cache(fetcher)
        self._reader = reader
        self._clock = clock
        self._store = store

    async def call(self, call: ToolCall, context: CallContext) -> RawResult:
        """Fetch and read the page that the plan names.

        Raises:
            ContractViolation: the plan set parameters that the tool does not take.
            ToolUnavailable: the page could not be had or read in time.
            SandboxViolation: R16; a redirect to a place that is not public, a bomb, a reader that broke its walls.
            ToolResponseInvalid: the reader's answer is none.
        """
        sys.audit("portcullis.tool", call.tool)
        try:
            wish = _ScrapeParams.model_validate(dict(call.params))
        except ValidationError as exc:
            raise ContractViolation("the parameters of scrape_page are invalid") from exc
        # Where the hard limit is the smaller one, both are the same: what is late is `slow` all the same.
        limit_ms = max(1, context.own_deadline_ms - _BEFORE_THE_CUT_MS)
        ends_ms = self._clock.now_ms() + limit_ms
        self._reader.prepare()  # it starts while the server is still thinking
        try:
            async with asyncio.timeout(limit_ms / 1000):
                return await self._scraped(wish, context, ends_ms)
        except TimeoutError as exc:
            raise ToolUnavailable(UnavailableKind.SLOW) from exc

    async def aclose(self) -> None:
        """End the reader's processes."""
        await self._reader.aclose()

    async def _scraped(self, wish: _ScrapeParams, context: CallContext, ends_ms: int) -> RawResult:
        way = plain_way(wish.url) if wish.form == "raw" else fetch_plan_of(wish.url)
        got = await self._fetched(way.first[0], way, wish, context, ends_ms)
        if isinstance(got, Unfetched):
            return _nothing(got)
        if way.reader == "page" and asks_for_login(wish.url, got.url):
            return _unavailable(UnavailableKind.AUTH)
        if way.reader == "page":
            about = FetchedAs(
                url=got.url,
                content_type=got.content_type,
                charset=got.charset,
                form=wish.form,
                truncated=got.truncated,
            )
            data, read = got.body, await self._read(got.body, about, ends_ms)
        else:
            about = FetchedAs(url=way.url, form=wish.form, reader=way.reader, truncated=got.truncated)
            if not _stayed(way.first[0], got):
                return _unavailable(UnavailableKind.UNREADABLE)
            data, about, read = await self._assembled(got, way, about, wish, context, ends_ms)
            got = replace(got, url=way.url)
            if read is Refusal.EMPTY:  # the service was asked and has no such page
                return RawResult(status="empty", spent_units=_SPENT_UNITS)
        if not isinstance(read, PageReading):
            refusal = read if isinstance(read, Refusal) else Refusal.UNREADABLE
            return _unavailable(_REFUSED.get(refusal, UnavailableKind.UNREADABLE))
        # Kept before anybody can cite it: a source's bytes can be read again, and the text derived again.
        await self._store.flush(context.tenant, (self._store.put(context.tenant, data),))
        return _answer(wish, context, got, about, read)

    async def _assembled(
        self, got: Fetched, way: FetchPlan, about: FetchedAs, wish: _ScrapeParams, context: CallContext, ends_ms: int
    ) -> tuple[bytes, FetchedAs, PageAnswer]:
        """Fetch what the reader asks for, in a few rounds; what does not come is left out."""
        parts: list[Part] = [(way.first[0], got.body)]
        for number in range(MOST_ROUNDS):
            data = packed(parts)
            about = about.model_copy(update={"final": number == MOST_ROUNDS - 1})
            read = await self._read(data, about, ends_ms)
            if not isinstance(read, Wanted):
                return data, about, read
            if about.final:
                break
            if len(parts) + len(read.urls) > MOST_PARTS or not all(may_ask(way.reader, url) for url in read.urls):
                raise DestinationForbidden("a reader asked for what its page cannot need")
            answers = await asyncio.gather(
                *(self._fetched(url, way, wish, context, ends_ms) for url in read.urls), return_exceptions=True
            )
            for url, answer in zip(read.urls, answers, strict=True):
                if isinstance(answer, BaseException):
                    raise answer
                here = isinstance(answer, Fetched) and _stayed(url, answer)
                parts.append((url, answer.body if isinstance(answer, Fetched) and here else None))
        return data, about, Refusal.UNREADABLE

    async def _fetched(
        self, url: str, way: FetchPlan, wish: _ScrapeParams, context: CallContext, ends_ms: int
    ) -> Fetched | Unfetched:
        request = WebRequest(
            url=url,
            tenant=context.tenant,
            deadline_ms=ends_ms - self._clock.now_ms() - _LAST_MOMENT_MS,
            max_bytes=LARGEST_BODY if way.reader == "page" else _LARGEST_PART,
            accept="*/*" if wish.form == "raw" or way.reader != "page" else _ACCEPT,
            robots=not way.for_programs,
            paced=not way.for_programs,
        )
        return await self._opened().fetch(request)

    async def _read(self, data: bytes, about: FetchedAs, ends_ms: int) -> PageAnswer:
        left_ms = max(1, ends_ms - self._clock.now_ms())
        try:
            read = await self._reader.parse(data, about.model_dump_json(), deadline_ms=left_ms)
        except DocumentTooLarge:
            return Refusal.TOO_LARGE
        except ParserRaised:
            return Refusal.UNREADABLE
        except ToolTimeout:
            return Refusal.TOO_SLOW
        if read is Refusal.BOMB:
            raise OutputTooLarge("the document is a decompression bomb")
        return read


def open_page_reader(required: str | None = None) -> ParserPool[PageAnswer]:
    """A pool of confined processes for `read_fetched`, which read nothing unless they are confined as `required`."""
    spec = ParserSpec(
        parser=page_parser(),
        largest_document=LARGEST_BODY,
        required=None if required is None else SandboxLevel(required),
    )
    return ParserPool(spec, _READINGS)


def _sound(answer: PageAnswer, data: bytes) -> bool:
    """Whether a reading is one of these bytes: its hashes are what a citation will rest on."""
    if not isinstance(answer, PageReading):
        return True
    # Names that a page may choose have their prefixes: none of them passes for one of ours.
    told = all(name.startswith(("og:", "article:")) for name, _ in answer.structured.open_graph) and all(
        name.startswith("citation_") for name, _ in answer.structured.citation
    )
    return (
        told and answer.content_hash == sha256_hex(data) and answer.text_hash == sha256_hex(answer.text.encode("utf-8"))
    )


_Answer = Annotated[PageAnswer, Field(union_mode="left_to_right")]
_READINGS: Final = AnswerReader(TypeAdapter[PageAnswer](_Answer), _sound)


def _stayed(asked: str, got: Fetched) -> bool:
    """Whether an answer is from the service that was asked: what another says is not cited in its name."""
    return got.url.startswith("https://") and host_of(got.url) == host_of(asked)


def _nothing(unfetched: Unfetched) -> RawResult:
    if unfetched.code is FetchCode.NO_CONTENT:  # the page is there and says nothing, unlike one that is not found
        return _unavailable(UnavailableKind.UNREADABLE)
    return result_of(unfetched, _SPENT_UNITS)


def _unavailable(kind: UnavailableKind) -> RawResult:
    return RawResult(status="unavailable", unavailable=kind, spent_units=_SPENT_UNITS)


def _answer(wish: _ScrapeParams, context: CallContext, got: Fetched, about: FetchedAs, read: PageReading) -> RawResult:
    raw = wish.form == "raw"
    metadata = facts_of(about, read, field_value(got.fields, "content-type") if raw else read.content_type).pairs()
    hidden = page_hidden(got.url, read)
    beside = (got.url, wish.url, read.title, *hidden, *(part for pair in metadata for part in pair))
    room = context.max_output_bytes - sum(utf8_length(part) for part in beside)
    if read.plain:
        room = (room - PLAIN_SLACK) * 8 // 17  # the text goes to the screen twice
    body, cut = (cut_bytes if raw else cut_text)(read.text, max(1, min(wish.max_length, room)))
    item = RawItem(
        kind=SourceKind.FETCHED,
        locator=got.url,
        requested=wish.url,
        title=read.title,
        body=body,
        metadata=metadata,
        content_hash=read.content_hash,
        text_hash=read.text_hash,
        end=len(body),
        hidden=(*hidden, *page_plain(read, body)),
        carriers_removed=read.carriers_removed,
        verbatim=raw,
    )
    return RawResult(
        status="ok",
        items=(item,),
        spent_units=_SPENT_UNITS,
        truncated=cut or read.truncated,
        age_ms=None if got.cache == "none" else got.age_ms,
        max_age_ms=None if got.cache == "none" else got.max_age_ms,
    )
