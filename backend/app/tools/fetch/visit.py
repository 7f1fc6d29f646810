"""One fetch on its way: judged, pinned, polite, followed through its redirects, and ended by one outcome."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from ...kernel.errors import DestinationForbidden
from ...parsing.http.content_coding import ACCEPTED_CODINGS, CodingError
from ...parsing.http.exchange import (
    FetchCode,
    Fetched,
    StoredResponse,
    Timings,
    Unfetched,
    WebRequest,
    host_is_among,
    host_is_below,
    kind_of_status,
)
from ...parsing.http.fields import can_be_cut, field_value, media_type, retry_after_ms
from ...parsing.http.freshness import KEPT_FIELDS, conditions
from ...parsing.http.robots import ROBOTS_BYTES, RobotsRules, read_robots
from ...parsing.url.journeys import HopRefusal, Journey, judge_answer
from ...parsing.url.urls import JudgedUrl, UrlRefusal, judge_own_service
from .body import Body, read_body, read_start
from .host_limits import Hosts, TurnTooLate
from .name_lookup import LookupFailed
from .ports import FetchConfig, FetchPorts
from .response_cache import Shelf
from .robots_memory import RobotsMemory
from .wire import Wire, WireFault, WireResponse

__all__ = ["Shared", "Visit"]

_AGENT: Final = "portcullis"
_CODINGS: Final = ("Accept-Encoding", ACCEPTED_CODINGS)
_ERROR_BYTES: Final = 65_536
_REDIRECT_BYTES: Final = 16_384
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_BACKOFF_MS: Final = 300
_LAST_MOMENT_MS: Final = 250
_TRIED_AGAIN: Final = frozenset({FetchCode.CONNECT_FAILED, FetchCode.CUT_SHORT})
_TRIED_AGAIN_STATUSES: Final = frozenset({429, 502, 503, 504})
_HELD_AGAINST: Final = frozenset({
    FetchCode.CONNECT_FAILED, FetchCode.CONNECT_TIMEOUT, FetchCode.CUT_SHORT, FetchCode.PROTOCOL,
    FetchCode.READ_TIMEOUT, FetchCode.TLS_FAILED,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shared:
    """What all fetches of a process share."""

    config: FetchConfig
    ports: FetchPorts
    hosts: Hosts
    robots: RobotsMemory
    user_agent: str


@dataclass(frozen=True, slots=True)
class _Redirect:
    location: str


class Visit:
    """One fetch on its way: its journey, its pinned hosts and its connections."""

    def __init__(self, house: Shared, request: WebRequest, started_ms: int) -> None:
        self._house = house
        self._ports = house.ports
        self._request = request
        self._ends_ms = started_ms + request.deadline_ms
        self._wire = Wire(house.ports.dialler, house.ports.tls, house.ports.limits)
        self._shelf = Shelf(house.ports.cache, house.ports.clock, request, house.user_agent)
        self._first: tuple[str, str, int] | None = None
        self.timings = Timings()
        self.at = request.url
        self.asking = ""

    async def run(self) -> Fetched | Unfetched:
        journey = Journey(self._house.config.max_redirects)
        own = self._request.own_service
        allowed = self._house.config.own_services
        url = judge_own_service(self._request.url, allowed) if own else journey.start(self._request.url)
        if isinstance(url, UrlRefusal):
            return Unfetched.because(url.code, self._request.url)
        self._first = url.origin
        try:
            return await self._travel(journey, url)
        finally:
            await self._wire.aclose()

    async def _travel(self, journey: Journey, url: JudgedUrl) -> Fetched | Unfetched:
        before: list[str] = []
        while True:
            self.at = url.href
            if self._request.hosts and not (
                url.origin == ("https", url.host, 443) and host_is_among(url.host, self._request.hosts)
            ):
                return Unfetched.because(FetchCode.OTHER_HOST, url.href)
            if self._shut_out(url):
                return Unfetched.because(FetchCode.DOMAIN, url.href)
            step = await self._hop(url, hop=journey.redirects)
            if isinstance(step, Fetched):
                return replace(step, requested=self._request.url, redirects=tuple(before))
            if isinstance(step, Unfetched):
                return step
            target = _followed(journey, url, step.location)
            if isinstance(target, Unfetched):
                return target
            before.append(url.href)
            url = target

    async def _hop(self, url: JudgedUrl, hop: int) -> Fetched | Unfetched | _Redirect:
        stored = self._shelf.stored(url)
        now_ms = self._ports.clock.now_ms()
        if stored is not None and stored.stored_at_ms <= now_ms < stored.fresh_until_ms:
            return self._shelf.taken(stored)
        if self._request.host_manners and not self._house.hosts.admits(url.host):
            return Unfetched.because(FetchCode.BREAKER_OPEN, url.href)
        refused = await self._pin(url, hop)
        if refused is not None:
            return refused
        if not self._request.host_manners:
            return await self._attempts(url, stored)
        try:
            async with self._house.hosts.turn(url.host, self._ends_ms - now_ms, paced=self._request.paced) as waited_ms:
                self.timings = replace(self.timings, wait_ms=self.timings.wait_ms + waited_ms)
                self.asking = url.host
                outcome = await self._robots(url) or await self._attempts(url, stored)
        except TurnTooLate:
            return Unfetched.because(FetchCode.POLITENESS, url.href)
        self._remember(url.host, outcome)
        return outcome

    def _shut_out(self, url: JudgedUrl) -> bool:
        """Whether the operator keeps pages of this domain out; own services and those of a provider are named apart."""
        named = self._request.own_service or bool(self._request.hosts)
        allowed = self._house.config.allowed_domains
        return bool(allowed) and not named and not host_is_below(url.host, allowed)

    async def _pin(self, url: JudgedUrl, hop: int) -> Unfetched | None:
        """Look the host up, once in a fetch, and judge every address (R16)."""
        if self._wire.pinned(url.host):
            return None
        started_ms = self._ports.clock.now_ms()
        try:
            addresses = (url.host,) if url.literal else await self._ports.resolver.addresses(url.host)
        except LookupFailed:
            return Unfetched.because(FetchCode.NAME_LOOKUP_FAILED, url.href)
        took_ms = self._ports.clock.now_ms() - started_ms
        self.timings = replace(self.timings, resolve_ms=self.timings.resolve_ms + took_ms)
        if self._request.own_service and addresses:
            self._wire.pin(url.host, addresses, own_service=True)
            return None
        judged = judge_answer(addresses)
        if isinstance(judged, HopRefusal):
            if hop and judged.not_public:
                raise DestinationForbidden(f"redirect to an address that is not public: {judged.detail}")
            return Unfetched.because(judged.code, url.href)
        self._wire.pin(url.host, judged)
        return None

    async def _robots(self, url: JudgedUrl) -> Unfetched | None:
        """Whether the site's robots.txt is against it; a site that cannot say so now is left alone (RFC 9309)."""
        if not (self._request.robots and self._house.config.obey_robots) or self._request.own_service:
            return None
        rules = self._house.robots.known(self._request.tenant, url.origin)
        if rules is None:
            answer = await self._asked_for_robots(url)
            if isinstance(answer, Unfetched):
                return answer
            rules = answer
        self._house.hosts.ask_for_pause(url.host, rules.delay_ms(_AGENT))
        if rules.allows(url.href, _AGENT):
            return None
        return Unfetched.because(FetchCode.ROBOTS if rules.parsed else FetchCode.ROBOTS_UNAVAILABLE, url.href)

    async def _asked_for_robots(self, url: JudgedUrl) -> RobotsRules | Unfetched:
        journey = Journey(self._house.config.max_redirects)
        step: JudgedUrl | UrlRefusal | Unfetched = journey.start(f"{url.scheme}://{url.authority}/robots.txt")
        rules = RobotsRules()  # a redirect that leads nowhere is a file that is not there: everything is allowed
        while isinstance(step, JudgedUrl):
            if self._shut_out(step):
                rules = RobotsRules(refuses_all=True)  # nobody may ask there what the site wants
                break
            answer = await self._pin(step, journey.redirects) or await self._robots_file(step)
            if isinstance(answer, _Redirect):
                step = _followed(journey, step, answer.location)
                continue
            if isinstance(answer, Unfetched):
                if step.origin == url.origin and answer.code in _HELD_AGAINST:
                    return answer  # what keeps us from the file keeps us from the page
                answer = RobotsRules(refuses_all=not _says_nothing(answer))
            rules = answer
            break
        self._house.robots.keep(self._request.tenant, url.origin, rules)
        return rules

    async def _robots_file(self, url: JudgedUrl) -> RobotsRules | Unfetched | _Redirect:
        fields = (("Host", url.authority), ("User-Agent", self._house.user_agent), ("Accept", "text/plain, */*;q=0.1"))
        try:
            async with self._wire.exchange(url, "GET", (*fields, _CODINGS), b"") as response:
                moved = await self._moved(response, url, follow=True)
                if moved is not None:
                    return moved
                if response.status >= 400:
                    return await self._error(response, url)
                return read_robots(await read_start(response, ROBOTS_BYTES))
        except WireFault as fault:
            return Unfetched.because(fault.code, url.href)
        except CodingError:
            return RobotsRules(refuses_all=True)

    async def _attempts(self, url: JudgedUrl, stored: StoredResponse | None) -> Fetched | Unfetched | _Redirect:
        for attempt in range(self._house.config.attempts):
            started_ms = self._ports.clock.now_ms()
            outcome = await self._exchange(url, stored)
            took_ms = self._ports.clock.now_ms() - started_ms
            self.timings = replace(self.timings, exchange_ms=self.timings.exchange_ms + took_ms)
            pause_ms = self._pause_ms(outcome, attempt)
            if pause_ms is None:
                break
            await asyncio.sleep(pause_ms / 1000)
        return outcome

    def _pause_ms(self, outcome: Fetched | Unfetched | _Redirect, attempt: int) -> int | None:
        """How long to wait before another attempt, or None where none is due, allowed or possible in time."""
        if not isinstance(outcome, Unfetched) or self._request.method == "POST" or not self._request.retried:
            return None
        passing = outcome.code in _TRIED_AGAIN or (
            outcome.code is FetchCode.HTTP_STATUS and outcome.status in _TRIED_AGAIN_STATUSES
        )
        if not passing or attempt + 1 >= self._house.config.attempts:
            return None
        wished_ms = outcome.retry_after_ms
        pause_ms = _BACKOFF_MS * 2**attempt if wished_ms is None else wished_ms
        left_ms = self._ends_ms - self._ports.clock.now_ms()
        return pause_ms if pause_ms + _LAST_MOMENT_MS <= left_ms else None

    async def _exchange(self, url: JudgedUrl, stored: StoredResponse | None) -> Fetched | Unfetched | _Redirect:
        asked = () if stored is None else conditions(stored.fields)
        request = self._request
        try:
            async with self._wire.exchange(url, request.method, self._fields(url, asked), request.body) as response:
                follow = request.method != "POST" and not request.own_service
                moved = await self._moved(response, url, follow=follow)
                if moved is not None:
                    return moved
                if response.status == 304 and stored is not None and asked:
                    return self._shelf.renewed(url, stored, response.fields)
                return await self._answer(response, url)
        except WireFault as fault:
            return Unfetched.because(fault.code, url.href)
        except CodingError:
            return Unfetched.because(FetchCode.BROKEN_CODING, url.href)

    def _fields(self, url: JudgedUrl, asked: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        request = self._request
        language = (("Accept-Language", request.accept_language),) if request.accept_language else ()
        # Keys belong to the service that they were made for; a redirect elsewhere does not get them.
        secret = request.credentials if url.origin == self._first else ()
        agent = ("User-Agent", self._house.user_agent)
        return (("Host", url.authority), agent, ("Accept", request.accept), *language, _CODINGS, *asked, *secret)

    async def _moved(self, response: WireResponse, url: JudgedUrl, *, follow: bool) -> _Redirect | Unfetched | None:
        if not 300 <= response.status < 400 or response.status == 304:
            return None
        with suppress(CodingError):
            await read_start(response, _REDIRECT_BYTES)  # read to its end, a connection can be used again
        location = field_value(response.fields, "location")
        if response.status not in _REDIRECTS or not location or not follow:
            return replace(Unfetched.because(FetchCode.REDIRECT_NOT_FOLLOWED, url.href), status=response.status)
        return _Redirect(location.encode("latin-1").decode("utf-8", "replace"))

    async def _answer(self, response: WireResponse, url: JudgedUrl) -> Fetched | Unfetched:
        if response.status >= 400:
            return await self._error(response, url)
        if response.status in (204, 205):
            return Unfetched(FetchCode.NO_CONTENT, None, url.href, response.status)
        if response.status == 304:
            return replace(Unfetched.because(FetchCode.NOT_MODIFIED, url.href), status=304)
        if response.status == 206:  # nobody asked for a part
            return replace(Unfetched.because(FetchCode.PROTOCOL, url.href), status=206)
        kind, charset = media_type(field_value(response.fields, "content-type"))
        body = await self._body(response, kind)
        if body is None:
            return replace(Unfetched.because(FetchCode.TOO_LARGE, url.href), status=response.status)
        fetched = Fetched(
            requested=self._request.url,
            url=url.href,
            status=response.status,
            content_type=kind,
            charset=charset,
            fields=_kept(response),
            body=body.data,
            truncated=body.truncated,
            wire_bytes=body.wire_bytes,
        )
        self._shelf.keep(url, fetched)
        return fetched

    async def _body(self, response: WireResponse, kind: str) -> Body | None:
        if self._request.method == "HEAD":  # the length that it tells is that of a body that does not come
            return Body(b"", False, 0)
        return await read_body(response, self._request.max_bytes, can_be_cut=can_be_cut(kind))

    async def _error(self, response: WireResponse, url: JudgedUrl) -> Unfetched:
        now_ms = self._ports.clock.now_ms()
        try:
            body = await read_start(response, _ERROR_BYTES)
        except (CodingError, WireFault):
            body = b""
        return Unfetched(
            FetchCode.HTTP_STATUS,
            kind_of_status(response.status),
            url.href,
            response.status,
            retry_after_ms(field_value(response.fields, "retry-after"), now_ms),
            body,
            _kept(response),
        )

    def _remember(self, host: str, outcome: Fetched | Unfetched | _Redirect) -> None:
        self.asking = ""
        down = isinstance(outcome, Unfetched) and (outcome.code in _HELD_AGAINST or outcome.status >= 500)
        if down:
            self._house.hosts.failed(host)
        else:
            self._house.hosts.succeeded(host)


def _kept(response: WireResponse) -> tuple[tuple[str, str], ...]:
    return tuple((name.lower(), value) for name, value in response.fields if name.lower() in KEPT_FIELDS)


def _says_nothing(answer: Unfetched) -> bool:
    """Whether a site without this robots.txt has none, rather than one that cannot be had just now (RFC 9309)."""
    if answer.code is FetchCode.HTTP_STATUS:
        return answer.status < 500 and answer.status != 429
    return answer.code is FetchCode.REDIRECT_NOT_FOLLOWED


def _followed(journey: Journey, url: JudgedUrl, location: str) -> JudgedUrl | Unfetched:
    """The next hop.

    Raises:
        DestinationForbidden: it is not public (R16).
    """
    target = journey.follow(url, location)
    if isinstance(target, JudgedUrl):
        return target
    if target.not_public:
        raise DestinationForbidden(f"redirect to a place that is not public: {target}")
    return Unfetched.because(target.code, url.href)
