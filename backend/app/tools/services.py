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
    Access,
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
from ..parsing.http.exchange import FetchCode, Fetched, Unfetched, WebRequest
from ..parsing.http.fields import field_value, retry_after_ms
from ..system.provider_code import ANSWER_PARSER, ANSWERS, AnswerAbout, load_provider, provider_modules
from ..system.provider_files import check_routing, missing_settings, read_providers
from ..system.settings import Settings
from .fetch.fetcher import Fetcher
from .sandbox.host.parser_answers import AnswerReader
from .sandbox.host.parsers import DocumentTooLarge, ParserPool, ParserRaised
from .sandbox.spec import ParserSpec
from .sandbox.walls.levels import SandboxLevel
from .service_items import service_items
from .service_pace import ProviderPace

__all__ = ["LARGEST_ANSWER", "PRICE_UNITS", "ServiceDesk", "Services", "open_answer_reader", "open_services"]

PRICE_UNITS: Final = 20
"""What one call may cost at most; the row of the tool in the catalogue says the same."""

LARGEST_ANSWER: Final = 5_000_000
"""Bytes of a response after decoding; a record cannot be cut."""

_BEFORE_THE_CUT_MS: Final = 50
_LAST_MOMENT_MS: Final = 100
_LONGEST_WAIT_MS: Final = 1_000
_LONGEST_HEADER: Final = 300
_TOLD_HEADERS: Final = ("content-language", "content-type", "last-modified", "link")
_THROTTLED: Final = (Fault.QUOTA, Fault.RATE_LIMITED)
_NOT_SET_UP: Final = (Fault.NOT_CONFIGURED, Fault.NOT_ROUTED)
_EMPTY: Final = ProviderTable(catalog_version=1, providers=())
_OWN: Final = ("providers", "kind", "query", "ids", "limit")
_FAULTS: Final = {
    UnavailableKind.SLOW: Fault.SLOW,
    UnavailableKind.TOO_LARGE: Fault.TOO_LARGE,
    UnavailableKind.UNREACHABLE: Fault.UNREACHABLE,
    UnavailableKind.REFUSED_DESTINATION: Fault.REFUSED_DESTINATION,
}


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
        wish = _read(call)
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
        if entry is None or name not in self._desk.settings.routed(asked.kind):
            return ProviderError(fault=Fault.NOT_ROUTED)
        if missing_settings(entry, self._desk.settings):
            return ProviderError(fault=Fault.NOT_CONFIGURED)
        return entry

    async def _tried(self, climb: _Climb, entry: ProviderEntry, ends_ms: int) -> RawResult | ProviderError:
        request = self._request(climb, entry)
        if isinstance(request, ProviderError):
            return request
        # INVARIANT R11: never above what was reserved for the call.
        if climb.spent_units + entry.price_units > PRICE_UNITS:
            return ProviderError(fault=Fault.OVER_PRICE)
        left_ms = ends_ms - self._clock.now_ms()
        if left_ms <= _LAST_MOMENT_MS:
            return ProviderError(fault=Fault.SLOW)
        wait_ms = self._pace.take_turn(entry, min(_LONGEST_WAIT_MS, left_ms // 2))
        if wait_ms is None:
            seconds = self._pace.closed_for_s(entry)
            return ProviderError(fault=Fault.RATE_LIMITED, retry_after_s=seconds or None)
        await asyncio.sleep(wait_ms / 1000)
        climb.spent_units += entry.price_units
        got = await self._fetched(climb, entry, request, ends_ms)
        if isinstance(got, ProviderError):
            return got
        answer, fetched = got
        read = await self._read(climb, entry, answer, ends_ms)
        if isinstance(read, ProviderError):
            if read.retry_after_s and read.fault in (*_THROTTLED, Fault.PROVIDER_DOWN):
                self._pace.close_for(entry, read.retry_after_s)
            return read
        return await self._result(climb, entry, answer, fetched, read)

    def _request(self, climb: _Climb, entry: ProviderEntry) -> HttpRequest | ProviderError:
        settings = self._desk.settings
        keys = tuple((name, secret) for name, secret in settings.keys if name in entry.settings)
        return self._desk.load(entry.name).request(climb.asked, Access(contact=settings.contact, keys=keys))

    async def _fetched(
        self, climb: _Climb, entry: ProviderEntry, request: HttpRequest, ends_ms: int
    ) -> tuple[HttpAnswer, Fetched | Unfetched] | ProviderError:
        """The answer of a service, whatever its status; an error only where there is none."""
        got = await self._opened().fetch(
            WebRequest(
                url=request.url,
                tenant=climb.context.tenant,
                deadline_ms=ends_ms - self._clock.now_ms() - _LAST_MOMENT_MS,
                max_bytes=LARGEST_ANSWER,
                method=request.method,
                accept="application/json, */*;q=0.5",
                credentials=request.headers,
                body=request.body,
                robots=False,
                paced=False,
                retried=False,
                hosts=entry.hosts,
            )
        )
        if isinstance(got, Unfetched):
            if got.code is not FetchCode.HTTP_STATUS:
                fault = Fault.UNREADABLE if got.kind is None else _FAULTS.get(got.kind, Fault.UNREADABLE)
                return ProviderError(fault=fault)
        elif got.truncated:
            return ProviderError(fault=Fault.TOO_LARGE)
        return self._answer(got), got

    def _answer(self, got: Fetched | Unfetched) -> HttpAnswer:
        told = tuple((name, value[:_LONGEST_HEADER]) for name, value in got.fields if name in _TOLD_HEADERS)
        # A date is of use to nobody who has no clock.
        pause_ms = retry_after_ms(field_value(got.fields, "retry-after"), self._clock.now_ms())
        pause = () if pause_ms is None else (("retry-after", str(-(-pause_ms // 1000))),)
        return HttpAnswer(status=got.status, url=got.url, headers=(*told, *pause), body=got.body)

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
        self, climb: _Climb, entry: ProviderEntry, answer: HttpAnswer, got: Fetched | Unfetched, read: Parsed
    ) -> RawResult | ProviderError:
        rungs = (*climb.rungs, Rung(provider=entry.name))
        if not read.hits:
            return RawResult(status="empty", spent_units=climb.spent_units, rungs=rungs)
        # Kept before anybody can cite it: a record's bytes can be read again.
        tenant = climb.context.tenant
        await self._store.flush(tenant, (self._store.put(tenant, answer.body),))
        about = _about(climb.asked.kind, entry, answer)
        items, cut = service_items(read, about, answer.body, climb.asked.limit, climb.context.max_output_bytes)
        if not items:
            return ProviderError(fault=Fault.TOO_LARGE)
        stored = got if isinstance(got, Fetched) and got.cache != "none" else None
        return RawResult(
            status="ok",
            items=items,
            spent_units=climb.spent_units,
            truncated=cut,
            age_ms=None if stored is None else stored.age_ms,
            max_age_ms=None if stored is None else stored.max_age_ms,
            rungs=rungs,
        )


def open_services(settings: Settings, fetcher: Callable[[], Fetcher], clock: Clock, store: ContentStore) -> Services:
    """The tool with what the operator allows; where that is nothing, the catalogue is not even read.

    Raises:
        ContractViolation: the catalogue cannot be read.
        RequestInvalid: the settings route to a provider or kind that the catalogue does not have.
    """
    table = read_providers() if settings.search_routing else _EMPTY
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


def _read(call: ToolCall) -> _ServiceParams:
    given = dict(call.params)
    options = tuple((name, value) for name, value in call.params if name not in _OWN)
    asked = {name: given[name] for name in _OWN[1:] if name in given}
    try:
        query = ServiceQuery.model_validate({**asked, "options": options})
        return _ServiceParams.model_validate({"providers": given.get("providers"), "asked": query})
    except ValidationError as exc:
        raise ContractViolation("the parameters of services are invalid") from exc


def _about(kind: str, entry: ProviderEntry, answer: HttpAnswer) -> AnswerAbout:
    url = answer.url.partition("?")[0]  # the query may hold a key, and this stands in metadata
    return AnswerAbout(provider=entry.name, kind=kind, status=answer.status, url=url, headers=answer.headers)


def _unanswered(climb: _Climb) -> RawResult:
    """Nobody answered: that says nothing about whether there is such a source (R3)."""
    faults = [rung.fault for rung in climb.rungs]
    if all(fault in _NOT_SET_UP for fault in faults):
        kind = UnavailableKind.AUTH
    elif all(fault in _THROTTLED for fault in faults):
        kind = UnavailableKind.RATE_LIMITED
    else:
        kind = UnavailableKind.PROVIDER_DOWN
    return RawResult(status="unavailable", unavailable=kind, spent_units=climb.spent_units, rungs=tuple(climb.rungs))
