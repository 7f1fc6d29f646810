"""The program inside a reading process: turns one file after another into a document until its host is gone."""

from __future__ import annotations

import resource
import socket
import time
from importlib import import_module
from typing import Final

from pydantic import TypeAdapter

from ...parsing.documents import DocumentParser, ParsedDocument, Refusal
from .frames import FrameKind, Hello
from .inside import limit, live, receive, send

__all__ = ["main"]

_ANSWER: Final = TypeAdapter[ParsedDocument | Refusal](ParsedDocument | Refusal)


def main(line_fd: int, host_pid: int) -> None:
    """Serve the host at the other end of `line_fd`; never returns."""
    live(line_fd, host_pid, _serve)


def _serve(line: socket.socket) -> None:
    _, number, body = receive(line)
    hello = Hello.model_validate_json(body)
    module, _, name = hello.factory.partition(":")
    parse: DocumentParser = getattr(import_module(module), name)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_AS, hello.memory_limit_bytes)
    cpu_limit_s = int(hello.config)
    send(line, FrameKind.HELLO, number, b"")
    while True:
        _, number, body = receive(line)
        label, _, data = body.partition(b"\0")
        _allow_cpu(cpu_limit_s)
        send(line, FrameKind.RESULT, number, _read(parse, data, label.decode("utf-8")))


def _read(parse: DocumentParser, data: bytes, name: str) -> bytes:
    try:
        return _ANSWER.dump_json(parse(data, name))
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  the border itself: whatever a parser raises, it could not read the file
        return _ANSWER.dump_json(Refusal.UNREADABLE)


def _allow_cpu(seconds: int) -> None:
    """The kernel ends this process when the next file takes more; a busy machine does not count against a file."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    until = int(time.process_time()) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (until if hard == resource.RLIM_INFINITY else min(until, hard), hard))
