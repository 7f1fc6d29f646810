"""Serving capabilities by name: policy, a request limit, an audit line, and a border round their code (R25)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from ..kernel.audit import AuditEvent
from ..kernel.canonical import sha256_hex
from ..kernel.capability import AnyCapability
from ..kernel.errors import ContractViolation, RequestInvalid, StoreUnusable
from ..kernel.failure import Failure
from ..kernel.ledger import Refused, Reservation
from ..kernel.outcome import ResearchOutcome
from ..kernel.ports import Audit, Clock, ContentStore, FinishedSessions, Ids, Ledger, ShownSources
from ..kernel.request import Principal, ResearchRequest, read_request
from ..kernel.stops import Signal, StopReason
from ..kernel.tripwire import NO_TRIPWIRE, Tripwire
from ..screen.carriers import strip_carriers
from .failures import failure_of_stop, rate_limited, unavailable
from .injection import InjectionScreen
from .policy import Policy

__all__ = ["OUTPUT_BYTES_MAX", "PORTS", "SERIES_MAX", "Served", "Serving", "TenantContent", "narrowed", "series_key"]

PORTS: Final = ("clock", "content", "sessions")
"""What a `store` capability can name in `needs`."""
SERIES_MAX: Final = 25
"""Sessions of one series."""
OUTPUT_BYTES_MAX: Final = 8_000_000
_LEASE_MS: Final = 60_000
T = TypeVar("T")
RunSession = Callable[[ResearchRequest, int, int], Awaitable[ResearchOutcome]]
"""Runs the session of a number; the last argument is what the sessions before it have spent."""


@dataclass(frozen=True, slots=True)
class Served:
    """A capability's result, the sessions behind it, and the number of texts withheld because of a directive."""

    result: BaseModel
    withheld: int = 0
    outcomes: tuple[ResearchOutcome, ...] = ()


class TenantContent:
    """The content store as a capability sees it: the objects of the tenant that asks, and no other."""

    def __init__(self, store: ContentStore, tenant: str) -> None:
        self._store = store
        self._tenant = tenant
        self._put: list[str] = []

    def put(self, data: bytes) -> str:
        """Keep bytes under their digest."""
        digest = self._store.put(self._tenant, data)
        self._put.append(digest)
        return digest

    def get(self, digest: str) -> bytes | None:
        """The bytes under a digest; None where this tenant has none."""
        return self._store.get(self._tenant, digest)

    async def flush(self) -> None:
        """Wait until all that was put is safe."""
        await self._store.flush(self._tenant, tuple(self._put))


class _NoSessions:
    """Of a gate that was opened without a recorded past."""

    def shown(self, principal: Principal, session_id: str) -> ShownSources | None:
        """Nothing."""
        return None


NO_SESSIONS: Final[FinishedSessions] = _NoSessions()


class Serving:
    """Runs `compute`, `store` and `series` capabilities, and checks whatever a capability hands out."""

    def __init__(
        self,
        policy: Policy,
        screen: InjectionScreen,
        ledger: Ledger,
        clock: Clock,
        ids: Ids,
        audit: Audit,
        store: ContentStore,
        tripwire: Tripwire = NO_TRIPWIRE,
        sessions: FinishedSessions = NO_SESSIONS,
    ) -> None:
        self._sessions = sessions
        self._policy = policy
        self._screen = screen
        self._ledger = ledger
        self._clock = clock
        self._ids = ids
        self._audit = audit
        self._store = store
        self._watched = tripwire

    async def serve(self, capability: AnyCapability, given: BaseModel, principal: Principal, run: RunSession) -> Served:
        """Answer one request; every way out leaves an audit line.

        Raises:
            RequestInvalid: the capability refuses its input.
        """
        started_ms = self._clock.now_ms()
        code, withheld = RequestInvalid.__name__, 0
        try:
            border = _Border()
            served = Served(unavailable(retryable=False))
            with border:
                served = await self._served(capability, given, principal, run, started_ms)
            code = border.caught or (served.result.error.kind if isinstance(served.result, Failure) else "")
            withheld = served.withheld
            return served
        finally:
            self._note(capability, principal, started_ms, code, withheld)

    def concluded(
        self, capability: AnyCapability, principal: Principal, conclude: Callable[[], BaseModel]
    ) -> BaseModel:
        """What a capability makes of a session that has ended: an output of its type, or a failure (R14)."""
        border = _Border()
        result: BaseModel = unavailable(retryable=False)
        with border:
            result = self._typed(capability, self._pure(conclude))
        if border.caught:
            self._note(capability, principal, self._clock.now_ms(), border.caught, 0)
        return result

    def screened(self, result: BaseModel) -> Served:
        """A result without the texts that carry a directive; a shape that cannot do without them is a failure."""
        told = result.model_dump(mode="json", by_alias=True)
        texts = list(_texts(told))
        if sum(len(text) for text in texts) > OUTPUT_BYTES_MAX:
            return Served(unavailable(retryable=False))
        bad = {text for text in dict.fromkeys(texts) if self._screen.find(text)}
        carried = any(strip_carriers(text).removed for text in texts)
        # Read as one text, too: a directive may be cut in two by the edge of a field.
        if not bad and self._screen.find("\n".join(texts)):
            return Served(unavailable(retryable=False), 1)
        if not bad and not carried:
            return Served(result)
        try:
            return Served(type(result).model_validate(_without(told, bad), strict=False), len(bad))
        except ValidationError:
            return Served(unavailable(retryable=False), len(bad))

    async def _served(
        self, capability: AnyCapability, given: BaseModel, principal: Principal, run: RunSession, now_ms: int
    ) -> Served:
        caps = self._policy.admits(principal)
        if isinstance(caps, tuple):
            return Served(_refusal(caps))
        wish = Reservation(
            # Requests are counted apart from tool calls, in the same kind of window.
            subject=f"{principal.subject}/requests",
            session_id=self._ids.session_id(),
            key="request",
            calls=1,
            units=0,
            max_calls_per_minute=caps.max_tool_calls_per_minute,
            max_calls_total=1,
            max_units=0,
            lease_ms=_LEASE_MS,
        )
        try:
            decision = await self._ledger.reserve(wish)
            if isinstance(decision, Refused):
                moment = decision.retry_at_ms
                return Served(rate_limited(None if moment is None else max(1, -(-(moment - now_ms) // 1000))))
            await self._ledger.settle(decision.reservation_id, 0)
            if capability.kind == "series":
                return await self._series(capability, given, run)
            async with asyncio.timeout(caps.per_call_timeout_ms / 1000):
                return self.screened(await self._result(capability, given, principal))
        except (StoreUnusable, TimeoutError):
            return Served(unavailable(retryable=True))

    async def _series(self, capability: AnyCapability, given: BaseModel, run: RunSession) -> Served:
        """A fixed sequence of sessions, each with its own grant and stop; a stopped one is data (R19)."""
        step, conclude = capability.next_session, capability.conclude
        if step is None or conclude is None:
            raise ContractViolation(f"capability `{capability.name}` is no series")
        done: tuple[ResearchOutcome, ...] = ()
        while (asked := self._pure(partial(step, given, done))) is not None:
            if len(done) == SERIES_MAX:
                return Served(unavailable(retryable=False), 0, done)
            spent = sum([outcome.spent_units for outcome in done])
            done = (*done, await run(asked, len(done) + 1, spent))
        # What is merged out of several sessions is screened once more as a whole (R28).
        merged = self.screened(self._typed(capability, self._pure(partial(conclude, given, done))))
        return Served(merged.result, merged.withheld, done)

    async def _result(self, capability: AnyCapability, given: BaseModel, principal: Principal) -> BaseModel:
        compute, serve = capability.compute, capability.serve
        if compute is not None:
            return self._typed(capability, self._pure(lambda: compute(given)))
        if serve is None:
            raise ContractViolation(f"capability `{capability.name}` is not served without a session")
        content = TenantContent(self._store, principal.tenant)
        sessions = partial(self._sessions.shown, principal)
        offered = {"clock": self._clock, "content": content, "sessions": sessions}
        ports = {name: offered[name] for name in capability.needs}
        result = await serve(given, ports, principal)
        await content.flush()
        return self._typed(capability, result)

    def _pure(self, work: Callable[[], T]) -> T:
        """Functions of a capability are pure; the tripwire sees to it."""
        with self._watched.armed():
            return work()

    def _typed(self, capability: AnyCapability, result: BaseModel) -> BaseModel:
        if not isinstance(result, capability.output | Failure):
            raise ContractViolation(f"capability `{capability.name}` answered with something else than its output")
        return result

    def _note(self, capability: AnyCapability, principal: Principal, started_ms: int, code: str, withheld: int) -> None:
        self._audit.note(
            AuditEvent(
                tenant=principal.tenant,
                user=principal.user,
                capability=capability.name,
                duration_ms=max(0, self._clock.now_ms() - started_ms),
                success=not code,
                error_code=code,
                withheld=withheld,
            )
        )


class _Border:
    """The border round a capability's own code: what it raises is told by its type in the audit line, never to the
    caller (R14). A mistake of the caller's passes, and so does everything that ends the task."""

    def __init__(self) -> None:
        self.caught = ""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        if not isinstance(error, Exception) or isinstance(error, RequestInvalid):
            return False
        self.caught = type(error).__name__
        return True


def series_key(key: str, number: int) -> str:
    """The key of one session of a series: derived, so that no key of a caller's is ever the same."""
    return sha256_hex(f"series\n{key}\n{number}".encode())


def narrowed(asked: ResearchRequest, allowed: ResearchRequest, spent: int) -> ResearchRequest:
    """One session of a series, under what its caller allows the whole of it: the smaller of two wishes rules."""
    own = dict(asked.narrow)
    both = {name: _smaller(own[name], wish) for name, wish in allowed.narrow}
    left = None if allowed.balance_units is None else max(0, allowed.balance_units - spent)
    fields = {**dict(asked), "narrow": both, "balance_units": _smaller(asked.balance_units, left)}
    return read_request(**{**fields, "clarified": asked.clarified or allowed.clarified})


def _refusal(signals: tuple[Signal, ...]) -> Failure:
    first = min((signal.reason for signal in signals), key=list(StopReason).index)
    return failure_of_stop(first) or unavailable(retryable=False)


def _texts(value: object) -> Iterator[str]:
    """Every text of a document, the names of its fields included: some are chosen by whoever filled it."""
    match value:
        case str():
            yield value
        case Mapping():
            for name, one in value.items():
                yield str(name)
                yield from _texts(one)
        case list():
            for one in value:
                yield from _texts(one)


def _without(value: object, bad: set[str]) -> object:
    match value:
        case str():
            return "" if value in bad else strip_carriers(value).text
        case Mapping():
            return {str(name): _without(one, bad) for name, one in value.items() if name not in bad}
        case list():
            return [_without(one, bad) for one in value]
    return value


def _smaller(one: int | None, other: int | None) -> int | None:
    return min([wish for wish in (one, other) if wish is not None], default=None)
