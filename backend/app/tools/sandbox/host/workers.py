"""The workers of a tool as their host sees them, and the nursery that forks them."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from threading import Lock
from typing import Final

from pydantic import ValidationError

from ....kernel.calls import CallContext, ToolCall
from ....kernel.errors import SandboxViolation, ToolFailure, ToolResponseInvalid
from ....kernel.results import RawResult
from ..frames import HEADER, MAX_REPORT_BYTES, Ask, FrameKind, Hello, failure_of, frame, word
from ..nursery_words import NO_ROOM, NUMBER
from ..spec import WorkerSpec
from .boot import spawn_worker
from .children import Child, Forked
from .process import START_LIMIT_MS, LineProcess

__all__ = ["Nursery", "WorkerProcess"]

_TRIES: Final = 2
_PATIENCE_S: Final = 2


class Nursery:
    """A process that forks the workers of one tool; it is started with the first of them, and again should it die.

    `new_worker` belongs to one thread, which lives as long as the nursery is to live; `close` may come from any.
    """

    def __init__(self, spec: WorkerSpec, *, show_errors: bool = False) -> None:
        hello = Hello(factory=spec.factory, config=spec.config, memory_limit_bytes=spec.memory_limit_bytes)
        self._first = frame(FrameKind.HELLO, 0, hello.model_dump_json().encode())
        self._environment: Mapping[str, str] = dict(spec.environment)
        self._show_errors = show_errors
        self._lock = Lock()
        self._closed = False
        self._line: socket.socket | None = None
        self._child: Child | None = None
        self._loaded = False

    def new_worker(self, far_end: socket.socket) -> Forked:
        """A worker at the far end of a line.

        Raises:
            OSError: the machine has no room for another process, or the nursery was closed.
        """
        for attempt in range(1, _TRIES + 1):
            try:
                return self._forked(self._line or self._started(), far_end)
            except (EOFError, ConnectionError, TimeoutError) as exc:
                self.end()
                if attempt == _TRIES or self._closed:
                    raise OSError("the nursery is gone") from exc
        raise OSError("the nursery is gone")

    def close(self) -> None:
        """End it and every worker; one that is still loading is cut."""
        with self._lock:
            self._closed = True
            if self._child is not None and not self._loaded:
                self._child.kill()
            if self._line is not None:
                _shut(self._line)

    def end(self) -> None:
        """Let it bury its workers, and wait until it is gone itself; for the thread that forks."""
        with self._lock:
            line, self._line = self._line, None
            child, self._child = self._child, None
        if line is not None:
            with line:
                _shut(line)
        if child is not None and child.exit_code(_PATIENCE_S) is None:
            child.kill()
            child.exit_code(_PATIENCE_S)

    def _started(self) -> socket.socket:
        line, far_end = socket.socketpair()
        try:
            with far_end, self._lock:
                if self._closed:
                    raise OSError("the nursery is closed")
                self._child = spawn_worker(
                    "nursery", far_end, environment=self._environment, show_errors=self._show_errors
                )
                self._line, self._loaded = line, False
        except BaseException:
            line.close()
            raise
        line.settimeout(START_LIMIT_MS / 1000)
        line.sendall(self._first)
        _exactly(line, HEADER.size)  # it says that it has loaded
        self._loaded = True
        return line

    def _forked(self, line: socket.socket, far_end: socket.socket) -> Forked:
        desk, their_end = socket.socketpair()
        try:
            with their_end:
                socket.send_fds(line, [b"\0"], [far_end.fileno(), their_end.fileno()])
            desk.settimeout(START_LIMIT_MS / 1000)
            (pid,) = NUMBER.unpack(_exactly(desk, NUMBER.size))
        except BaseException:
            desk.close()
            raise
        if pid == NO_ROOM:
            desk.close()
            raise OSError("the machine has no room for another process")
        return Forked(pid, desk)


class WorkerProcess(LineProcess):
    """A process with one tool."""

    def __init__(self, nursery: Nursery) -> None:
        """Fork the process, on the thread of its nursery.

        Raises:
            ToolFailure: the machine has no room for another process.
        """
        super().__init__(nursery.new_worker, b"", MAX_REPORT_BYTES)

    def get_ready(self) -> None:
        """Wait until its tool is built.

        Raises:
            ToolFailure: it cannot be built, or what became of the process.
        """
        kind, _, body = self.next_frame(START_LIMIT_MS)
        if kind == FrameKind.NOT_STARTED:
            raise ToolFailure(f"tool could not be built: {word(body)}")
        if kind != FrameKind.HELLO:
            raise ToolResponseInvalid("worker did not say that its tool is built")

    async def ask(self, call: ToolCall, context: CallContext) -> RawResult:
        """Have the tool answer.

        Raises:
            ToolFailure: the tool's own failure, or what became of the worker; `reusable` says whether it may go on.
        """
        self.reusable = False
        self.calls += 1
        request = frame(FrameKind.ASK, self.calls, Ask(call=call, context=context).model_dump_json().encode())
        kind, number, body = await self.exchange(request, context.max_output_bytes + MAX_REPORT_BYTES)
        if number != self.calls:
            raise ToolResponseInvalid("worker answered a call that was not asked")
        return self._judge(kind, body)

    def _judge(self, kind: int, body: bytes) -> RawResult:
        try:
            if kind == FrameKind.RESULT:
                result = RawResult.model_validate_json(body)
                self.reusable = True
                return result
            if kind == FrameKind.FAILURE:
                failure = failure_of(body)
                self.reusable = not isinstance(failure, SandboxViolation)
                raise failure
        except ValidationError as exc:
            raise ToolResponseInvalid("output breaks its declared type") from exc
        if kind == FrameKind.CRASH:
            raise ToolFailure(f"tool raised {word(body)}")
        raise ToolResponseInvalid("output breaks its declared type")


def _exactly(line: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        chunk = line.recv(size - len(data))
        if not chunk:
            raise EOFError
        data += chunk
    return data


def _shut(line: socket.socket) -> None:
    """Tell the other end that this is the end, also where a fork of this process still holds the line."""
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
