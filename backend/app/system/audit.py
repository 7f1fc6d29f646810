"""The audit log: one JSON line per request, on the logger `portcullis.audit`."""

from __future__ import annotations

import logging

from ..kernel.audit import AuditEvent

__all__ = ["LogAudit"]


class LogAudit:
    """Writes to Python's logging, so that a host routes it as it routes its other logs."""

    def __init__(self) -> None:
        self._log = logging.getLogger("portcullis.audit")

    def note(self, event: AuditEvent) -> None:
        """One line."""
        self._log.info(event.model_dump_json())
