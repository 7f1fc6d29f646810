"""What every program inside a worker process needs: its limits, its line to the host, and an end with its host."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Final

from ..frames import HEADER, MEMORY_EXIT, FrameKind

__all__ = ["HostGone", "die_with", "live", "loaded", "receive", "send"]

_PR_SET_PDEATHSIG: Final = 1


class HostGone(Exception):
    """The other end is closed: nobody waits for answers any more."""


def live(line_fd: int, host_pid: int, serve: Callable[[socket.socket], None]) -> None:
    """Serve the host at the other end of `line_fd`; never returns."""
    code = 1
    os.umask(0o077)  # a library makes files of its own, such as locks, and makes them again
    try:
        die_with(host_pid)
        line = socket.socket(fileno=line_fd)
        line.set_inheritable(False)
        serve(line)
    except HostGone:
        code = 0
    except MemoryError:
        code = MEMORY_EXIT
    finally:
        os._exit(code)  # threads that a tool left behind must not keep the process alive


def loaded() -> None:
    """What is loaded is no garbage, and pages that nobody touches stay shared with processes that are forked."""
    gc.freeze()
    gc.enable()


def die_with(parent_pid: int) -> None:
    """Let the kernel end this process with its parent, also when the parent has no time to say so."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:  # the parent ended before the kernel knew
        os._exit(1)


def receive(line: socket.socket) -> tuple[int, int, bytes]:
    """The next frame: its kind, its number, its body."""
    kind, number, size = HEADER.unpack(_exactly(line, HEADER.size))
    return kind, number, _exactly(line, size)


def send(line: socket.socket, kind: FrameKind, number: int, body: bytes) -> None:
    """One frame to the host."""
    try:
        line.sendall(HEADER.pack(kind, number, len(body)) + body)
    except (BrokenPipeError, ConnectionResetError) as exc:
        raise HostGone from exc


def _exactly(line: socket.socket, size: int) -> bytes:
    data = line.recv(size, socket.MSG_WAITALL) if size else b""
    if len(data) == size:
        return data
    rest = bytearray(data)  # a signal may have interrupted the wait
    while len(rest) < size:
        chunk = line.recv(size - len(rest))
        if not chunk:
            raise HostGone
        rest += chunk
    return bytes(rest)
