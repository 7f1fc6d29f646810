"""An event loop without sockets and without waiting: what runs on it has everything it needs already."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from ..kernel.errors import ContractViolation

__all__ = ["in_a_loop", "run_quietly"]

T = TypeVar("T")


class _NothingToWaitFor:
    """Where a usual loop asks the machine for events."""

    def select(self, timeout: float | None) -> list[Any]:
        if timeout != 0:
            raise ContractViolation("a replay would have to wait for something")
        return []


class _QuietLoop(asyncio.BaseEventLoop):
    """The scheduling of asyncio with nothing behind it; a usual loop opens a pair of sockets for itself."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = _NothingToWaitFor()

    def _process_events(self, events: list[Any]) -> None:
        pass


def run_quietly(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end without any input or output.

    Raises:
        ContractViolation: it would have to wait.
    """
    loop = _QuietLoop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()


def in_a_loop() -> bool:
    """True if an event loop runs in this thread: no other one can run beside it."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
