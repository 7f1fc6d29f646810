"""Wiring: the one floor where things are built and connected."""

from __future__ import annotations

from .document_setup import documents_ready, prepare_documents
from .gate import open_gate
from .host_parts import HostTool
from .records import Records
from .sandbox import sandbox_report

__all__ = ["HostTool", "Records", "documents_ready", "open_gate", "prepare_documents", "sandbox_report"]
