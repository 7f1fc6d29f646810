"""What a parser that was taken over would want to touch, and a look at whether it did."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import socket
import stat

__all__ = ["World"]

SECRET = "-".join(("known", "to", "the", "host"))


class World:
    """Listeners, files, a descriptor, a variable and a memory cell of the host; `effects` says what became of them."""

    def __init__(self, folder):
        self.folder = folder
        self.data = folder / "data"
        self.data.mkdir()
        self.victim = self.data / "ledger"
        self.victim.write_text(SECRET)
        self.victim.chmod(0o600)
        self.link = folder / "link"
        self.link.symlink_to(self.victim)
        self.cell = ctypes.create_string_buffer(SECRET.encode())
        self.signals = []
        self._handler = signal.signal(signal.SIGUSR1, lambda number, frame: self.signals.append(number))
        self.tcp = self._listener(socket.AF_INET, ("127.0.0.1", 0))
        self.unix = self._listener(socket.AF_UNIX, str(folder / "line"))
        self.abstract_name = f"portcullis-{os.getpid()}-{id(self)}"
        self.abstract = self._listener(socket.AF_UNIX, "\0" + self.abstract_name)
        self.udp = socket.socket(type=socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.free_port = free.getsockname()[1]
        self.open_file = self.victim.open("rb")
        os.set_inheritable(self.open_file.fileno(), True)  # a host that forgot
        os.environ["PORTCULLIS_TEST_SECRET"] = SECRET
        self._before = self._look()

    def close(self):
        signal.signal(signal.SIGUSR1, self._handler)
        os.environ.pop("PORTCULLIS_TEST_SECRET")
        for held in (self.tcp, self.unix, self.abstract, self.udp, self.open_file):
            held.close()

    def targets(self):
        """What each kind of attack is aimed at."""
        return {
            "tcp": str(self.tcp.getsockname()[1]),
            "udp": str(self.udp.getsockname()[1]),
            "free_port": str(self.free_port),
            "unix": str(self.folder / "line"),
            "abstract": self.abstract_name,
            "victim": str(self.victim),
            "data": str(self.data),
            "link": str(self.link),
            "new": str(self.folder / "new"),
            "here": "portcullis-taken",
            "passwd": "/etc/passwd",
            "secret": SECRET,
            "variable": "PORTCULLIS_TEST_SECRET",
            "cell": str(ctypes.addressof(self.cell)),
            "": "",
        }

    def effects(self):
        """What has changed since the beginning, in words."""
        found = []
        waiting, _, _ = select.select([self.tcp, self.unix, self.abstract, self.udp], [], [], 0)
        found += [f"somebody called {line.getsockname()!r}" for line in waiting]
        if self._look() != self._before:
            found.append("files have changed")
        if self.signals:
            found.append("the host got a signal")
        if self.cell.value != SECRET.encode():
            found.append("the host's memory has changed")
        if os.path.exists("/portcullis-taken"):
            found.append("a file was written where the worker stands")
        return found

    def _look(self):
        seen = []
        for path in sorted(self.folder.rglob("*")):
            status = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
            seen.append((str(path), status.st_mode, status.st_uid, content))
        return seen

    def _listener(self, family, address):
        line = socket.socket(family)
        line.bind(address)
        line.listen()
        return line
