"""One line of the audit log: who called which capability and how it ended; never a question or a text."""

from __future__ import annotations

from .models import FrozenModel, Identifier

__all__ = ["AuditEvent"]


class AuditEvent(FrozenModel):
    """A request that opened no session; sessions have their journal."""

    tenant: Identifier
    user: Identifier
    capability: Identifier
    duration_ms: int
    success: bool
    error_code: str = ""
    withheld: int = 0
    """Texts that were not handed out because they carry a directive."""
