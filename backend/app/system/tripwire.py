"""The tripwire: one audit hook for the process that acts only inside a session and outside its tool calls (R16)."""

from __future__ import annotations

import _thread
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, suppress
from contextvars import ContextVar
from importlib import _bootstrap, _bootstrap_external
from typing import Any, Final, TypeVar, cast

from ..kernel.errors import OperationForbidden

__all__ = ["AuditTripwire", "install"]

T = TypeVar("T")

# What tripped so far; None where nobody watches: the host's own code, and the inside of a tool call.
_WATCH: ContextVar[list[OperationForbidden] | None] = ContextVar("portcullis.tripwire", default=None)
# The interpreter's table of audit events: every event of these modules, and of `os` all but looking at folders.
_FAMILIES: Final = frozenset({
    "_winapi", "ctypes", "ensurepip", "fcntl", "ftplib", "gc", "http", "imaplib", "mmap", "msvcrt", "nntplib", "os",
    "pdb", "poplib", "pty", "resource", "shutil", "signal", "smtplib", "socket", "sqlite3", "subprocess", "syslog",
    "telnetlib", "tempfile", "urllib", "webbrowser", "winreg",
})  # fmt: skip
_LOOKS: Final = frozenset({
    "os.fwalk", "os.getxattr", "os.listdir", "os.listdrives", "os.listmounts", "os.listvolumes", "os.listxattr",
    "os.scandir", "os.walk",
})  # fmt: skip
# A new thread starts with an empty context, where the tripwire would be blind; so the start itself trips.
_EVENTS: Final = frozenset({
    "_thread.start_joinable_thread", "_thread.start_new_thread", "builtins.breakpoint", "builtins.input",
    "pickle.find_class", "portcullis.tool", "setopencodehook", "sys.addaudithook", "sys.setprofile", "sys.settrace",
})  # fmt: skip
# Of all assignments the interpreter announces those that exchange what an object is or what a function does.
_EXCHANGED: Final = frozenset({"__bases__", "__class__", "__code__", "__defaults__", "__kwdefaults__"})
_TOOLS: Final = f"{__package__.rpartition('.')[0]}.tools"
_MODULES: Final = frozenset({
    "_ctypes", "_posixsubprocess", "aiohttp", "anyio", "ctypes", "ftplib", "h11", "http", "httpcore", "httpx",
    "imaplib", "multiprocessing", "poplib", "requests", "smtplib", "socketserver", "unittest", "urllib3",
    "websockets", "xmlrpc",
})  # fmt: skip
# The calls by which an import saves compiled code, from the innermost; making the folder for it is the second one's.
_SAVING: Final = tuple(
    function.__code__
    for function in (
        _bootstrap_external._write_atomic,  # type: ignore[attr-defined]  # not in the stubs
        _bootstrap_external.SourceFileLoader.set_data,
        _bootstrap_external.SourceFileLoader._cache_bytecode,  # type: ignore[attr-defined]  # not in the stubs
        _bootstrap_external.SourceLoader.get_code,
        _bootstrap_external.SourceLoader.exec_module,
        _bootstrap._load_unlocked,  # type: ignore[attr-defined]  # not in the stubs
    )
)
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
    watched, forbids, saves, error = _WATCH.get, _forbids, _saves_an_import, OperationForbidden
    frame = sys._getframe

    def hook(event: str, args: tuple[Any, ...]) -> None:
        trips = watched()
        if trips is not None and forbids(event, args) and not saves(frame(1)):
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
        # A path of any kind, or the number of a line that is open already.
        path, _, flags = args
        return bool(flags & _WRITES) and path != os.devnull
    if event == "import":
        name = str(args[0])
        return name.partition(".")[0] in _MODULES or f"{name}.".startswith(f"{_TOOLS}.") or name == "urllib.request"
    if event == "object.__setattr__":
        return args[1] in _EXCHANGED
    return event in _EVENTS or (event.partition(".")[0] in _FAMILIES and event not in _LOOKS)


def _saves_an_import(frame: Any) -> bool:
    """Whether an import keeps the code that it has just compiled: told by who calls, since any path can be named."""
    calls = _SAVING if frame is not None and frame.f_code is _SAVING[0] else _SAVING[1:]
    for code in calls:
        if frame is None or frame.f_code is not code:
            return False
        frame = frame.f_back
    return True
