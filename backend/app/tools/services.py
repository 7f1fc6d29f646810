"""The tool `services`: asks the providers of a ladder in order until one answers; answers are read in the sandbox."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Final

from pydantic import Field, ValidationError

from ..kernel.calls import CallContext, ToolCall
from ..kernel.errors import ContractViolation, ToolTimeout
from ..kernel.models import FrozenModel
from ..kernel.ports import Clock, ContentStore
from ..kernel.providers import (
    Fault,
    HttpAnswer,
    HttpRequest,
    Parsed,
    Provider,
    ProviderEntry,
    ProviderError,
    ProviderName,
    ProviderTable,
    Rung,
    ServiceAnswer,
    ServiceQuery,
)
from ..kernel.results import RawResult, UnavailableKind
from ..system.provider_code import ANSWER_PARSER, ANSWERS, AnswerAbout, load_provider, provider_modules
from ..system.provider_files import check_routing, missing_settings, read_providers, routed_providers
from ..system.settings import Settings
from .fetch.fetcher import Fetcher
from .sandbox.host.parser_answers import AnswerReader
from .sandbox.host.parsers import DocumentTooLarge, ParserPool, ParserRaised
from .sandbox.spec import ParserSpec
from .sandbox.walls.levels import SandboxLevel
from .service_exchange import LARGEST_ANSWER, Exchange, access_of, exchange
from .service_items import service_items
from .service_pace import ProviderPace

__all__ = ["LARGEST_ANSWER", "PRICE_UNITS", "ServiceDesk", "Services", "open_answer_reader", "open_services"]

PRICE_UNITS: Final = 20
"""What one call may cost at most; the row of the tool in the catalogue says the same."""

_BEFORE_THE_CUT_MS: Final = 50
_LAST_MOMENT_MS: Final = 100
_LONGEST_WAIT_MS: Final = 1_000
_THROTTLED: Final = (Fault.QUOTA, Fault.RATE_LIMITED)
_NOT_SET_UP: Final = (Fault.NOT_CONFIGURED, Fault.NOT_ROUTED)
_EMPTY: Final = ProviderTable(catalog_version=1, providers=())
_OWN: Final = ("providers", "kind", "query", "ids", "limit")


class _ServiceParams(FrozenModel):
    providers: Annotated[tuple[ProviderName, ...], Field(min_length=1, max_length=10)]
    asked: ServiceQuery


@dataclass(frozen=True, slots=True)
class ServiceDesk:
    """Who may be asked for what: the catalogue, the operator's choices, and the way to the code of a provider."""

    table: ProviderTable
    settings: Settings
    load: Callable[[str], Provider] = load_provider


@dataclass(slots=True)
class _Climb:
    """One call on its way up the ladder."""

    context: CallContext
    asked: ServiceQuery
    ends_ms: int
    rungs: list[Rung] = field(default_factory=list)
    spent_units: int = 0
    at: str = ""
    """The provider that is being asked."""

    def pass_over(self, name: str, why: ProviderError) -> None:
        self.rungs.append(Rung(provider=name, fault=why.fault, retry_after_s=why.retry_after_s))


class Services:
    """One question per call, answered by the first provider that can, within the call's own deadline (R2, R11)."""

    def __init__(
        self,
        desk: ServiceDesk,
        fetcher: Callable[[], Fetcher],
        reader: ParserPool[ServiceAnswer],
        clock: Clock,
        store: ContentStore,
    ) -> None:
        self._desk = desk
        self._opened = cache(fetcher)
        self._reader = reader
        self._clock = clock
        self._store = store
        self._pace = ProviderPace(clock)

    async def call(self, call: ToolCall, context: CallContext) -> RawResult:
        """Ask the providers that the plan names, in its order.

        Raises:
            ContractViolation: the plan set parameters that the tool does not take.
            SandboxViolation: R16; a redirect to a place that is not public, a bomb, a parser that broke its walls.
            ToolResponseInvalid: what came out of the sandbox is not an answer.
        """
        sys.audit("portcullis.tool", call.tool)
        wish = _read(call, self._clock.now_ms())
        limit_ms = max(1, context.own_deadline_ms - _BEFORE_THE_CUT_MS)
        climb = _Climb(context, wish.asked, self._clock.now_ms() + limit_ms)
        try:
            async with asyncio.timeout(limit_ms / 1000):
                return await self._climbed(climb, wish.providers)
        except TimeoutError:  # only who is being asked can be late
            climb.pass_over(climb.at, ProviderError(fault=Fault.SLOW))
            return _unanswered(climb)

    async def aclose(self) -> None:
        """End the processes that read answers."""
        await self._reader.aclose()

    async def _climbed(self, climb: _Climb, names: tuple[str, ...]) -> RawResult:
        ready = [(name, self._ready(name, climb.asked)) for name in names]
        to_ask = sum(isinstance(entry, ProviderEntry) for _, entry in ready)
        if to_ask:
            self._reader.prepare()  # it starts while the server is still thinking
        for name, entry in ready:
            if isinstance(entry, ProviderError):
                climb.pass_over(name, entry)
                continue
            climb.at = name
            # What is left is shared out, so that one that hangs leaves time for the next.
            left_ms = climb.ends_ms - self._clock.now_ms()
            answer = await self._tried(climb, entry, self._clock.now_ms() + left_ms // to_ask)
            to_ask -= 1
            if isinstance(answer, RawResult):
                return answer
            climb.pass_over(name, answer)
        return _unanswered(climb)

    def _ready(self, name: str, asked: ServiceQuery) -> ProviderEntry | ProviderError:
        """The row of a provider that the operator lets be asked for this kind."""
        entry = self._desk.table.entry(name)
        if entry is None or name not in routed_providers(self._desk.table, self._desk.settings, asked.kind):
            return ProviderError(fault=Fault.NOT_ROUTED)
        if missing_settings(entry, self._desk.settings):
            return ProviderError(fault=Fault.NOT_CONFIGURED)
        return entry

    async def _tried(self, climb: _Climb, entry: ProviderEntry, ends_ms: int) -> RawResult | ProviderError:
        request = self._request(entry, climb.asked)
        if isinstance(request, ProviderError):
            return request
        # INVARIANT R11: never above what was reserved for the call.
        if climb.spent_units + entry.price_units > PRICE_UNITS:
            return ProviderError(fault=Fault.OVER_PRICE)
        got = await self._asked(climb, entry, request, ends_ms, entry.price_units)
        if isinstance(got, ProviderError):
            return got
        exchanged, read = got
        if read.follow_up:
            again = climb.asked.followed_by(read.follow_up)
            request = self._request(entry, again) if entry.follow_up else ProviderError(fault=Fault.UNREADABLE)
            if isinstance(request, ProviderError):
                return request
            # The price of the row is that of both.
            second = await self._asked(climb, entry, request, ends_ms, 0)
            if isinstance(second, ProviderError):
                return second
            exchanged, found = second
            if found.follow_up:
                return ProviderError(fault=Fault.UNREADABLE)
            read = Parsed(hits=found.hits, total=found.total or read.total, next_page=found.next_page)
        return await self._result(climb, entry, exchanged, read)

    def _request(self, entry: ProviderEntry, asked: ServiceQuery) -> HttpRequest | ProviderError:
        return self._desk.load(entry.name).request(asked, access_of(entry, self._desk.settings))

    async def _asked(
        self, climb: _Climb, entry: ProviderEntry, request: HttpRequest, ends_ms: int, price_units: int
    ) -> tuple[Exchange, Parsed] | ProviderError:
        """One request in its turn, and its answer as the confined reader understands it."""
        left_ms = ends_ms - self._clock.now_ms()
        if left_ms <= _LAST_MOMENT_MS:
            return ProviderError(fault=Fault.SLOW)
        wait_ms = self._pace.take_turn(entry, min(_LONGEST_WAIT_MS, left_ms // 2))
        if wait_ms is None:
            seconds = self._pace.closed_for_s(entry)
            return ProviderError(fault=Fault.RATE_LIMITED, retry_after_s=seconds or None)
        await asyncio.sleep(wait_ms / 1000)
        climb.spent_units += price_units
        access = access_of(entry, self._desk.settings)
        deadline_ms = ends_ms - self._clock.now_ms() - _LAST_MOMENT_MS
        got = await exchange(self._opened, self._clock, entry, request, access, climb.context.tenant, deadline_ms)
        if isinstance(got, ProviderError):
            return got
        read = await self._read(climb, entry, got.answer, ends_ms)
        if not isinstance(read, ProviderError):
            return got, read
        if read.retry_after_s and read.fault in (*_THROTTLED, Fault.BLOCKED, Fault.PROVIDER_DOWN):
            self._pace.close_for(entry, read.retry_after_s)
        # Asked for one thing and answered with another: that is not a question that it does not support.
        return ProviderError(fault=Fault.UNREADABLE) if read.fault is Fault.UNSUPPORTED else read

    async def _read(self, climb: _Climb, entry: ProviderEntry, answer: HttpAnswer, ends_ms: int) -> ServiceAnswer:
        about = _about(climb.asked.kind, entry, answer)
        left_ms = max(1, ends_ms - self._clock.now_ms())
        try:
            return await self._reader.parse(answer.body, about.model_dump_json(), deadline_ms=left_ms)
        except DocumentTooLarge:
            return ProviderError(fault=Fault.TOO_LARGE)
        except ParserRaised:
            return ProviderError(fault=Fault.UNREADABLE)
        except ToolTimeout:
            return ProviderError(fault=Fault.SLOW)

    async def _result(
        self, climb: _Climb, entry: ProviderEntry, got: Exchange, read: Parsed
    ) -> RawResult | ProviderError:
        rungs = (*climb.rungs, Rung(provider=entry.name))
        if not read.hits:
            return RawResult(status="empty", spent_units=climb.spent_units, rungs=rungs)
        # Kept before anybody can cite it: a record's bytes can be read again.
        tenant = climb.context.tenant
        await self._store.flush(tenant, (self._store.put(tenant, got.answer.body),))
        about = _about(climb.asked.kind, entry, got.answer)
        items, cut = service_items(read, about, got.answer.body, climb.asked.limit, climb.context.max_output_bytes)
        if not items:
            return ProviderError(fault=Fault.TOO_LARGE)
        return RawResult(
            status="ok",
            items=items,
            spent_units=climb.spent_units,
            truncated=cut,
            age_ms=got.age_ms,
            max_age_ms=got.max_age_ms,
            rungs=rungs,
        )


def open_services(settings: Settings, fetcher: Callable[[], Fetcher], clock: Clock, store: ContentStore) -> Services:
    """The tool with what the operator allows; where that is nothing, the catalogue is not even read.

    Raises:
        ContractViolation: the catalogue cannot be read.
        RequestInvalid: the settings route to a provider or kind that the catalogue does not have.
    """
    table = read_providers() if settings.search_routing or settings.keys or settings.urls else _EMPTY
    check_routing(table, settings)
    required = None if settings.sandbox == "any" else settings.sandbox
    reader = open_answer_reader(provider_modules(table), required)
    return Services(ServiceDesk(table, settings), fetcher, reader, clock, store)


def open_answer_reader(
    preload: tuple[str, ...],
    required: str | None = None,
    parser: str = ANSWER_PARSER,
) -> ParserPool[ServiceAnswer]:
    """One pool of confined processes for the answers of all providers, whose modules are loaded before it confines."""
    spec = ParserSpec(
        parser=parser,
        preload=preload,
        largest_document=LARGEST_ANSWER,
        required=None if required is None else SandboxLevel(required),
    )
    return ParserPool(spec, AnswerReader(ANSWERS, lambda answer, data: True))


def _read(call: ToolCall, now_ms: int) -> _ServiceParams:
    given = dict(call.params)
    options = tuple((name, value) for name, value in call.params if name not in _OWN)
    asked = {name: given[name] for name in _OWN[1:] if name in given}
    try:
        query = ServiceQuery.model_validate({**asked, "options": options, "now_ms": now_ms})
        return _ServiceParams.model_validate({"providers": given.get("providers"), "asked": query})
    except ValidationError as exc:
        raise ContractViolation("the parameters of services are invalid") from exc


def _about(kind: str, entry: ProviderEntry, answer: HttpAnswer) -> AnswerAbout:
    return AnswerAbout(provider=entry.name, kind=kind, status=answer.status, url=answer.url, headers=answer.headers)


def _unanswered(climb: _Climb) -> RawResult:
    """Nobody answered: that says nothing about whether there is such a source (R3)."""
    faults = [rung.fault for rung in climb.rungs]
    asked = [fault for fault in faults if fault not in (*_NOT_SET_UP, Fault.UNSUPPORTED)]
    if climb.asked.ids and asked and all(fault is Fault.NOT_FOUND for fault in asked):
        # Everybody who could be asked for it by name says that it does not exist.
        return RawResult(status="empty", spent_units=climb.spent_units, rungs=tuple(climb.rungs))
    if all(fault in _NOT_SET_UP for fault in faults):
        kind = UnavailableKind.AUTH
    elif all(fault in _THROTTLED for fault in faults):
        kind = UnavailableKind.RATE_LIMITED
    else:
        kind = UnavailableKind.PROVIDER_DOWN
    return RawResult(status="unavailable", unavailable=kind, spent_units=climb.spent_units, rungs=tuple(climb.rungs))
