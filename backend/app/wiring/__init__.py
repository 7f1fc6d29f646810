"""Wiring: the one floor where things are built and connected."""

from __future__ import annotations

from .archive_setup import open_archive
from .document_setup import documents_ready, prepare_documents
from .gate import open_gate
from .host_parts import HostTool
from .sandbox import sandbox_report

__all__ = ["HostTool", "documents_ready", "open_archive", "open_gate", "prepare_documents", "sandbox_report"]
