"""What the fetcher is built from: the operator's choices, the machine's ports, and what all fetches share."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from typing import Annotated, Protocol

from pydantic import Field

from ...kernel.models import FrozenModel
from ...kernel.ports import Clock
from ...parsing.http.exchange import StoredResponse
from .host_limits import HostLimits
from .name_lookup import Resolver
from .wire import Dialler, WireLimits

__all__ = ["FetchConfig", "FetchPorts", "ResponseCache"]


class FetchConfig(FrozenModel):
    """What an operator can choose about fetching."""

    contact: str = ""
    """A page or an address that the operators of sites can turn to; part of the User-Agent."""
    version: str = "0"
    own_services: tuple[str, ...] = ()
    """`host:port` of services that may be private; means nothing for URLs that came from outside."""
    allowed_domains: tuple[str, ...] = ()
    """The only domains, with all below them, of which pages are fetched; empty: every public one. Services that the
    operator configured are asked all the same."""
    obey_robots: bool = True
    ca_file: str = ""
    max_redirects: Annotated[int, Field(ge=0, le=20)] = 5
    attempts: Annotated[int, Field(ge=1, le=5)] = 3
    hosts: HostLimits = HostLimits()


class ResponseCache(Protocol):
    """Responses by tenant and key; one that cannot be kept or read is simply not there."""

    def get(self, tenant: str, key: str) -> StoredResponse | None: ...

    def put(self, tenant: str, key: str, response: StoredResponse) -> None: ...


@dataclass(frozen=True, slots=True)
class FetchPorts:
    """What the fetcher needs from the machine; tests give their own."""

    clock: Clock
    resolver: Resolver
    dialler: Dialler
    tls: ssl.SSLContext
    cache: ResponseCache | None = None
    limits: WireLimits = field(default_factory=WireLimits)
