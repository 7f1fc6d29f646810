"""One worker process as its host sees it: started, asked, cut, and laid to rest."""

from __future__ import annotations

import asyncio
import select
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Final

from ....kernel.errors import OutputTooLarge, ToolFailure, ToolResponseInvalid, ToolTimeout
from ..frames import HEADER, Incoming
from .children import Child
from .worker_ends import death_of

__all__ = ["START_LIMIT_MS", "LineProcess"]

START_LIMIT_MS: Final = 60_000
"""The longest that a process may take to load what it needs."""

_CHUNK_BYTES: Final = 65_536
_LARGE_CHUNK_BYTES: Final = 1 << 20
_LAST_BREATH_MS: Final = (0, 1, 1, 2, 5, 10, 20, 50, 100, 200, 500)
_LAST_BREATH_S: Final = 2


class LineProcess:
    """A process at the other end of a socket pair, whatever it is that runs there.

    While it starts, and for a reader, a thread speaks to it (`next_frame`); afterwards an event loop does (`exchange`).
    """

    def __init__(self, start: Callable[[socket.socket], Child], first: bytes, largest_answer: int) -> None:
        """Start the process at the far end of a new line; the first bytes wait until they are sent.

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
                    self._child = start(far_end)
                on_failure.pop_all()
        except OSError as exc:
            raise ToolFailure("worker could not be started") from exc
        self._line = line
        self._sending = bytearray(first)
        self._incoming = Incoming(largest_answer)
        self._poll = select.poll()

    @property
    def pid(self) -> int:
        """For the operator and for tests."""
        return self._child.pid

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
        if self._child.exit_code() is None:
            self._child.kill()

    def bury(self) -> None:
        """Kill it when nobody is asking any more, and give its end of the line back."""
        self.kill()
        self._line.close()

    def gone(self) -> bool:
        """Whether the system has let go of the killed process."""
        return self._child.exit_code() is not None

    def wait_until_gone(self) -> int | None:
        """The exit code of a process that is ending; None when it takes its time."""
        return self._child.exit_code(_LAST_BREATH_S)

    async def exchange(self, request: bytes, limit: int) -> tuple[int, int, bytes]:
        """Send a frame and wait for the next one.

        Raises:
            ToolFailure: what became of the process, or its answer was longer than `limit`.
        """
        loop = asyncio.get_running_loop()
        try:
            await loop.sock_sendall(self._line, request)
            return await self._receive(loop, limit)
        except (EOFError, BrokenPipeError, ConnectionResetError) as exc:
            raise await self._obituary() from exc

    def get_ready(self) -> None:
        """Wait until the process has loaded and can be asked, on the thread that starts it.

        Raises:
            ToolFailure: it cannot be, or what became of it.
        """

    def queue(self, data: bytes) -> None:
        """Send bytes as far as the line takes them; the rest goes with the wait for an answer."""
        self._sending += data
        self._send_some()

    def next_frame(self, limit_ms: int) -> tuple[int, int, bytes]:
        """Wait for a frame, on the thread that asks.

        Raises:
            ToolFailure: what became of the process, or its answer was late or too long.
        """
        deadline = time.monotonic() + limit_ms / 1000
        try:
            while (found := self._incoming.next()) is None:
                left_ms = int(1000 * (deadline - time.monotonic()))
                if left_ms <= 0:
                    raise ToolTimeout("worker was cut at its deadline")
                self._poll.register(self._line, select.POLLIN | (select.POLLOUT if self._sending else 0))
                self._poll.poll(left_ms)
                self._send_some()
                self._take_some()
        except (EOFError, OSError, ValueError) as exc:  # a line that was closed has no number any more
            code = self.wait_until_gone()
            raise ToolResponseInvalid("worker closed its line") if code is None else self._death(code) from exc
        return found

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
            code = self._child.exit_code()
            if code is not None:
                return self._death(code)
            await asyncio.sleep(pause_ms / 1000)
        return ToolResponseInvalid("worker closed its line")

    def _death(self, code: int) -> ToolFailure:
        self._child.kill()  # what the worker forked may still be there
        return ToolFailure("worker was ended by its host") if self._cut else death_of(code)

    def _send_some(self) -> None:
        try:
            while self._sending:
                del self._sending[: self._line.send(self._sending)]
        except BlockingIOError:
            return
        except OSError:
            self._sending.clear()  # its last words may still be there to read

    def _take_some(self) -> None:
        try:
            chunk = self._line.recv(_LARGE_CHUNK_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            raise EOFError
        self._incoming.feed(chunk)
