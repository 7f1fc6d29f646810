"""The tripwire: one audit hook for the process that acts only inside a session and outside its tool calls (R16)."""

from __future__ import annotations

import _thread
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, suppress
from contextvars import ContextVar
from typing import Any, Final, TypeVar, cast

from ..kernel.errors import OperationForbidden

__all__ = ["AuditTripwire", "install"]

T = TypeVar("T")

# What tripped so far; None where nobody watches: the host's own code, and the inside of a tool call.
_WATCH: ContextVar[list[OperationForbidden] | None] = ContextVar("portcullis.tripwire", default=None)
_FAMILIES: Final = frozenset({
    "ctypes", "ftplib", "http", "imaplib", "nntplib", "poplib", "pty", "smtplib", "socket", "sqlite3", "subprocess",
    "telnetlib", "urllib", "webbrowser",
})  # fmt: skip
# A new thread starts with an empty context, where the tripwire would be blind; so the start itself trips.
_EVENTS: Final = frozenset({
    "_thread.start_joinable_thread", "_thread.start_new_thread", "os.exec", "os.fork", "os.forkpty",
    "os.posix_spawn", "os.spawn", "os.startfile", "os.system", "pickle.find_class", "portcullis.tool",
})  # fmt: skip
# Of all assignments the interpreter announces those that exchange what an object is or what a function does.
_EXCHANGED: Final = frozenset({"__bases__", "__class__", "__code__", "__defaults__", "__kwdefaults__"})
_TOOLS: Final = f"{__package__.rpartition('.')[0]}.tools"
_MODULES: Final = frozenset({
    "_ctypes", "_posixsubprocess", "aiohttp", "anyio", "ctypes", "ftplib", "h11", "http", "httpcore", "httpx",
    "imaplib", "multiprocessing", "poplib", "requests", "smtplib", "socketserver", "unittest", "urllib3",
    "websockets", "xmlrpc",
})  # fmt: skip
_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_installing: Final = threading.Lock()
_installed: list[AuditTripwire] = []


class AuditTripwire:
    """The kernel's `Tripwire` on the audit events of the interpreter; there is one in a process."""

    def armed(self) -> AbstractContextManager[None]:
        """Watch until the end of the block; what tripped is raised there even if someone hid it.

        Raises:
            OperationForbidden: a forbidden operation was tried inside.
        """
        return _Block([])

    def tool_call(self) -> AbstractContextManager[None]:
        """Look away until the end of the block."""
        return _Block(None)

    def outside(self, port: T) -> T:
        """The port with its methods run unwatched."""
        return cast(T, _Outside(port))


class _Block:
    """What is watched, from here to the end of a `with`."""

    __slots__ = ("_token", "_trips")

    def __init__(self, trips: list[OperationForbidden] | None) -> None:
        self._trips = trips

    def __enter__(self) -> None:
        self._token = _WATCH.set(self._trips)

    def __exit__(self, *_: object) -> None:
        # A coroutine that nobody finished is closed by the collector, in a context where nothing was set.
        with suppress(ValueError):
            _WATCH.reset(self._token)
        if self._trips:
            raise self._trips[0]


class _Outside:
    """Stands before a port; looks away while one of its methods runs, awaited or not."""

    def __init__(self, port: object) -> None:
        self._port = port

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._port, name)

        def unwatched(*args: Any, **words: Any) -> Any:
            with _Block(None):
                answer = method(*args, **words)
            return _awaited(answer) if isinstance(answer, Coroutine) else answer

        return unwatched


async def _awaited(answer: Coroutine[Any, Any, Any]) -> Any:
    with _Block(None):
        return await answer


def install() -> AuditTripwire:
    """The tripwire of this process; the first call adds the hook, which cannot be taken away again."""
    with _installing:
        if not _installed:
            _announce_threads()
            sys.addaudithook(_hook())
            _installed.append(AuditTripwire())
        return _installed[0]


def _hook() -> Callable[[str, tuple[Any, ...]], None]:
    # Bound here, because the hook is called until the very end, when the names of a module may be gone.
    watched, forbids, error = _WATCH.get, _forbids, OperationForbidden

    def hook(event: str, args: tuple[Any, ...]) -> None:
        trips = watched()
        if trips is not None and forbids(event, args):
            trips.append(error(f"`{event}` inside a session and outside a tool call"))
            raise trips[-1]

    return hook


def _announce_threads() -> None:
    """Python 3.12 raises an event for a new thread and 3.11 does not, so there it is raised from here."""
    if sys.version_info >= (3, 12):
        return
    start = _thread.start_new_thread

    def announced(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> int:
        sys.audit("_thread.start_new_thread", function, args, kwargs or {})
        return start(function, args, kwargs or {})

    _thread.start_new_thread = _thread.start_new = announced  # the event's only place
    threading._start_new_thread = announced  # type: ignore[attr-defined]  # the copy that `Thread` uses


def _forbids(event: str, args: tuple[Any, ...]) -> bool:
    if event == "open":
        path, _, flags = args
        # A number is a line that is open already; a path may be one of the interpreter's own.
        known = isinstance(path, str | bytes) and _cache(os.fsdecode(path))
        return isinstance(path, int | str | bytes) and bool(flags & _WRITES) and not known
    if event == "import":
        name = str(args[0])
        return name.partition(".")[0] in _MODULES or f"{name}.".startswith(f"{_TOOLS}.") or name == "urllib.request"
    if event == "object.__setattr__":
        return args[1] in _EXCHANGED
    return event in _EVENTS or event.partition(".")[0] in _FAMILIES


def _cache(path: str) -> bool:
    """The interpreter keeps compiled modules when something is imported late."""
    return "__pycache__" in path or path == os.devnull
