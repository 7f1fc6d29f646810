"""The toolbox: every tool there is, each hosted where it can be cut."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

from ..kernel.documents import Collection
from ..kernel.ports import Tool
from .doc_lookup import DocLookupConfig
from .sandbox.host import ProcessTool, WorkerSpec

__all__ = ["HostedToolbox", "open_toolbox", "worker_of"]


# As many calls as a session may make in prod, so that blocked ones delay no other call of their batch.
_WORKERS = 20


class HostedToolbox(Mapping[str, Tool]):
    """Tools by name, and the way to end their processes."""

    def __init__(self, tools: Mapping[str, ProcessTool]) -> None:
        self._tools = dict(tools)

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    async def aclose(self) -> None:
        """End every worker."""
        await asyncio.gather(*(tool.aclose() for tool in self._tools.values()))


def open_toolbox(collections: tuple[Collection, ...]) -> HostedToolbox:
    """Build the tools of `tools.json`; workers start with the first call."""
    config = DocLookupConfig(collections=collections).model_dump_json()
    return HostedToolbox({"doc_lookup": ProcessTool(worker_of("doc_lookup:open_doc_lookup", config))})


def worker_of(factory: str, config: str) -> WorkerSpec:
    """A worker for a factory of this package, under whatever name the package was imported."""
    return WorkerSpec(factory=f"{__package__}.{factory}", config=config, max_workers=_WORKERS)
