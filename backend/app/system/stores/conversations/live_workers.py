"""Which processes of a server live: each holds a file locked, and the kernel lets go of it however the process ends."""

from __future__ import annotations

import fcntl
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from ....kernel.errors import StoreUnusable
from ...private_files import private_file, private_folder

__all__ = ["LiveWorker", "worker_is_gone"]

_NAME: Final = re.compile(r"[A-Za-z0-9-]{1,64}")


class LiveWorker:
    """The mark of one process, from its making until `close` or the end of the process."""

    def __init__(self, folder: Path, name: str) -> None:
        """Make the mark.

        Raises:
            StoreUnusable: it cannot be made.
        """
        self.name = name
        self._path = folder / name
        try:
            private_folder(folder)
            self._handle = _held(self._path)
            for other in sorted(folder.iterdir()):
                if other.name != name:
                    worker_is_gone(folder, other.name)  # takes the marks away that killed processes have left
        except OSError as exc:
            raise StoreUnusable(f"mark `{self._path}` of this process cannot be made: {exc.strerror}") from exc

    def close(self) -> None:
        """Take the mark away."""
        with suppress(OSError):
            self._path.unlink()
        os.close(self._handle)


def _held(path: Path) -> int:
    """The locked file; another process may look between its making and its locking, and take it away."""
    while True:
        private_file(path)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if path.exists() and os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        except FileNotFoundError:
            pass  # it was taken away just now
        except OSError:
            os.close(handle)
            raise
        os.close(handle)


def worker_is_gone(folder: Path, name: str) -> bool:
    """True if no process holds the mark; what a dead one has left is taken away."""
    if not _NAME.fullmatch(name):
        return True
    path = folder / name
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    except OSError:
        return False  # it cannot be told
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True
