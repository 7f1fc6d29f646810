"""The audit log of the doors: one JSON line per call, each with the digest of the line before it."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Final

from ....kernel.canonical import canonical_bytes, sha256_hex
from ....kernel.errors import StoreUnusable
from ...door_events import DoorEvent
from ...private_files import private_file, private_folder

__all__ = ["ChainedLog"]

_FIRST: Final = "0" * 64
_TAIL: Final = 65_536


class ChainedLog:
    """Appends events to a file that several processes may share."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def note(self, event: DoorEvent) -> None:
        """Write one line.

        Raises:
            StoreUnusable: it cannot be written.
        """
        try:
            private_folder(self._path.parent)
            private_file(self._path)
            with open(self._path, "r+b", buffering=0) as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # given back when the file is closed
                file.seek(0, os.SEEK_END)
                size = file.tell()
                file.seek(max(0, size - _TAIL))
                tail = file.read()
                whole = tail[: tail.rfind(b"\n") + 1]
                if len(whole) < len(tail):  # a kill left half a line
                    file.truncate(size - (len(tail) - len(whole)))
                file.seek(0, os.SEEK_END)
                body = canonical_bytes({"event": event.model_dump(mode="json"), "prev": _last_sum(whole)})
                file.write(body[:-1] + f',"sum":"{sha256_hex(body)}"}}\n'.encode())
        except OSError as exc:
            raise StoreUnusable(f"audit log `{self._path}` cannot be written: {exc.strerror}") from exc

    def verify(self) -> tuple[int, int | None]:
        """How many lines the log has, and the number of the first that was changed, or None."""
        before, count = _FIRST, 0
        if not self._path.exists():
            return 0, None
        with open(self._path, "rb") as file:
            for count, line in enumerate(file, start=1):
                body, mark, rest = line.rstrip(b"\n").rpartition(b',"sum":"')
                digest = sha256_hex(body + b"}")
                if not mark or rest != digest.encode() + b'"}' or _prev_of(body + b"}") != before:
                    return count, count
                before = digest
        return count, None


def _last_sum(whole: bytes) -> str:
    lines = whole.splitlines()
    if not lines:
        return _FIRST
    return lines[-1].rpartition(b',"sum":"')[2][:64].decode("ascii", "replace")


def _prev_of(body: bytes) -> str:
    try:
        return str(json.loads(body)["prev"])
    except (ValueError, KeyError, TypeError):
        return ""
