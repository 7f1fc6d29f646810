"""The public names that open a gate and look at its records; loading them loads the whole house."""

from __future__ import annotations

from ..archive.archive import Archive
from ..research.router import Router
from ..wiring.archive_setup import open_archive
from ..wiring.document_setup import prepare_documents
from ..wiring.gate import open_gate
from ..wiring.host_parts import HostTool
from .researcher import Researcher, ResearchEvent

__all__ = [
    "Archive",
    "HostTool",
    "ResearchEvent",
    "Researcher",
    "Router",
    "open_archive",
    "open_gate",
    "prepare_documents",
]
