"""Signals that stop a server: research under way learns of them at once, and the process ends in order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .door import ChatDoor

__all__ = ["close_on_signals", "end_this_process", "ending_in_order"]


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


@contextmanager
def ending_in_order() -> Iterator[None]:
    """SIGTERM ends the process by way of every `finally`: the server sends itself the signal again when it has ended,
    and by default that kills. A terminal that is closed ends it, too, unless somebody has said `nohup`."""

    def end(number: int, frame: Any) -> None:
        raise SystemExit(0)

    def hung_up(number: int, frame: Any) -> None:
        signal.raise_signal(signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, end)
    hangs_up = signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
    if hangs_up:
        signal.signal(signal.SIGHUP, hung_up)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        if hangs_up:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)


def end_this_process() -> None:
    """End it as an operator would, by SIGTERM."""
    signal.raise_signal(signal.SIGTERM)
