"""A process on its own, whoever started it: told to end, and asked for how it ended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from contextlib import suppress
from threading import Lock
from typing import Final, Protocol

from ..nursery_words import NUMBER

__all__ = ["Child", "Forked", "Spawned"]

_LOST: Final = -signal.SIGKILL


class Child(Protocol):
    """A worker's process."""

    @property
    def pid(self) -> int: ...

    def kill(self) -> None:
        """End it and what it forked, at once."""
        ...

    def exit_code(self, patience_s: float = 0) -> int | None:
        """How it ended, as `subprocess` says it; None while it runs. Once it is told, the system has let go of it."""
        ...


class Spawned:
    """A process that this one has started itself."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        """The process, and the group of what it forks."""
        return self._process.pid

    def kill(self) -> None:
        """End the whole group; what a worker forked may outlive it."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def exit_code(self, patience_s: float = 0) -> int | None:
        """How it ended."""
        if patience_s:
            with suppress(subprocess.TimeoutExpired):
                return self._process.wait(patience_s)
        return self._process.poll()


class Forked:
    """A process that a nursery has forked: the nursery is its parent, so only the nursery ends it and sees its end."""

    def __init__(self, pid: int, desk: socket.socket) -> None:
        """Take the line on which the nursery speaks of this one worker; it is blocking, and its end is ours."""
        self._pid = pid
        self._desk = desk
        self._told = b""
        self._code: int | None = None
        self._asking = Lock()

    @property
    def pid(self) -> int:
        """The process."""
        return self._pid

    def kill(self) -> None:
        """Have its group ended; a nursery that is gone has taken it along."""
        with suppress(OSError):
            self._desk.send(b"\0", socket.MSG_DONTWAIT)

    def exit_code(self, patience_s: float = 0) -> int | None:
        """How it ended; with the nursery, where nobody can say any more."""
        with self._asking:
            while self._code is None:
                try:
                    self._desk.settimeout(patience_s)
                    said = self._desk.recv(NUMBER.size - len(self._told))
                except (BlockingIOError, TimeoutError):
                    return None
                except OSError:
                    said = b""
                self._told += said
                if not said or len(self._told) == NUMBER.size:
                    self._code = NUMBER.unpack(self._told)[0] if said else _LOST
                    self._desk.close()
            return self._code
