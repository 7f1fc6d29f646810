"""The program inside a nursery: it has loaded a tool's code once and forks a worker whenever its host asks for one.

It builds no tool, opens no file of the user's and reads nothing from outside; a worker starts from there with one line,
the one to its host.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import socket
from contextlib import suppress
from typing import Final, NoReturn

from ..frames import FrameKind, Hello
from ..nursery_words import NO_ROOM, NUMBER
from ..walls.limits import limit
from .program import HostGone, live, loaded, receive, send
from .worker import preload, serve

__all__ = ["main"]

_FIRST_FREE_FD: Final = 3
_MOST_FDS: Final = 1 << 16


def main(line_fd: int, host_pid: int) -> None:
    """Serve the host at the other end of `line_fd`; never returns."""
    live(line_fd, host_pid, _serve)


def _serve(line: socket.socket) -> None:
    _, _, body = receive(line)
    hello = Hello.model_validate_json(body)
    limit(resource.RLIMIT_CORE, 0)
    preload(hello)
    loaded()
    send(line, FrameKind.HELLO, 0, b"")
    _Nursery(line, hello).run()


class _Nursery:
    """The workers that were forked, each with the desk at which its host is told of it."""

    def __init__(self, line: socket.socket, hello: Hello) -> None:
        self._line = line
        self._hello = hello
        self._desks: dict[int, socket.socket] = {}
        self._poll = select.poll()

    def run(self) -> None:
        """Fork, end and bury workers until the host is gone."""
        woken, wakes = socket.socketpair()
        for end in (woken, wakes):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
        self._poll.register(self._line, select.POLLIN)
        self._poll.register(woken, select.POLLIN)
        try:
            while True:
                ready = [number for number, _ in self._poll.poll()]
                with suppress(BlockingIOError):
                    woken.recv(1024)
                self._bury()
                for pid in [pid for pid, desk in self._desks.items() if desk.fileno() in ready]:
                    self._end(pid)
                if self._line.fileno() in ready:
                    self._fork()
        finally:
            for pid in list(self._desks):
                self._end(pid)
            with suppress(ChildProcessError):
                while True:
                    os.wait()

    def _fork(self) -> None:
        said, numbers, _, _ = socket.recv_fds(self._line, 1, 2)
        if not said:
            raise HostGone
        line, desk = (socket.socket(fileno=number) for number in numbers)
        own_pid = os.getpid()
        with line:
            try:
                pid = os.fork()
            except OSError:
                with desk:
                    self._tell(desk, NO_ROOM)
                return
            if not pid:
                self._become_worker(line, own_pid)
        self._desks[pid] = desk
        self._poll.register(desk, select.POLLIN)
        self._tell(desk, pid)

    def _become_worker(self, line: socket.socket, nursery_pid: int) -> NoReturn:
        """In the child: a group of its own, nothing of its siblings, then a worker like any other."""
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            line_fd = line.detach()
            os.closerange(_FIRST_FREE_FD, line_fd)
            os.closerange(line_fd + 1, _MOST_FDS)
            live(line_fd, nursery_pid, lambda kept: serve(kept, self._hello))
        finally:
            os._exit(1)  # whatever happens, it must not go on as a second nursery

    def _end(self, pid: int) -> None:
        """The host wants it to end, or has let go of it; how it ends is told when it has."""
        self._silence(self._desks[pid])
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)  # it may not have a group yet

    def _bury(self) -> None:
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(pid, signal.SIGKILL)  # what it forked may still be there
                desk = self._desks.pop(pid)
                self._silence(desk)
                with desk:
                    self._tell(desk, os.waitstatus_to_exitcode(status))

    def _silence(self, desk: socket.socket) -> None:
        with suppress(KeyError):  # it was told to end before
            self._poll.unregister(desk)

    def _tell(self, desk: socket.socket, number: int) -> None:
        with suppress(OSError):  # nobody wants to know any more
            desk.send(NUMBER.pack(number))
