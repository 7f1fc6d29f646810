"""The host's side of reading: foreign bytes become documents in a process that can be killed, never in this one."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Annotated, Final, Self

from pydantic import Field, TypeAdapter, ValidationError

from ...kernel.canonical import sha256_hex
from ...kernel.errors import StoreUnusable
from ...kernel.noun import Noun, Text
from ...parsing.documents import LARGEST_FILE, ParsedDocument, Refusal, format_of, parse_document
from .boot import start_worker
from .frames import HEADER, FrameKind, Hello

__all__ = ["ReaderProcess", "ReaderSpec", "open_reader"]

_ANSWER: Final = TypeAdapter[ParsedDocument | Refusal](ParsedDocument | Refusal)
_LARGEST_ANSWER: Final = 12 * LARGEST_FILE  # a text of that many bytes, each escaped at its worst, and its headings
_START_LIMIT_S: Final = 60
_LAST_BREATH_S: Final = 2
_CHUNK_BYTES: Final = 1 << 20


class ReaderSpec(Noun):
    """What reading a file may use."""

    parser: Text = f"{parse_document.__module__}:{parse_document.__name__}"
    cpu_limit_s: Annotated[int, Field(ge=1)] = 5
    wall_limit_s: Annotated[int, Field(ge=1)] = 20
    """For a parser that waits instead of working; far above the other, since a machine may be busy."""
    memory_limit_bytes: Annotated[int, Field(ge=1)] = 1 << 30
    files_per_process: Annotated[int, Field(ge=1)] = 5_000


class _Died(Exception):
    """The process ended, or was ended, over a file; `refusal` where that says something about the file."""

    def __init__(self, refusal: Refusal | None) -> None:
        super().__init__(refusal)
        self.refusal = refusal


class ReaderProcess:
    """`parse_document` behind a process border, for one thread; `close` may come from any other.

    The process starts with the first file, so that a folder without changes costs none.
    """

    def __init__(self, spec: ReaderSpec | None = None) -> None:
        self._spec = spec or ReaderSpec()
        self._running: _Reader | None = None
        self._closed = False

    def __call__(self, data: bytes, name: str, /) -> ParsedDocument | Refusal:
        """Read a file.

        Raises:
            StoreUnusable: no process can be started, or the reader was closed.
        """
        if format_of(name) is None:
            return Refusal.UNSUPPORTED
        if len(data) > LARGEST_FILE:
            return Refusal.TOO_LARGE
        # A process may also die of what it read before, or of the machine: only a fresh one convicts a file.
        for _ in range(2):
            reader = self._ready()
            try:
                answer = reader.read(data, name)
            except _Died as exc:
                self._end()
                if exc.refusal is not None:
                    return exc.refusal
            except BaseException:
                self._end()
                raise
            else:
                if reader.files >= self._spec.files_per_process:
                    self._end()
                return answer
        return Refusal.UNREADABLE

    def close(self) -> None:
        """End the process; who is reading is told."""
        self._closed = True
        reader = self._running
        if reader is not None:
            reader.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        self._end()

    @property
    def pid(self) -> int | None:
        """The running process, for the operator and for tests."""
        return None if self._running is None else self._running.pid

    def _ready(self) -> _Reader:
        if self._running is None and not self._closed:
            self._running = _Reader(self._spec)
        if self._closed or self._running is None:
            self._end()
            raise StoreUnusable("the reader of documents is closed")
        return self._running

    def _end(self) -> None:
        reader, self._running = self._running, None
        if reader is not None:
            reader.bury()


class _Reader:
    """One process at the other end of a socket pair."""

    def __init__(self, spec: ReaderSpec) -> None:
        self.files = 0
        self._spec = spec
        try:
            with ExitStack() as on_failure:
                self._line, far_end = socket.socketpair()
                on_failure.enter_context(self._line)
                with far_end:
                    self._process = start_worker("reader", far_end.fileno())
                on_failure.pop_all()
        except OSError as exc:
            raise StoreUnusable("the reader of documents cannot be started") from exc
        hello = Hello(
            factory=spec.parser, config=str(spec.cpu_limit_s), memory_limit_bytes=spec.memory_limit_bytes
        ).model_dump_json()
        try:
            self._exchange(FrameKind.HELLO, hello.encode(), _START_LIMIT_S)
        except _Died as exc:
            self.bury()
            raise StoreUnusable("the reader of documents cannot be started") from exc
        except BaseException:
            self.bury()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    def read(self, data: bytes, name: str) -> ParsedDocument | Refusal:
        self.files += 1
        body = self._exchange(FrameKind.RESULT, name.encode("utf-8") + b"\0" + data, self._spec.wall_limit_s)
        try:
            answer = _ANSWER.validate_json(body)
        except ValidationError as exc:
            raise _Died(Refusal.UNREADABLE) from exc
        if isinstance(answer, ParsedDocument) and not _sound(answer, data):
            raise _Died(Refusal.UNREADABLE)
        return answer

    def kill(self) -> None:
        if self._process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def bury(self) -> None:
        self.kill()
        self._line.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST_BREATH_S)

    def _exchange(self, wanted: FrameKind, body: bytes, limit_s: int) -> bytes:
        deadline = time.monotonic() + limit_s
        try:
            self._line.settimeout(limit_s)
            self._line.sendall(HEADER.pack(FrameKind.ASK, self.files, len(body)) + body)
            kind, number, size = HEADER.unpack(self._exactly(HEADER.size, deadline))
            if kind != wanted or number != self.files or size > _LARGEST_ANSWER:
                raise _Died(Refusal.UNREADABLE)
            return self._exactly(size, deadline)
        except TimeoutError as exc:
            raise _Died(Refusal.TOO_SLOW) from exc
        except (EOFError, OSError) as exc:
            raise _Died(self._obituary()) from exc

    def _exactly(self, size: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < size:
            self._line.settimeout(max(0.001, deadline - time.monotonic()))
            chunk = self._line.recv(min(_CHUNK_BYTES, size - len(data)))
            if not chunk:
                raise EOFError
            data += chunk
        return bytes(data)

    def _obituary(self) -> Refusal | None:
        try:
            code = self._process.wait(_LAST_BREATH_S)
        except subprocess.TimeoutExpired:
            return None
        return Refusal.TOO_SLOW if code == -signal.SIGXCPU else None


def open_reader() -> ReaderProcess:
    """A reader with the limits of the house."""
    return ReaderProcess()


def _sound(document: ParsedDocument, data: bytes) -> bool:
    """Whether an answer holds together; the process has seen hostile bytes and is not believed."""
    end = len(document.text)
    places = [(heading.start, heading.end) for heading in document.headings]
    return (
        document.content_hash == sha256_hex(data)
        and document.text_hash == sha256_hex(document.text.encode("utf-8"))
        and all(0 <= start <= stop <= end for start, stop in places)
        and places == sorted(places)
        and document.carriers_removed >= 0
    )
