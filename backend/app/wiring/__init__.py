"""Wiring: the one floor where things are built and connected."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .archive_setup import open_archive
    from .document_setup import documents_ready, prepare_documents
    from .gate import open_gate
    from .host_parts import HostTool
    from .sandbox import sandbox_report

__all__ = ["HostTool", "documents_ready", "open_archive", "open_gate", "prepare_documents", "sandbox_report"]


def __getattr__(name: str) -> object:
    """Load what is asked for: a command or a host that looks at records needs no fetcher."""
    match name:
        case "documents_ready":
            from .document_setup import documents_ready

            return documents_ready
        case "prepare_documents":
            from .document_setup import prepare_documents

            return prepare_documents
        case "open_gate":
            from .gate import open_gate

            return open_gate
        case "HostTool":
            from .host_parts import HostTool

            return HostTool
        case "open_archive":
            from .archive_setup import open_archive

            return open_archive
        case "sandbox_report":
            from .sandbox import sandbox_report

            return sandbox_report
        case _:
            raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
