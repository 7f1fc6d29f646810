"""The fetcher: the one way to evidence on the network, to public addresses only; polite, bounded, without opinions.

What comes back is a `Fetched` or an `Unfetched` with one named reason. Only what breaks the sandbox is raised (R16).
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from typing import Final

from ...kernel.errors import RequestInvalid
from ...kernel.ports import Clock
from ...kernel.results import RawResult
from ...parsing.http.exchange import FetchCode, Fetched, Unfetched, WebRequest
from .host_limits import Hosts
from .name_lookup import SystemResolver
from .ports import FetchConfig, FetchPorts, ResponseCache
from .robots_memory import RobotsMemory
from .visit import Shared, Visit
from .wire import SystemDialler, trusting

__all__ = ["Fetcher", "open_fetcher", "result_of"]

_FAIR_MS: Final = 3_000


class Fetcher:
    """Fetches for every session of the process; it keeps no connection open between two fetches."""

    def __init__(self, config: FetchConfig, ports: FetchPorts) -> None:
        """Take the operator's choices and the machine.

        Raises:
            RequestInvalid: the contact cannot stand in a header.
        """
        if not config.contact.isprintable() or not config.contact.isascii():
            raise RequestInvalid("the contact for fetched sites must be printable ASCII")
        # No disguise: who asks says so, and says where to complain.
        agent = f"Portcullis/{config.version}" + (f" (+{config.contact})" if config.contact else "")
        self._clock = ports.clock
        self._hosts = Hosts(ports.clock, config.hosts)
        self._shared = Shared(config, ports, self._hosts, RobotsMemory(ports.clock), agent)

    async def fetch(self, request: WebRequest) -> Fetched | Unfetched:
        """Fetch one URL within the request's own time.

        Raises:
            DestinationForbidden: a redirect led to an address that is not public.
            OutputTooLarge: the body is a decompression bomb.
        """
        sys.audit("portcullis.tool", "fetch")
        started_ms = self._clock.now_ms()
        visit = Visit(self._shared, request, started_ms)
        try:
            async with asyncio.timeout(max(0, request.deadline_ms) / 1000):
                outcome = await visit.run()
        except TimeoutError:
            outcome = Unfetched.because(FetchCode.DEADLINE, visit.at)
            # Who gives a host hardly any time learns nothing about it that would be true for others.
            if visit.asking and request.host_manners and request.deadline_ms >= _FAIR_MS:
                self._hosts.failed(visit.asking)
        total_ms = self._clock.now_ms() - started_ms
        return replace(outcome, timings=replace(visit.timings, total_ms=total_ms))


def open_fetcher(config: FetchConfig, clock: Clock, cache: ResponseCache | None = None) -> Fetcher:
    """The fetcher on the real network.

    Raises:
        RequestInvalid: the contact or the file of certificates is unusable.
    """
    try:
        tls = trusting(config.ca_file)
    except OSError as exc:  # a broken file raises ssl.SSLError, which is one as well
        raise RequestInvalid(f"certificates cannot be read from `{config.ca_file}`") from exc
    return Fetcher(config, FetchPorts(clock, SystemResolver(), SystemDialler(), tls, cache))


def result_of(unfetched: Unfetched, spent_units: int = 0) -> RawResult:
    """What a tool says when a fetch brought nothing (R2)."""
    if unfetched.kind is None:
        return RawResult(status="empty", spent_units=spent_units)
    return RawResult(status="unavailable", unavailable=unfetched.kind, spent_units=spent_units)
