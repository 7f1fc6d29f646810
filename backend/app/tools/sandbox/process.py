"""One worker process as its host sees it: started, asked, cut, and laid to rest."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from contextlib import ExitStack, suppress
from typing import Final

from pydantic import ValidationError

from ...kernel.calls import CallContext, ToolCall
from ...kernel.errors import (
    OutputTooLarge,
    SandboxViolation,
    ToolFailure,
    ToolResponseInvalid,
    ToolUnavailable,
    WorkerKilled,
)
from ...kernel.results import RawResult, UnavailableKind
from .boot import start_worker
from .frames import FAILURES, HEADER, MAX_REPORT_BYTES, MEMORY_EXIT, Ask, FailureReport, FrameKind, Hello
from .spec import WorkerSpec

__all__ = ["WorkerProcess"]

_CHUNK_BYTES: Final = 65_536
_VIOLATIONS: Final = (signal.SIGABRT, signal.SIGKILL, signal.SIGSEGV, signal.SIGSYS)
_LAST_BREATH_MS: Final = (0, 1, 1, 2, 5, 10, 20, 50, 100, 200, 500)


class WorkerProcess:
    """A process with one tool, at the other end of a socket pair."""

    def __init__(self, spec: WorkerSpec, *, show_errors: bool = False) -> None:
        """Start the process; the first call waits until its tool is built.

        Raises:
            ToolFailure: the machine has no room for another process.
        """
        self.calls = 0
        self.reusable = True
        self._cut = False
        try:
            with ExitStack() as on_failure:
                line, far_end = socket.socketpair()
                on_failure.enter_context(line)
                line.setblocking(False)
                with far_end:
                    # Started on the thread of the event loop, so that it ends with it.
                    self._process = start_worker(
                        "worker", far_end.fileno(), environment=dict(spec.environment), show_errors=show_errors
                    )
                on_failure.pop_all()
        except OSError as exc:
            raise ToolFailure("worker could not be started") from exc
        self._line = line
        hello = Hello(factory=spec.factory, config=spec.config, memory_limit_bytes=spec.memory_limit_bytes)
        self._unsent = _frame(FrameKind.HELLO, 0, hello.model_dump_json().encode())

    @property
    def pid(self) -> int:
        """For the operator and for tests."""
        return self._process.pid

    def fresh(self) -> bool:
        """Whether an idle worker is alive and silent; one that died, or talks unasked, is of no use."""
        try:
            self._line.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    async def ask(self, call: ToolCall, context: CallContext) -> RawResult:
        """Have the tool answer.

        Raises:
            ToolFailure: the tool's own failure, or what became of the worker; `reusable` says whether it may go on.
        """
        self.reusable = False
        self.calls += 1
        loop = asyncio.get_running_loop()
        frame = _frame(FrameKind.ASK, self.calls, Ask(call=call, context=context).model_dump_json().encode())
        frame, self._unsent = self._unsent + frame, b""
        try:
            await loop.sock_sendall(self._line, frame)
            kind, number, body = await self._receive(loop, context.max_output_bytes + MAX_REPORT_BYTES)
        except (EOFError, BrokenPipeError, ConnectionResetError) as exc:
            raise await self._obituary() from exc
        if kind != FrameKind.NOT_STARTED and number != self.calls:
            raise ToolResponseInvalid("worker answered a call that was not asked")
        return self._judge(kind, body)

    def kill(self) -> None:
        """End the process and what it forked, at once; who is still asking it is told."""
        self._cut = True
        with suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)
        if self._process.returncode is None:
            self._kill_group()

    def bury(self) -> None:
        """Kill it when nobody is asking any more, and give its end of the line back."""
        self.kill()
        self._line.close()

    def gone(self) -> bool:
        """Whether the system has let go of the killed process."""
        return self._process.poll() is not None

    def _kill_group(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    async def _receive(self, loop: asyncio.AbstractEventLoop, limit: int) -> tuple[int, int, bytes]:
        data = bytearray()
        while len(data) < HEADER.size:
            data += await self._chunk(loop, _CHUNK_BYTES)
        kind, number, size = HEADER.unpack_from(data)
        if size > limit:
            raise OutputTooLarge(f"{size} bytes of output, {limit} allowed")
        end = HEADER.size + size
        while len(data) < end:
            data += await self._chunk(loop, max(_CHUNK_BYTES, end - len(data)))
        if len(data) > end:
            raise ToolResponseInvalid("worker said more than its answer")
        return kind, number, bytes(memoryview(data)[HEADER.size :])

    async def _chunk(self, loop: asyncio.AbstractEventLoop, size: int) -> bytes:
        chunk = await loop.sock_recv(self._line, size)
        if not chunk:
            raise EOFError
        return chunk

    def _judge(self, kind: int, body: bytes) -> RawResult:
        try:
            if kind == FrameKind.RESULT:
                result = RawResult.model_validate_json(body)
                self.reusable = True
                return result
            if kind == FrameKind.FAILURE:
                report = FailureReport.model_validate_json(body)
                failure = _failure(report)
                self.reusable = not isinstance(failure, SandboxViolation)
                raise failure
        except ValidationError as exc:
            raise ToolResponseInvalid("output breaks its declared type") from exc
        if kind == FrameKind.CRASH:
            raise ToolFailure(f"tool raised {_word(body)}")
        if kind == FrameKind.NOT_STARTED:
            raise ToolFailure(f"tool could not be built: {_word(body)}")
        raise ToolResponseInvalid("output breaks its declared type")

    async def _obituary(self) -> ToolFailure:
        """What a closed line means: the exit code says whether the sandbox's rules were broken."""
        for pause_ms in _LAST_BREATH_MS:
            code = self._process.poll()
            if code is not None:
                self._kill_group()  # what the worker forked may still be there
                return ToolFailure("worker was ended by its host") if self._cut else _death(code)
            await asyncio.sleep(pause_ms / 1000)
        return ToolResponseInvalid("worker closed its line")


def _frame(kind: FrameKind, number: int, body: bytes) -> bytes:
    return HEADER.pack(kind, number, len(body)) + body


def _failure(report: FailureReport) -> ToolFailure:
    failure = FAILURES.get(report.name)
    if failure is ToolUnavailable and report.kind in list(UnavailableKind):
        return ToolUnavailable(report.kind, report.message)
    if failure is None or failure is ToolUnavailable:
        raise ToolResponseInvalid("worker reported a failure that does not exist")
    return failure(report.message)


def _death(code: int) -> ToolFailure:
    if code == MEMORY_EXIT:
        return WorkerKilled("worker ran into its memory limit")
    if -code in _VIOLATIONS:
        return WorkerKilled(f"worker was killed by {signal.Signals(-code).name}")
    return ToolFailure(f"worker ended with code {code}")


def _word(body: bytes) -> str:
    return "".join(c for c in body[:64].decode("ascii", "replace") if c.isidentifier() or c.isdigit())
