"""What the fetcher is asked and what it answers: a response's bytes, or one named reason why there are none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from ...kernel.results import UnavailableKind
from ..html.links import path_of
from ..url.journeys import HopCode
from ..url.urls import UrlCode

__all__ = [
    "FetchCode",
    "Fetched",
    "StoredResponse",
    "Timings",
    "Unfetched",
    "WebRequest",
    "asks_for_login",
    "host_is_among",
    "host_is_below",
    "kind_of_status",
]


class FetchCode(StrEnum):
    """What exactly went wrong on the way; `Unfetched.kind` says what that means (R2)."""

    BREAKER_OPEN = "breaker_open"
    BROKEN_CODING = "broken_coding"
    CONNECT_FAILED = "connect_failed"
    CONNECT_TIMEOUT = "connect_timeout"
    CUT_SHORT = "cut_short"
    DEADLINE = "deadline"
    DOMAIN = "domain_not_allowed"
    HEADERS_TOO_LARGE = "headers_too_large"
    HTTP_STATUS = "http_status"
    NAME_LOOKUP_FAILED = "name_lookup_failed"
    NOT_MODIFIED = "not_modified_uncached"
    NO_CONTENT = "no_content"
    OTHER_HOST = "other_host"
    POLITENESS = "politeness"
    PROTOCOL = "protocol_error"
    READ_TIMEOUT = "read_timeout"
    REDIRECT_NOT_FOLLOWED = "redirect_not_followed"
    ROBOTS = "robots_disallowed"
    ROBOTS_UNAVAILABLE = "robots_unavailable"
    TLS_FAILED = "tls_failed"
    TOO_LARGE = "body_too_large"


Code = FetchCode | UrlCode | HopCode


_KINDS: Final = {
    FetchCode.BREAKER_OPEN: UnavailableKind.UNREACHABLE,
    FetchCode.BROKEN_CODING: UnavailableKind.UNREADABLE,
    FetchCode.CONNECT_FAILED: UnavailableKind.UNREACHABLE,
    FetchCode.CONNECT_TIMEOUT: UnavailableKind.UNREACHABLE,
    FetchCode.CUT_SHORT: UnavailableKind.UNREACHABLE,
    FetchCode.DEADLINE: UnavailableKind.SLOW,
    FetchCode.DOMAIN: UnavailableKind.REFUSED_DESTINATION,
    FetchCode.HEADERS_TOO_LARGE: UnavailableKind.TOO_LARGE,
    FetchCode.NAME_LOOKUP_FAILED: UnavailableKind.UNREACHABLE,
    FetchCode.NOT_MODIFIED: UnavailableKind.UNREADABLE,
    FetchCode.OTHER_HOST: UnavailableKind.REFUSED_DESTINATION,
    FetchCode.POLITENESS: UnavailableKind.SLOW,
    FetchCode.PROTOCOL: UnavailableKind.UNREADABLE,
    FetchCode.READ_TIMEOUT: UnavailableKind.SLOW,
    FetchCode.REDIRECT_NOT_FOLLOWED: UnavailableKind.UNREADABLE,
    FetchCode.ROBOTS: UnavailableKind.ROBOTS,
    FetchCode.ROBOTS_UNAVAILABLE: UnavailableKind.ROBOTS,
    FetchCode.TLS_FAILED: UnavailableKind.UNREACHABLE,
    FetchCode.TOO_LARGE: UnavailableKind.TOO_LARGE,
    HopCode.ADDRESS: UnavailableKind.REFUSED_DESTINATION,
    HopCode.LOOP: UnavailableKind.UNREACHABLE,
    HopCode.NO_ADDRESS: UnavailableKind.UNREACHABLE,
    HopCode.TOO_MANY: UnavailableKind.UNREACHABLE,
}
_STATUSES: Final = {
    401: UnavailableKind.AUTH,
    402: UnavailableKind.PAYWALL,
    407: UnavailableKind.AUTH,
    408: UnavailableKind.SLOW,
    429: UnavailableKind.RATE_LIMITED,
}
_PASSING: Final = frozenset({
    FetchCode.BREAKER_OPEN, FetchCode.CONNECT_FAILED, FetchCode.CONNECT_TIMEOUT, FetchCode.CUT_SHORT,
    FetchCode.DEADLINE, FetchCode.NAME_LOOKUP_FAILED, FetchCode.POLITENESS, FetchCode.READ_TIMEOUT,
    FetchCode.ROBOTS_UNAVAILABLE,
})  # fmt: skip
_LOGIN: Final = re.compile(
    r"/(?:wp-)?(?:service)?(?:log|sign)[-_]?in(?:[/.]|$)|/(?:sso|oauth2?/authorize)/?$", re.IGNORECASE
)
_PASSING_STATUSES: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class WebRequest:
    """One thing to fetch, within one call's limits."""

    url: str
    tenant: str
    deadline_ms: int
    max_bytes: int
    """Of the body, after decoding."""
    method: Literal["GET", "HEAD", "POST"] = "GET"
    accept: str = "*/*"
    accept_language: str = ""
    credentials: tuple[tuple[str, str], ...] = ()
    """More header fields, for the first origin alone: keys never travel with a redirect."""
    body: bytes = b""
    own_service: bool = False
    """The URL stands in the operator's configuration; never set for one that came from outside."""
    robots: bool = True
    paced: bool = True
    """False for a service that is made for programs: no pause between two requests."""
    retried: bool = True
    """False where the caller has somebody else to ask."""
    hosts: tuple[str, ...] = ()
    """The only hosts that may be asked, over https, redirects included: names or `*.name`; empty: every public one."""
    use_cache: bool = True
    host_manners: bool = True
    """False where the caller bounds its requests and keeps account of outages itself, as `services` does."""


@dataclass(frozen=True, slots=True)
class Timings:
    """Where the time went, in milliseconds."""

    resolve_ms: int = 0
    wait_ms: int = 0
    exchange_ms: int = 0
    total_ms: int = 0


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response as it came, decoded and nothing more: nobody has looked at its bytes."""

    requested: str
    url: str
    status: int
    content_type: str
    charset: str
    """What the header says, which may be wrong."""
    fields: tuple[tuple[str, str], ...]
    body: bytes
    truncated: bool = False
    redirects: tuple[str, ...] = ()
    """Every URL before the last, in order."""
    cache: Literal["none", "fresh", "revalidated"] = "none"
    age_ms: int = 0
    max_age_ms: int = 0
    """How old a stored response may become."""
    wire_bytes: int = 0
    timings: Timings = Timings()


@dataclass(frozen=True, slots=True)
class Unfetched:
    """Why there is nothing; without a kind the server was asked and had nothing (`empty` in R2)."""

    code: Code
    kind: UnavailableKind | None
    url: str = ""
    status: int = 0
    retry_after_ms: int | None = None
    body: bytes = b""
    """The beginning of an error's body: services say there what they mean."""
    fields: tuple[tuple[str, str], ...] = ()
    timings: Timings = Timings()

    @classmethod
    def because(cls, code: Code, url: str = "") -> Unfetched:
        """A failure that is known by its code."""
        kind = UnavailableKind.REFUSED_DESTINATION if isinstance(code, UrlCode) else _KINDS.get(code)
        return cls(code, kind, url)

    @property
    def retryable(self) -> bool:
        """Whether the same question may be answered at another time."""
        if self.code is FetchCode.HTTP_STATUS:
            return self.status in _PASSING_STATUSES
        return self.code in _PASSING


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A response as the cache keeps it."""

    url: str
    fields: tuple[tuple[str, str], ...]
    body: bytes
    stored_at_ms: int
    fresh_until_ms: int


def asks_for_login(requested: str, arrived: str) -> bool:
    """Whether a redirect ended at the door of a site instead of the page that was asked for."""
    return _LOGIN.search(path_of(arrived)) is not None and _LOGIN.search(path_of(requested)) is None


def host_is_among(host: str, allowed: tuple[str, ...]) -> bool:
    """True if a host is one of these; `*.name` stands for everything below a name."""
    return any(host.endswith(one[1:]) if one.startswith("*.") else host == one for one in allowed)


def host_is_below(host: str, domains: tuple[str, ...]) -> bool:
    """True if a host is one of these domains or below one."""
    return any(host == one or host.endswith(f".{one}") for one in domains)


def kind_of_status(status: int) -> UnavailableKind | None:
    """What a status of 400 or more means; None for those that say that there is nothing."""
    if status in (404, 410):
        return None
    return _STATUSES.get(status, UnavailableKind.PROVIDER_DOWN if status >= 500 else UnavailableKind.BLOCKED)
