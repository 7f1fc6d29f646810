"""What a worker process does: it builds one tool, then answers one call at a time until its host is gone."""

from __future__ import annotations

import os
import resource
import socket
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from ....kernel.calls import CallContext, ToolCall
from ....kernel.errors import ToolFailure, ToolUnavailable
from ....kernel.results import RawItem, RawResult
from ..frames import FAILURES, Ask, FailureReport, FrameKind, Hello
from ..walls.limits import limit
from .program import HostGone, die_with, receive, send

__all__ = ["BlockingTool", "preload", "serve"]

BlockingTool = Callable[[ToolCall, CallContext], RawResult]

_T = TypeVar("_T")

_OUTPUT_TYPES: Final = (RawItem.__name__, RawResult.__name__)
_RESULT: Final = TypeAdapter(RawResult)


def preload(hello: Hello) -> None:
    """Import the tool's module where that can be done; what goes wrong here goes wrong again in the worker."""
    with suppress(ToolFailure, ValidationError, MemoryError, _Crash):
        _crossing(lambda: import_module(hello.factory.partition(":")[0]))


def serve(line: socket.socket, hello: Hello) -> None:
    """Build the tool, say so, then answer until the host is gone.

    Raises:
        HostGone: nobody waits for answers any more, or the tool cannot be built.
    """
    _guard_forks(line)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_AS, hello.memory_limit_bytes)
    try:
        tool = _crossing(lambda: _build(hello))
    except (ToolFailure, ValidationError, _Crash) as exc:
        # The host learns the type, then this process ends.
        send(line, FrameKind.NOT_STARTED, 0, exc.name if isinstance(exc, _Crash) else _type_name(exc))
        raise HostGone from exc
    send(line, FrameKind.HELLO, 0, b"")
    while True:
        _, number, body = receive(line)
        kind, answer = _answer(tool, Ask.model_validate_json(body))
        send(line, kind, number, answer)


def _guard_forks(line: socket.socket) -> None:
    """A process that the tool forks must neither hold the line open nor outlive the worker."""
    parent_pid = os.getpid()

    def in_child() -> None:
        nonlocal parent_pid
        line.close()
        die_with(parent_pid)
        parent_pid = os.getpid()

    os.register_at_fork(after_in_child=in_child)


def _build(hello: Hello) -> BlockingTool:
    module, _, name = hello.factory.partition(":")
    factory: Callable[[str], BlockingTool] = getattr(import_module(module), name)
    return factory(hello.config)


class _Crash(Exception):
    """Something unforeseen, known by its type name alone."""

    def __init__(self, name: bytes) -> None:
        super().__init__(name)
        self.name = name


def _crossing(work: Callable[[], _T]) -> _T:
    """Run foreign code at the process border."""
    try:
        return work()
    except (ToolFailure, ValidationError, MemoryError):
        raise
    except BaseException as exc:  # the border itself: whatever a tool raises crosses as a type name
        raise _Crash(_type_name(exc)) from exc


def _answer(tool: BlockingTool, ask: Ask) -> tuple[FrameKind, bytes]:
    try:
        result = _crossing(lambda: tool(ask.call, ask.context))
    except ToolFailure as exc:
        return FrameKind.FAILURE, _report(exc)
    except ValidationError as exc:
        # A tool that cannot build its own result has output that breaks the declared type.
        if exc.title in _OUTPUT_TYPES:
            return FrameKind.INVALID, b""
        return FrameKind.CRASH, _type_name(exc)
    except _Crash as exc:
        return FrameKind.CRASH, exc.name
    if type(result) is not RawResult:
        return FrameKind.INVALID, b""
    try:
        return FrameKind.RESULT, _RESULT.dump_json(result, warnings="error")
    except (ValueError, TypeError, RecursionError):
        return FrameKind.INVALID, b""


def _report(exc: ToolFailure) -> bytes:
    known = next(cls.__name__ for cls in type(exc).__mro__ if cls.__name__ in FAILURES)
    kind = exc.kind if isinstance(exc, ToolUnavailable) else ""
    message = exc.args[0] if exc.args else ""
    report = FailureReport(name=known, kind=_short(kind, 64), message=_short(message, 200))
    return report.model_dump_json().encode()


def _short(value: object, length: int) -> str:
    """Text that is sure to travel; a message is for the operator and may be cut."""
    if not isinstance(value, str):
        return ""
    return value[:length].encode("utf-8", "replace").decode()


def _type_name(exc: BaseException) -> bytes:
    return type(exc).__name__[:64].encode("ascii", "replace")
