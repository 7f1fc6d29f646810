"""The tool `services`: asks the providers of a ladder in order until one answers; answers are read in the sandbox."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from functools import cache as made_once
from typing import Final

from ..kernel.calls import CallContext, ToolCall
from ..kernel.errors import ToolTimeout
from ..kernel.ports import Clock, ContentStore
from ..kernel.providers import (
    Fault,
    HttpAnswer,
    HttpRequest,
    Parsed,
    ProviderEntry,
    ProviderError,
    ServiceAnswer,
    ServiceQuery,
)
from ..kernel.results import RawResult
from ..system.lens_files import read_lenses
from ..system.provider_code import ANSWER_PARSER, ANSWERS, AnswerAbout, provider_modules
from ..system.provider_files import check_routing, read_providers
from ..system.reputation_files import read_reputation
from ..system.settings import Settings
from .fetch.fetcher import Fetcher
from .fetch.ports import ResponseCache
from .ladder_run import Climb, unanswered
from .sandbox.host.parser_answers import AnswerReader
from .sandbox.host.parsers import DocumentTooLarge, ParserPool, ParserRaised
from .sandbox.spec import ParserSpec
from .sandbox.walls.levels import SandboxLevel
from .service_breaker import ProviderBreakers
from .service_choice import ServiceDesk, read_params
from .service_exchange import LARGEST_ANSWER, Exchange, exchange
from .service_items import service_items
from .service_pace import ProviderPace
from .stored_answers import StoredAnswers

__all__ = ["LARGEST_ANSWER", "PRICE_UNITS", "ServiceDesk", "Services", "open_answer_reader", "open_services"]

PRICE_UNITS: Final = 40
"""What one call may cost at most, all rungs included; the row of the tool in the catalogue says the same."""

_BEFORE_THE_CUT_MS: Final = 50
_LAST_MOMENT_MS: Final = 100
_LONGEST_WAIT_MS: Final = 1_000
# Who had less time than this is not to blame for being late, and nobody is in a call that its caller cut short: a
# provider is not closed for others by asking in haste.
_FAIR_MS: Final = 500
_FULL_CALL_MS: Final = 4_000


class Services:
    """One question per call, answered by the first provider that can, within the call's own deadline (R2, R11)."""

    def __init__(
        self,
        desk: ServiceDesk,
        fetcher: Callable[[], Fetcher],
        reader: ParserPool[ServiceAnswer],
        clock: Clock,
        store: ContentStore,
        cache: ResponseCache | None = None,
    ) -> None:
        self._desk = desk
        self._opened = made_once(fetcher)
        self._reader = reader
        self._clock = clock
        self._store = store
        self._pace = ProviderPace(clock)
        self._breakers = ProviderBreakers(clock)
        self._stored = StoredAnswers(cache, clock)

    async def call(self, call: ToolCall, context: CallContext) -> RawResult:
        """Ask the providers that the plan names, or those of the operator, in order.

        Raises:
            ContractViolation: the plan set parameters that the tool does not take.
            SandboxViolation: R16; a redirect to a place that is not public, a bomb, a parser that broke its walls.
            ToolResponseInvalid: what came out of the sandbox is not an answer.
        """
        sys.audit("portcullis.tool", call.tool)
        wish = read_params(call, self._clock.now_ms())
        route = self._desk.route(wish)
        if isinstance(route, RawResult):
            return route
        # R36: who could be asked is read once, before anybody is, and recorded.
        offered = self._desk.offers((wish.asked.kind, *wish.offers), self._healthy)
        if wish.provider and isinstance(self._desk.ready(wish.provider, wish.asked.kind, route.engine), ProviderError):
            offered = self._desk.supported(wish.asked.kind)
        limit_ms = max(1, context.own_deadline_ms - _BEFORE_THE_CUT_MS)
        climb = Climb(context, wish, route, offered, self._clock.now_ms() + limit_ms)
        try:
            async with asyncio.timeout(limit_ms / 1000):
                return await self._climbed(climb)
        except TimeoutError:  # only who is being asked can be late
            climb.pass_over(climb.at, ProviderError(fault=Fault.SLOW))
            return unanswered(climb)

    @property
    def left_alone(self) -> tuple[str, ...]:
        """The providers whose circuit breakers are open."""
        return self._breakers.open_now()

    async def aclose(self) -> None:
        """End the processes that read answers."""
        await self._reader.aclose()

    def _healthy(self, entry: ProviderEntry) -> bool:
        return self._breakers.state(entry.name) != "open" and not self._pace.closed_for_s(entry)

    async def _climbed(self, climb: Climb) -> RawResult:
        kind, engine = climb.route.asked.kind, climb.route.engine
        ready = [(name, self._desk.ready(name, kind, engine)) for name in climb.route.names]
        to_ask = sum(isinstance(entry, ProviderEntry) for _, entry in ready)
        if to_ask:
            self._reader.prepare()  # it starts while the server is still thinking
        for name, entry in ready:
            climb.turn(name)
            if isinstance(entry, ProviderError):
                row = self._desk.table.entry(name)
                lacks = self._desk.missing(row, engine) if row and entry.fault is Fault.NOT_CONFIGURED else ()
                climb.pass_over(name, entry, lacks)
                continue
            # What is left is shared out, so that one that hangs leaves time for the next.
            left_ms = climb.ends_ms - self._clock.now_ms()
            answer = await self._tried(climb, entry, self._clock.now_ms() + left_ms // to_ask)
            to_ask -= 1
            if isinstance(answer, RawResult):
                return answer
            climb.pass_over(name, answer)
        return unanswered(climb)

    async def _tried(self, climb: Climb, entry: ProviderEntry, ends_ms: int) -> RawResult | ProviderError:
        asked, request = self._worded(climb, entry)
        if isinstance(request, ProviderError):
            return request
        # INVARIANT R11: never above what was reserved for the call.
        if climb.spent_units + entry.price_units > PRICE_UNITS:
            return ProviderError(fault=Fault.OVER_PRICE)
        got = await self._asked(climb, entry, request, ends_ms)
        if isinstance(got, ProviderError):
            return got
        exchanged, read = got
        if read.follow_up:
            request = self._request(climb, entry, asked.followed_by(read.follow_up))
            if not entry.follow_up:
                return ProviderError(fault=Fault.UNREADABLE)
            if isinstance(request, ProviderError):
                return request
            second = await self._asked(climb, entry, request, ends_ms)
            if isinstance(second, ProviderError):
                return second
            exchanged, found = second
            if found.follow_up:
                return ProviderError(fault=Fault.UNREADABLE)
            read = Parsed(hits=found.hits, total=found.total or read.total, next_page=found.next_page)
        return await self._result(climb, entry, exchanged, read)

    def _worded(self, climb: Climb, entry: ProviderEntry) -> tuple[ServiceQuery, HttpRequest | ProviderError]:
        """The request with every option that the provider knows; only wishes are left out, and that is recorded."""
        asked = climb.route.asked
        known = self._desk.load(entry.name).OPTIONS.get(asked.kind, ())
        wishes = [name for name in climb.wish.wishes if asked.option(name) is not None]
        left_out = [name for name in wishes if name not in known]
        request = self._request(climb, entry, asked.without(tuple(left_out)))
        for name in wishes:  # a value that it does not know, in the order in which the plan can do without
            if not isinstance(request, ProviderError) or request.fault is not Fault.UNSUPPORTED:
                break
            if name not in left_out:
                left_out.append(name)
                request = self._request(climb, entry, asked.without(tuple(left_out)))
        climb.seen.left_out = tuple(sorted(left_out))
        return asked.without(tuple(left_out)), request

    def _request(self, climb: Climb, entry: ProviderEntry, asked: ServiceQuery) -> HttpRequest | ProviderError:
        return self._desk.load(entry.name).request(asked, self._desk.access(entry, climb.route.engine))

    async def _asked(
        self, climb: Climb, entry: ProviderEntry, request: HttpRequest, ends_ms: int
    ) -> tuple[Exchange, Parsed] | ProviderError:
        """One request in its turn, or its stored answer, as the confined reader understands it."""
        tenant, engine = climb.context.tenant, climb.route.engine
        stored = self._stored.get(tenant, entry.name, request, engine, climb.max_age_ms)
        if stored is not None:
            kept = await self._read(climb, entry, stored.answer, ends_ms)
            if isinstance(kept, Parsed):
                climb.seen.cached = True
                return stored, kept
        left_ms = ends_ms - self._clock.now_ms()
        if left_ms <= _LAST_MOMENT_MS:
            return ProviderError(fault=Fault.SLOW)
        state = self._breakers.admit(entry.name)
        climb.seen.breaker = None if state == "closed" else state
        if state == "open":
            return ProviderError(fault=Fault.CIRCUIT_OPEN, retry_after_s=self._breakers.open_for_s(entry.name))
        try:
            got = await self._exchanged(climb, entry, request, ends_ms, left_ms)
            read = got if isinstance(got, ProviderError) else await self._read(climb, entry, got.answer, ends_ms)
        except BaseException:
            self._breakers.withdraw(entry.name)  # nobody waited for its end
            raise
        fair = left_ms >= _FAIR_MS and climb.context.own_deadline_ms >= _FULL_CALL_MS
        self._learn(climb, entry, got, read, fair=fair)
        if isinstance(got, ProviderError):
            return got
        if isinstance(read, ProviderError):
            # Asked for one thing and answered with another: that is not a question that it does not support.
            return ProviderError(fault=Fault.UNREADABLE) if read.fault is Fault.UNSUPPORTED else read
        if read.hits or read.follow_up:
            self._stored.put(tenant, entry.name, request, engine, got.answer, climb.max_age_ms)
        climb.seen.cached = False
        return got, read

    async def _exchanged(
        self, climb: Climb, entry: ProviderEntry, request: HttpRequest, ends_ms: int, left_ms: int
    ) -> Exchange | ProviderError:
        wait_ms = self._pace.take_turn(entry, min(_LONGEST_WAIT_MS, left_ms // 2))
        if wait_ms is None:
            seconds = self._pace.closed_for_s(entry)
            return _NoTurn(fault=Fault.RATE_LIMITED, retry_after_s=seconds or None)
        await asyncio.sleep(wait_ms / 1000)
        if not climb.paid:  # the price of the row is that of a follow-up, too
            climb.spent_units, climb.paid = climb.spent_units + entry.price_units, True
        access = self._desk.access(entry, climb.route.engine)
        deadline_ms = ends_ms - self._clock.now_ms() - _LAST_MOMENT_MS
        return await exchange(self._opened, self._clock, entry, request, access, climb.context.tenant, deadline_ms)

    def _learn(
        self,
        climb: Climb,
        entry: ProviderEntry,
        got: Exchange | ProviderError,
        read: ServiceAnswer,
        *,
        fair: bool,
    ) -> None:
        """What an exchange says about the health of a provider."""
        if isinstance(got, _NoTurn):
            self._breakers.withdraw(entry.name)
            return
        if isinstance(got, ProviderError):
            if got.fault is Fault.SLOW and not fair:
                self._breakers.withdraw(entry.name)
            else:
                self._breakers.report(entry.name, got.fault)
            return
        climb.seen.rate_left = None if got.rate is None else got.rate.left
        self._pace.heard(entry, got.rate)
        if isinstance(read, Parsed):
            self._breakers.report(entry.name, None)
            self._pace.answered(entry)
            return
        # A reader of ours that is slow says nothing about the service.
        self._breakers.report(entry.name, Fault.UNREADABLE if read.fault is Fault.SLOW else read.fault)
        if read.fault is Fault.RATE_LIMITED:
            self._pace.throttled(entry, read.retry_after_s)
        elif read.fault is Fault.QUOTA:
            self._pace.used_up(entry, read.retry_after_s)
        elif read.retry_after_s and read.fault in (Fault.BLOCKED, Fault.PROVIDER_DOWN):
            self._pace.close_for(entry, read.retry_after_s)

    async def _read(self, climb: Climb, entry: ProviderEntry, answer: HttpAnswer, ends_ms: int) -> ServiceAnswer:
        about = _about(climb.route.asked.kind, entry, answer)
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
        self, climb: Climb, entry: ProviderEntry, got: Exchange, read: Parsed
    ) -> RawResult | ProviderError:
        rungs = (*climb.rungs, climb.rung(entry.name, None))
        if not read.hits:
            return RawResult(status="empty", spent_units=climb.spent_units, rungs=rungs, offered=climb.offered)
        # Kept before anybody can cite it: a record's bytes can be read again.
        tenant, asked = climb.context.tenant, climb.route.asked
        await self._store.flush(tenant, (self._store.put(tenant, got.answer.body),))
        about = _about(asked.kind, entry, got.answer)
        items, cut = service_items(
            read, about, got.answer.body, asked.limit, climb.context.max_output_bytes, self._desk.reputation
        )
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
            offered=climb.offered,
        )


class _NoTurn(ProviderError):
    """Not asked: its own pause is not over, or the rate is used up."""


def open_services(
    settings: Settings,
    fetcher: Callable[[], Fetcher],
    clock: Clock,
    store: ContentStore,
    cache: ResponseCache | None = None,
) -> Services:
    """The tool with what the operator allows.

    Raises:
        ContractViolation: the catalogue cannot be read.
        RequestInvalid: the settings route to a provider or kind that the catalogue does not have.
    """
    table = read_providers()
    check_routing(table, settings)
    required = None if settings.sandbox == "any" else settings.sandbox
    reader = open_answer_reader(provider_modules(table), required)
    desk = ServiceDesk(table, settings, lenses=read_lenses(), reputation=read_reputation().by_host())
    return Services(desk, fetcher, reader, clock, store, cache)


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


def _about(kind: str, entry: ProviderEntry, answer: HttpAnswer) -> AnswerAbout:
    return AnswerAbout(provider=entry.name, kind=kind, status=answer.status, url=answer.url, headers=answer.headers)
