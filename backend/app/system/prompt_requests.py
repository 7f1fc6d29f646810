"""Connections on which requests have to arrive: who sends nothing, or half of something, is not waited for."""

from __future__ import annotations

import asyncio
from typing import Any, Final

__all__ = ["ARRIVES_WITHIN_S", "PromptRequests"]

ARRIVES_WITHIN_S: Final = 15.0
"""From the opening of a connection, or the first byte of a later request, to the last byte of its body."""


class PromptRequests(asyncio.Protocol):
    """To be mixed into the HTTP protocol of a listener, before it. More bytes do not lengthen the time."""

    arrives_within_s: float = ARRIVES_WITHIN_S
    cycle: Any
    """The listener's own: the latest request, None before the first."""
    _overdue: asyncio.TimerHandle | None = None
    _line: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._line = transport
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what came, and see whether a request is whole."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete and not cycle.more_body:
            self._stop()
        elif self._overdue is None:
            loop = asyncio.get_running_loop()
            self._overdue = loop.call_later(self.arrives_within_s, self._close)

    def _close(self) -> None:
        if self._line is not None:
            self._line.close()

    def _stop(self) -> None:
        if self._overdue is not None:
            self._overdue.cancel()
            self._overdue = None
