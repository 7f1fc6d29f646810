"""What a host brings of its own: tools, capabilities, a caps table, collections per tenant (R24)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from pydantic import TypeAdapter, ValidationError

from ..capabilities.registry import CAPABILITIES
from ..kernel.calls import CallContext, ToolCall
from ..kernel.capability import AnyCapability, Capability
from ..kernel.catalog import ToolEntry, ToolTable
from ..kernel.document_index import Collection
from ..kernel.errors import RequestInvalid
from ..kernel.models import Identifier
from ..kernel.ports import Tool
from ..kernel.results import RawResult
from ..system.settings import Settings
from .document_setup import documents_ready

__all__ = ["Folders", "HostTool", "all_capabilities", "all_tools", "collections_ready", "tools_by_name"]

Folders = Mapping[str, Path | str | Mapping[str, Path | str]]
"""Tenant → its folder of documents, or its folders by the name of their collection."""
_OURS: Final = "portcullis"
_IDENTIFIER: Final = TypeAdapter[str](Identifier)


class HostTool(Protocol):
    """A tool of the host: its entry, and a coroutine that answers one call. It runs in the host's own loop."""

    @property
    def entry(self) -> ToolEntry: ...

    async def call(self, call: ToolCall, context: CallContext) -> RawResult: ...


def all_tools(ours: ToolTable, tools: Sequence[HostTool]) -> ToolTable:
    """Our catalogue and the host's entries, as one table.

    Raises:
        RequestInvalid: a tool is a class, has no entry, no coroutine `call`, or the name of another tool.
    """
    _check_sequence("tools", tools)
    entries = list(ours.tools)
    known = {entry.name for entry in entries}
    for tool in tools:
        if isinstance(tool, type):
            raise RequestInvalid(f"host tool `{tool.__name__}` is a class: pass an object of it")
        entry = getattr(tool, "entry", None)
        if not isinstance(entry, ToolEntry):
            raise RequestInvalid(f"host tool `{type(tool).__name__}` has no `entry` of type ToolEntry")
        # A function that is not a coroutine would block every session, and its result could not be awaited.
        if not asyncio.iscoroutinefunction(getattr(tool, "call", None)):
            raise RequestInvalid(f"host tool `{entry.name}` has no coroutine `call`")
        if entry.name in known:
            raise RequestInvalid(f"host tool `{entry.name}` has the name of another tool")
        known.add(entry.name)
        entries.append(entry)
    return ToolTable(catalog_version=ours.catalog_version, tools=tuple(entries))


def tools_by_name(tools: Sequence[HostTool]) -> dict[str, Tool]:
    """The host's tools, as the adapter holds them."""
    return {tool.entry.name: tool for tool in tools}


def all_capabilities(
    capabilities: Sequence[AnyCapability], tools: ToolTable | None = None, ports: Sequence[str] = ()
) -> Mapping[str, AnyCapability]:
    """Ours and the host's, by name.

    Raises:
        RequestInvalid: a name is taken, is not an identifier or has no prefix of its own, or an entry names a tool or
            port that is not there.
    """
    _check_sequence("capabilities", capabilities)
    own: dict[str, AnyCapability] = {}
    for one in capabilities:
        if not isinstance(one, Capability):
            raise RequestInvalid(f"`{type(one).__name__}` is not a Capability")
        prefix, dot, rest = one.name.partition(".")
        if not (prefix and dot and rest) or prefix == _OURS:
            raise RequestInvalid(f"capability `{one.name}` needs a prefix of its own, such as `acme.{one.name}`")
        if not _is_identifier(one.name):
            raise RequestInvalid(f"the name of capability `{one.name}` is not an identifier")
        if one.name in own:
            raise RequestInvalid(f"capability `{one.name}` is there twice")
        own[one.name] = one
    # Ours fit the catalogue and the ports, which a test holds; checking them here would load them all.
    for one in own.values() if tools is not None else ():
        for name in one.tools:
            if tools is not None and tools.entry(name) is None:
                raise RequestInvalid(f"capability `{one.name}` names the tool `{name}`, which is not there")
        for name in one.needs:
            if name not in ports:
                raise RequestInvalid(f"capability `{one.name}` needs the port `{name}`, which is not there")
    return _Together(own)


class _Together(Mapping[str, AnyCapability]):
    """Ours, each loaded when it is asked for, and a host's."""

    def __init__(self, own: Mapping[str, AnyCapability]) -> None:
        self._own = own

    def __getitem__(self, name: str) -> AnyCapability:
        return self._own[name] if name in self._own else CAPABILITIES[name]

    def __iter__(self) -> Iterator[str]:
        yield from CAPABILITIES
        yield from self._own

    def __len__(self) -> int:
        return len(CAPABILITIES) + len(self._own)


async def collections_ready(folders: Folders, settings: Settings) -> tuple[Collection, ...]:
    """The collections of every tenant, with their indexes up to date; each is readable by its tenant alone.

    Raises:
        RequestInvalid: there is no such folder, or a tenant or collection is not an identifier.
    """
    if not isinstance(folders, Mapping):
        raise RequestInvalid("`collections` must name a folder for each tenant, such as {'acme': 'documents'}")
    ready = []
    for tenant, given in sorted(folders.items()):
        named = given if isinstance(given, Mapping) else {"documents": given}
        for name, folder in sorted(named.items()):
            if not isinstance(folder, (str, Path)):
                raise RequestInvalid(f"`collections`: the folder of tenant `{tenant}` is not a path")
            collection, _ = await documents_ready(folder, settings, tenant, name=name, own=True)
            ready.append(collection)
    return tuple(ready)


def _check_sequence(name: str, given: object) -> None:
    if not isinstance(given, (list, tuple)):
        raise RequestInvalid(f"`{name}` must be a list, also where there is only one")


def _is_identifier(name: str) -> bool:
    try:
        _IDENTIFIER.validate_python(name, strict=True)
    except ValidationError:
        return False
    return True
