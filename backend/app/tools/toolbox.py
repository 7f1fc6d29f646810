"""The toolbox: every tool there is, each hosted where it can be cut."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache as made_once
from threading import Lock
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ..kernel.calls import CallContext, ToolCall
from ..kernel.document_index import Collection
from ..kernel.ports import Clock, ContentStore, Tool
from ..kernel.results import RawResult
from ..system.settings import Settings
from ..system.version import VERSION
from .doc_config import DocLookupConfig
from .hosted_lookup import HostedLookup
from .sandbox.host.hosted_tool import ProcessTool, WorkerSpec

if TYPE_CHECKING:
    from ..parsing.fetched import PageAnswer
    from .fetch.fetcher import Fetcher
    from .fetch.ports import FetchPorts, ResponseCache
    from .sandbox.host.parsers import ParserPool

__all__ = ["HostedTool", "HostedToolbox", "open_page_reader", "open_toolbox", "worker_of"]


# As many calls as a session may make in prod, so that blocked ones delay no other call of their batch.
_WORKERS = 20
_FEWEST_AT_ONCE = 2
_AHEAD = 2


class HostedTool(Protocol):
    """A tool that has processes to end."""

    async def call(self, call: ToolCall, context: CallContext) -> RawResult: ...

    async def aclose(self) -> None: ...


@runtime_checkable
class AsksProviders(Protocol):
    """A tool that leaves a provider alone for a while after failures."""

    @property
    def left_alone(self) -> tuple[str, ...]: ...


class _LateTool:
    """A tool that is built with its first call: whoever only asks documents loads no fetcher and no page reader."""

    def __init__(self, build: Callable[[], HostedTool]) -> None:
        self._build = build
        self._building = Lock()  # two threads may ask at once
        self._built: HostedTool | None = None

    def tool(self) -> HostedTool:
        """The tool itself, built where it is not yet."""
        with self._building:
            if self._built is None:
                self._built = self._build()
            return self._built

    async def call(self, call: ToolCall, context: CallContext) -> RawResult:
        return await self.tool().call(call, context)

    @property
    def left_alone(self) -> tuple[str, ...]:
        """What the tool itself says, once it is built."""
        return self._built.left_alone if isinstance(self._built, AsksProviders) else ()

    async def aclose(self) -> None:
        if self._built is not None:
            await self._built.aclose()


class HostedToolbox(Mapping[str, Tool]):
    """Tools by name, and the way to end their processes."""

    def __init__(self, tools: Mapping[str, HostedTool], ahead: Iterable[str] = ()) -> None:
        self._tools = dict(tools)
        self._ahead = tuple(ahead)

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    @property
    def workers(self) -> int:
        """How many processes of the tools are up."""
        return sum(len(tool.worker_pids) for tool in self._tools.values() if isinstance(tool, ProcessTool))

    @property
    def left_alone(self) -> tuple[str, ...]:
        """The providers whose circuit breakers are open."""
        asking = [tool for tool in self._tools.values() if isinstance(tool, AsksProviders)]
        return tuple(name for tool in asking for name in tool.left_alone)

    def prepare(self) -> None:
        """Have the workers started that the first requests will ask for; returns at once."""
        for tool in map(self._tools.get, self._ahead):
            if isinstance(tool, ProcessTool):
                tool.prepare(_AHEAD)

    async def aclose(self) -> None:
        """End every worker."""
        # One by one and in this task: tasks of their own could be cancelled before they end anything.
        cancelled: asyncio.CancelledError | None = None
        for tool in self._tools.values():
            try:
                await tool.aclose()
            except asyncio.CancelledError as exc:
                cancelled = exc
        if cancelled is not None:
            raise cancelled


def open_toolbox(
    settings: Settings,
    collections: tuple[Collection, ...],
    clock: Clock,
    store: ContentStore,
    cache: ResponseCache | None = None,
    machine: FetchPorts | None = None,
) -> HostedToolbox:
    """Build the tools of `tools.json`; workers start with the first call, or when they are prepared.

    `machine` stands for the network where that is not to be the real one.
    """
    opening = Lock()  # two threads may ask at once

    @made_once
    def made() -> Fetcher:
        from .fetch.fetcher import Fetcher, open_fetcher
        from .fetch.ports import FetchConfig

        own_services = (*settings.own_services, *settings.services_of_urls)
        config = FetchConfig(
            contact=settings.contact,
            version=VERSION,
            own_services=own_services,
            allowed_domains=settings.allowed_domains,
        )
        return open_fetcher(config, clock, cache) if machine is None else Fetcher(config, machine)

    def fetcher() -> Fetcher:  # one for all tools, so that a host that is down is known to be down to each of them
        with opening:
            return made()

    required = None if settings.sandbox == "any" else settings.sandbox

    def pages() -> HostedTool:
        from .scrape_page import ScrapePage

        return ScrapePage(fetcher, open_page_reader(required), clock, store)

    def services() -> HostedTool:
        from .services import open_services

        return open_services(settings, fetcher, clock, store, cache)

    lookup = DocLookupConfig(collections=collections)
    return HostedToolbox(
        {
            "doc_lookup": HostedLookup(worker_of("doc_lookup:open_doc_lookup", lookup.model_dump_json()), lookup),
            "scrape_page": _LateTool(pages),
            # A routing that the catalogue does not know is refused when the gate is opened.
            "services": services() if settings.search_routing else _LateTool(services),
        },
        ahead=("doc_lookup",) if collections else (),  # without documents nobody will look anything up
    )


def open_page_reader(required: str | None = None) -> ParserPool[PageAnswer]:
    """Confined processes that read pages."""
    from .scrape_page import open_page_reader as opened

    return opened(required)


def worker_of(factory: str, config: str) -> WorkerSpec:
    """A worker for a factory of this package, under whatever name the package was imported."""
    return WorkerSpec(factory=f"{__package__}.{factory}", config=config, max_workers=_WORKERS, at_once=_cores())


def _cores() -> int:
    """As many calls as the machine can work on at once: more would only take each other's time."""
    return max(_FEWEST_AT_ONCE, len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1)
