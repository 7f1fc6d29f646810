"""One exchange with an outside service: what it may be given, the request on the wire, and its answer without keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote_plus, urlencode

from ..kernel.ports import Clock
from ..kernel.providers import Access, Fault, HttpAnswer, HttpRequest, ProviderEntry, ProviderError
from ..kernel.results import UnavailableKind
from ..parsing.http.exchange import FetchCode, Fetched, Unfetched, WebRequest
from ..parsing.http.fields import field_value, retry_after_ms
from ..parsing.http.rate_fields import RateSaid, rate_said
from .fetch.fetcher import Fetcher

__all__ = ["LARGEST_ANSWER", "Exchange", "exchange"]

LARGEST_ANSWER: Final = 5_000_000
"""Bytes of a response after decoding; a record cannot be cut."""

_ACCEPT: Final = "application/json, */*;q=0.5"
_LONGEST_HEADER: Final = 300
_TOLD_HEADERS: Final = ("content-language", "content-type", "last-modified", "link")
_PLAIN_HEADERS: Final = ("Accept", "Content-Type")
_SHORTEST_SECRET: Final = 6
_MASK: Final = "***"
_FAULTS: Final = {
    UnavailableKind.SLOW: Fault.SLOW,
    UnavailableKind.TOO_LARGE: Fault.TOO_LARGE,
    UnavailableKind.UNREACHABLE: Fault.UNREACHABLE,
    UnavailableKind.REFUSED_DESTINATION: Fault.REFUSED_DESTINATION,
}


@dataclass(frozen=True, slots=True)
class Exchange:
    """An answer, how old it is where it was stored, and what its headers say about the rate."""

    answer: HttpAnswer
    age_ms: int | None = None
    max_age_ms: int | None = None
    rate: RateSaid | None = None


async def exchange(
    fetcher: Callable[[], Fetcher],
    clock: Clock,
    entry: ProviderEntry,
    request: HttpRequest,
    access: Access,
    tenant: str,
    deadline_ms: int,
) -> Exchange | ProviderError:
    """The answer of a service, whatever its status; an error only where there is none.

    What a service echoes of a key or of the operator's address is masked before anybody reads or stores it. The cache
    of the fetcher is passed by: it keeps URLs, and how old an answer may be is for the capability to say.

    Raises:
        DestinationForbidden: a redirect to a place that is not public.
        OutputTooLarge: a decompression bomb.
    """
    secret = tuple((name, value.get_secret_value()) for name, value in request.secret_query)
    own = bool(entry.url_setting)
    got = await fetcher().fetch(
        WebRequest(
            url=_on_the_wire(request.url, secret),
            tenant=tenant,
            deadline_ms=deadline_ms,
            max_bytes=LARGEST_ANSWER,
            method=request.method,
            accept=next((value for name, value in request.headers if name == "Accept"), _ACCEPT),
            credentials=tuple((name, value) for name, value in request.headers if name != "Accept"),
            body=request.body,
            own_service=own,
            robots=False,
            paced=False,
            retried=False,
            hosts=() if own else entry.hosts,
            use_cache=False,
            host_manners=False,
        )
    )
    if isinstance(got, Unfetched):
        if got.code is not FetchCode.HTTP_STATUS:
            return ProviderError(
                fault=Fault.UNREADABLE if got.kind is None else _FAULTS.get(got.kind, Fault.UNREADABLE)
            )
    elif got.truncated:
        return ProviderError(fault=Fault.TOO_LARGE)
    now_ms = clock.now_ms()
    return Exchange(_answer(got, now_ms, _spellings(request, access)), rate=rate_said(got.fields, now_ms))


def _on_the_wire(url: str, secret: tuple[tuple[str, str], ...]) -> str:
    if not secret:
        return url
    return f"{url}{'&' if '?' in url else '?'}{urlencode(secret)}"


def _spellings(request: HttpRequest, access: Access) -> tuple[str, ...]:
    """Every secret as it was sent: by itself, in a header, and escaped in a URL; longer ones first."""
    sent = [value.get_secret_value() for _, value in (*request.secret_query, *access.keys)]
    sent.append(access.mail)
    sent += [value.rpartition(" ")[2] for name, value in request.headers if name not in _PLAIN_HEADERS]
    found = {text for one in sent for text in (one, quote_plus(one)) if len(one) >= _SHORTEST_SECRET}
    return tuple(sorted(found, key=lambda text: (-len(text), text)))


def _masked(text: str, keys: tuple[str, ...]) -> str:
    for key in keys:
        text = text.replace(key, _MASK)
    return text


def _answer(got: Fetched | Unfetched, now_ms: int, keys: tuple[str, ...]) -> HttpAnswer:
    """What the service said, with a mask wherever it repeats a key; the URL without its query, which may hold one."""
    told = [(name, _masked(value, keys)[:_LONGEST_HEADER]) for name, value in got.fields if name in _TOLD_HEADERS]
    body = got.body
    for key in keys:
        body = body.replace(key.encode(), _MASK.encode())
    # A date is of use to nobody who has no clock.
    pause_ms = retry_after_ms(field_value(got.fields, "retry-after"), now_ms)
    pause = () if pause_ms is None else (("retry-after", str(-(-pause_ms // 1000))),)
    return HttpAnswer(status=got.status, url=got.url.partition("?")[0], headers=(*told, *pause), body=body)
