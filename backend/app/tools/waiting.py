"""Callers that wait in the order in which they came, on any event loop and any thread of the process."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, TypeVar

__all__ = ["Waiter", "WaitingLine"]

T = TypeVar("T")


class Waiter(Generic[T]):
    """One who waits, on the loop on which it asked."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._called: asyncio.Future[None] = self._loop.create_future()
        self.given: T | Exception | None = None
        """What was handed over; nobody takes it back, so it is the waiter's to use or to return."""

    async def wait(self) -> T:
        """Wait until something is handed over.

        Raises:
            Exception: what was handed over instead of a value.
        """
        await self._called
        if isinstance(self.given, Exception):
            raise self.given
        if self.given is None:
            raise RuntimeError("woken without a value")
        return self.given

    def call(self, given: T | Exception) -> bool:
        """Hand something over; False where the waiter's loop is closed."""
        self.given = given  # before the call: the loop may run on another thread
        try:
            self._loop.call_soon_threadsafe(self._wake)
        except RuntimeError:
            self.given = None
            return False
        return True

    def _wake(self) -> None:
        if not self._called.done():
            self._called.set_result(None)


class WaitingLine(Generic[T]):
    """First come, first served. Its owner holds a lock of its own round every call."""

    def __init__(self) -> None:
        self._waiting: deque[Waiter[T]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def join(self) -> Waiter[T]:
        """Stand at the end."""
        waiter = Waiter[T]()
        self._waiting.append(waiter)
        return waiter

    def leave(self, waiter: Waiter[T]) -> T | None:
        """Wait no longer; what was handed over in the very moment of leaving comes back."""
        if waiter in self._waiting:
            self._waiting.remove(waiter)
        return None if isinstance(waiter.given, Exception) else waiter.given

    def hand(self, given: T | Exception) -> bool:
        """Give to the first; False where nobody waits."""
        while self._waiting:
            if self._waiting.popleft().call(given):
                return True
        return False
