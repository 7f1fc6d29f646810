"""Signals that stop a server: research under way learns of them at once."""

from __future__ import annotations

import asyncio
import signal
from typing import Any

from .door import ChatDoor

__all__ = ["close_on_signals"]


def close_on_signals(door: ChatDoor) -> None:
    """At a signal, research under way gets its grace at once, so that every client still reads its reply."""
    loop, ending = asyncio.get_running_loop(), []

    def end() -> None:
        ending.append(asyncio.ensure_future(door.running.close(door.settings.serve.shutdown_grace_s)))

    for number in (signal.SIGINT, signal.SIGTERM):
        before = signal.getsignal(number)

        def handle(named: int, frame: Any, before: Any = before) -> None:
            loop.call_soon_threadsafe(end)
            if callable(before):
                before(named, frame)

        signal.signal(number, handle)
