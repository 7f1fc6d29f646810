"""Looks a name up, beside the event loop and without a wait that nobody could cut."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from typing import Final, Protocol

__all__ = ["LookupFailed", "Resolver", "SystemResolver"]

_AT_ONCE: Final = 32


class LookupFailed(Exception):
    """The resolver gave no answer; that is another thing than the answer that there is no such name."""


class Resolver(Protocol):
    """All addresses of a name, in the order of preference; none where there is no such name.

    Raises:
        LookupFailed: nobody could be asked, or nobody answered.
    """

    async def addresses(self, name: str) -> tuple[str, ...]: ...


class SystemResolver:
    """The machine's own resolver.

    `getaddrinfo` blocks and cannot be interrupted. It runs in a daemon thread, which ends with the process and does not
    hold it up, as a thread of the loop's executor would; stuck threads count until they end, so there are never many.
    """

    def __init__(self, ask: Callable[[str], tuple[str, ...]] | None = None) -> None:
        self._ask = ask or _asked_of_the_machine
        self._free = _AT_ONCE
        self._lock = threading.Lock()

    async def addresses(self, name: str) -> tuple[str, ...]:
        """Look the name up as it stands: the dot at its end keeps the machine's search list out.

        Raises:
            LookupFailed: too many look-ups are stuck, or the resolver failed.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[tuple[str, ...]] = loop.create_future()
        with self._lock:
            if not self._free:
                raise LookupFailed("too many look-ups at once")
            self._free -= 1

        def told(found: tuple[str, ...] | LookupFailed) -> None:
            if answer.done():  # nobody waits any more
                return
            if isinstance(found, LookupFailed):
                answer.set_exception(found)
            else:
                answer.set_result(found)

        def look_up() -> None:
            found: tuple[str, ...] | LookupFailed
            try:
                found = self._ask(f"{name}.")
            except LookupFailed as exc:
                found = exc
            with self._lock:
                self._free += 1
            try:
                loop.call_soon_threadsafe(told, found)
            except RuntimeError:
                return  # the loop was closed in the meantime

        threading.Thread(target=look_up, name="portcullis-lookup", daemon=True).start()
        return await answer


def _asked_of_the_machine(name: str) -> tuple[str, ...]:
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except socket.gaierror as exc:
        if exc.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)):
            return ()
        raise LookupFailed(str(exc)) from exc
    except (OSError, UnicodeError) as exc:
        raise LookupFailed(str(exc)) from exc
    # An IPv6 answer carries its zone as a number of its own; written behind the address it is judged with it.
    return tuple(dict.fromkeys(_spelled(family, place) for family, _, _, _, place in found))


def _spelled(family: int, place: tuple[object, ...]) -> str:
    zone = place[3] if family == socket.AF_INET6 and len(place) > 3 else 0
    return f"{place[0]}%{zone}" if zone and "%" not in str(place[0]) else str(place[0])
