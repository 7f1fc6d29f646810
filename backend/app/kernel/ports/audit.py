"""The audit log as a port."""

from __future__ import annotations

from typing import Protocol

from ..audit import AuditEvent

__all__ = ["Audit"]


class Audit(Protocol):
    """Where requests that open no session leave their line."""

    def note(self, event: AuditEvent) -> None: ...
