"""The audit log of the door: one line per request, with the length and the digest of what was asked, never a text."""

from __future__ import annotations

import logging
from typing import Final

from ..kernel.canonical import sha256_hex
from ..kernel.errors import StoreUnusable
from ..system.door_events import DoorEvent
from .access import Caller
from .door import ChatDoor

__all__ = ["note_request"]

_LOG: Final = logging.getLogger("portcullis.chat")


def note_request(
    door: ChatDoor, caller: Caller, route: str, request_id: str, started_ms: int, asked: bytes, error: str
) -> None:
    """Write the line of one request; a log that cannot be written is told and holds nothing up."""
    now_ms = door.clock.now_ms()
    event = DoorEvent(
        at_ms=now_ms,
        door="http",
        tenant_id=caller.principal.tenant,
        user_id=caller.principal.user,
        request_id=request_id,
        tool_name=route,
        duration_ms=max(0, now_ms - started_ms),
        success=not error,
        error_code=error,
        query_length=len(asked),
        query_digest=sha256_hex(asked),
    )
    try:
        door.audit.note(event)
    except StoreUnusable as exc:
        _LOG.error("%s", exc)
