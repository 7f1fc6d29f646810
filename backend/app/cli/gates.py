"""How commands open the gate, so that tests can pass their own way to open one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from ..kernel.document_index import Collection
    from ..research.router import Router
    from ..system.settings import Settings

__all__ = ["GateOpener", "open_local_gate"]


class GateOpener(Protocol):
    """`open_gate`, or a test's own way to open one."""

    def __call__(self, documents: Collection | None, *, settings: Settings) -> AbstractAsyncContextManager[Router]: ...


def open_local_gate(
    documents: Collection | None, *, settings: Settings, collections: Mapping[str, Path] | None = None
) -> AbstractAsyncContextManager[Router]:
    """The real gate, under the tripwire: the command line is a process of our own."""
    from ..wiring.gate import open_gate

    return open_gate(documents, settings=settings, tripwire=True, collections=collections)
