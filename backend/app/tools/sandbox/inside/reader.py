"""The program inside a parser's process: loads, confines itself, then reads one document after another."""

from __future__ import annotations

import errno
import resource
import socket
import time
from collections.abc import Callable
from importlib import import_module
from typing import Final

from pydantic import TypeAdapter

from ..frames import DOCUMENT, FailureReport, FrameKind, ParserHello
from ..walls.confinement import confine, load
from .program import live, loaded, receive, send

__all__ = ["main"]

_ANY: Final = TypeAdapter[object](object)
# How a limit or a wall says no where it does not end the process.
_FORBIDDEN: Final = (errno.EACCES, errno.EAGAIN, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.EPERM)
_VIOLATION: Final = FailureReport(name="OperationForbidden").model_dump_json().encode()


def main(line_fd: int, host_pid: int) -> None:
    """Serve the host at the other end of `line_fd`; never returns."""
    live(line_fd, host_pid, _serve)


def _serve(line: socket.socket) -> None:
    _, number, body = receive(line)
    hello = ParserHello.model_validate_json(body)
    module, _, name = hello.parser.partition(":")
    load((module, *hello.preload))
    parse: Callable[[bytes, str], object] = getattr(import_module(module), name)
    _ANY.dump_json(_read(parse, b"", ""))  # what a parser or a serialiser makes on its first use, it makes now
    loaded()
    state = confine(line.fileno(), hello.memory_limit_bytes, hello.walls, deny_files=hello.deny_files)
    send(line, FrameKind.HELLO, number, state.model_dump_json().encode())
    while True:
        _, number, body = receive(line)
        cpu_limit_s, name_length = DOCUMENT.unpack_from(body)
        name_end = DOCUMENT.size + name_length
        document_name = body[DOCUMENT.size : name_end].decode("utf-8")
        _allow_cpu(cpu_limit_s)
        send(line, *_read(parse, body[name_end:], document_name, number))


def _read(
    parse: Callable[[bytes, str], object], data: bytes, name: str, number: int = 0
) -> tuple[FrameKind, int, bytes]:
    try:
        return FrameKind.RESULT, number, _ANY.dump_json(parse(data, name), warnings="error")
    except MemoryError:
        raise
    except Exception as exc:  # noqa: BLE001  the border itself: whatever a parser raises, it could not read this
        if isinstance(exc, OSError) and exc.errno in _FORBIDDEN:
            return FrameKind.FAILURE, number, _VIOLATION
        return FrameKind.CRASH, number, type(exc).__name__[:64].encode("ascii", "replace")


def _allow_cpu(seconds: int) -> None:
    """The kernel ends this process when the next document takes more; a busy machine does not count against it."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    until = int(time.process_time()) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (until if hard == resource.RLIM_INFINITY else min(until, hard), hard))
