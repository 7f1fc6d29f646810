"""One worker process as its host sees it: started, asked, cut, and laid to rest."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import Final

from pydantic import ValidationError

from ...kernel.calls import CallContext, ToolCall
from ...kernel.errors import OutputTooLarge, SandboxViolation, ToolFailure, ToolResponseInvalid, ToolUnavailable
from ...kernel.results import RawResult, UnavailableKind
from .boot import start_worker
from .deaths import death_of
from .frames import FAILURES, HEADER, MAX_REPORT_BYTES, Ask, FailureReport, FrameKind, Hello, frame
from .spec import WorkerSpec

__all__ = ["LineProcess", "WorkerProcess", "failure_of", "word"]

_CHUNK_BYTES: Final = 65_536
_LAST_BREATH_MS: Final = (0, 1, 1, 2, 5, 10, 20, 50, 100, 200, 500)
_LAST_BREATH_S: Final = 2


class LineProcess:
    """A process at the other end of a socket pair, whatever it is that runs there."""

    def __init__(
        self,
        program: str,
        first_frame: bytes,
        *,
        environment: Mapping[str, str] | None = None,
        bare: bool = False,
        show_errors: bool = False,
    ) -> None:
        """Start the process; the first frame waits until there is somebody to send it.

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
                    # Started on the thread that waits for it, so that it ends with it.
                    self._process = start_worker(
                        program, far_end.fileno(), environment=environment, bare=bare, show_errors=show_errors
                    )
                on_failure.pop_all()
        except OSError as exc:
            raise ToolFailure("worker could not be started") from exc
        self._line = line
        self._unsent = first_frame

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

    def wait_until_gone(self) -> int | None:
        """The exit code of a process that is ending; None when it takes its time."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(_LAST_BREATH_S)
        return None

    async def exchange(self, request: bytes, limit: int) -> tuple[int, int, bytes]:
        """Send a frame and wait for the next one.

        Raises:
            ToolFailure: what became of the process, or its answer was longer than `limit`.
        """
        loop = asyncio.get_running_loop()
        request, self._unsent = self._unsent + request, b""
        try:
            await loop.sock_sendall(self._line, request)
            return await self._receive(loop, limit)
        except (EOFError, BrokenPipeError, ConnectionResetError) as exc:
            raise await self._obituary() from exc

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

    async def _obituary(self) -> ToolFailure:
        """What a closed line means: the exit code says whether the sandbox's rules were broken."""
        for pause_ms in _LAST_BREATH_MS:
            code = self._process.poll()
            if code is not None:
                self._kill_group()  # what the worker forked may still be there
                return ToolFailure("worker was ended by its host") if self._cut else death_of(code)
            await asyncio.sleep(pause_ms / 1000)
        return ToolResponseInvalid("worker closed its line")


class WorkerProcess(LineProcess):
    """A process with one tool."""

    def __init__(self, spec: WorkerSpec, *, show_errors: bool = False) -> None:
        """Start the process; the first call waits until its tool is built.

        Raises:
            ToolFailure: the machine has no room for another process.
        """
        hello = Hello(factory=spec.factory, config=spec.config, memory_limit_bytes=spec.memory_limit_bytes)
        first = frame(FrameKind.HELLO, 0, hello.model_dump_json().encode())
        super().__init__("worker", first, environment=dict(spec.environment), show_errors=show_errors)

    async def ask(self, call: ToolCall, context: CallContext) -> RawResult:
        """Have the tool answer.

        Raises:
            ToolFailure: the tool's own failure, or what became of the worker; `reusable` says whether it may go on.
        """
        self.reusable = False
        self.calls += 1
        request = frame(FrameKind.ASK, self.calls, Ask(call=call, context=context).model_dump_json().encode())
        kind, number, body = await self.exchange(request, context.max_output_bytes + MAX_REPORT_BYTES)
        if kind != FrameKind.NOT_STARTED and number != self.calls:
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
        if kind == FrameKind.NOT_STARTED:
            raise ToolFailure(f"tool could not be built: {word(body)}")
        raise ToolResponseInvalid("output breaks its declared type")


def failure_of(body: bytes) -> ToolFailure:
    """The failure that a worker reports by name.

    Raises:
        ToolResponseInvalid: there is no such failure.
        ValidationError: it is no report.
    """
    report = FailureReport.model_validate_json(body)
    failure = FAILURES.get(report.name)
    if failure is ToolUnavailable and report.kind in list(UnavailableKind):
        return ToolUnavailable(report.kind, report.message)
    if failure is None or failure is ToolUnavailable:
        raise ToolResponseInvalid("worker reported a failure that does not exist")
    return failure(report.message)


def word(body: bytes) -> str:
    """A type name that a worker sent, in letters and digits."""
    return "".join(c for c in body[:64].decode("ascii", "replace") if c.isidentifier() or c.isdigit())
