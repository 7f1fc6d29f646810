"""The content store on disk: one file per object, named by its sha256, under the tenant it belongs to (R20)."""

from __future__ import annotations

import fcntl
import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ....kernel.canonical import sha256_hex
from ....kernel.errors import StoreUnusable
from ...private_files import private_folder

__all__ = ["FileStore"]

_TEMPORARY: Final = ".new"
_PRIVATE: Final = 0o600
_SETTLED_NS: Final = 3_600_000_000_000  # longer than any session, and than any file takes to be written
_FRESH_NS: Final = _SETTLED_NS // 2  # younger than any object that a prune looks at


class FileStore:
    """Writes an object beside its place and moves it there, so that a name never stands for half an object."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[str, None] = {}
        self._failed: dict[tuple[str, str], list[str]] = {}

    def put(self, tenant: str, data: bytes) -> str:
        """Keep the bytes; the same bytes are kept once. A failure is remembered for `flush`."""
        digest = sha256_hex(data)
        # Every call of a session passes here: plain strings take a third of the time that paths do.
        place = f"{self._folder}/{tenant}/{digest[:2]}/{digest}"
        try:
            if not _kept(place, len(data)):
                self._make(place.rpartition("/")[0])
                _write(place, data)
            self._failed.pop((tenant, digest), None)
        except OSError as exc:
            why = f"content store `{self._folder}` cannot be written: {exc.strerror}"
            # One for each who put it: whoever flushes takes only the trouble of their own.
            self._failed.setdefault((tenant, digest), []).append(why)
        return digest

    async def flush(self, tenant: str, digests: Sequence[str]) -> None:
        """Nothing is left to write: say which of these could not be.

        Raises:
            StoreUnusable: one of them is not in the store.
        """
        failed = [self._failed_put(tenant, digest) for digest in digests if (tenant, digest) in self._failed]
        if failed:
            raise StoreUnusable(failed[0])

    def get(self, tenant: str, digest: str) -> bytes | None:
        """The bytes under a digest, or None where there are none.

        Raises:
            StoreUnusable: they cannot be read, or are not those that were written.
        """
        try:
            data = self._path(tenant, digest).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as exc:
            raise StoreUnusable(f"object {digest[:12]} cannot be read: {exc.strerror}") from exc
        if sha256_hex(data) != digest:
            raise StoreUnusable(f"object {digest[:12]} is damaged")
        return data

    def remove(self, tenant: str, digest: str) -> bool:
        """Delete an object; False where it was not there."""
        try:
            self._path(tenant, digest).unlink()
        except FileNotFoundError:
            return False
        except OSError as exc:
            raise StoreUnusable(f"object {digest[:12]} cannot be removed: {exc.strerror}") from exc
        return True

    def remove_unused(self, tenant: str, digest: str, before_ms: int) -> bool:
        """Delete an object if nobody has put it since a moment; False where it stays.

        One of the last hour stays in any case: what was put a moment ago, a journal names a moment later.

        Raises:
            StoreUnusable: it cannot be removed.
        """
        path = self._path(tenant, digest)
        before_ns = min(before_ms * 1_000_000, time.time_ns() - _SETTLED_NS)
        try:
            if path.stat().st_mtime_ns < before_ns:
                with _locked(path.parent, fcntl.LOCK_EX):
                    # Whoever puts it again waits and finds it gone, or was here before and has made it young.
                    if path.stat().st_mtime_ns < before_ns:
                        path.unlink()
                        return True
        except FileNotFoundError:
            return False  # another one that prunes was faster
        except OSError as exc:
            raise StoreUnusable(f"object {digest[:12]} cannot be removed: {exc.strerror}") from exc
        return False

    def tenants(self) -> tuple[str, ...]:
        """Everybody who has objects here."""
        return tuple(sorted(path.name for path in self._folder.glob("*") if path.is_dir()))

    def digests(self, tenant: str) -> Iterator[str]:
        """Every object of a tenant by its name, and what a killed writer left behind (as it is called)."""
        for folder in sorted(path for path in (self._folder / tenant).glob("*") if path.is_dir()):
            with suppress(FileNotFoundError):  # a second prune may take it away while we look
                yield from sorted(path.name for path in folder.iterdir())

    def count(self, tenant: str) -> int:
        """How many objects a tenant has."""
        return sum(_TEMPORARY not in name for name in self.digests(tenant))

    def _failed_put(self, tenant: str, digest: str) -> str:
        told = self._failed[tenant, digest]
        why = told.pop()
        if not told:
            del self._failed[tenant, digest]
        return why

    def _make(self, folder: str) -> None:
        if folder not in self._made or not os.path.isdir(folder):
            private_folder(Path(folder))
            self._made[folder] = None

    def _path(self, tenant: str, digest: str) -> Path:
        return self._folder / tenant / digest[:2] / digest


def _write(path: str, data: bytes) -> None:
    # Two writers of the same object write the same bytes, each to a file of its own.
    beside = f"{path}{_TEMPORARY}{secrets.token_hex(8)}"
    try:
        with open(beside, "xb", buffering=0, opener=_private) as file:
            view = memoryview(data)
            while view:
                view = view[file.write(view) or 0 :]
        os.replace(beside, path)
    except OSError:
        Path(beside).unlink(missing_ok=True)
        raise


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, _PRIVATE)


def _kept(path: str, size: int) -> bool:
    """Whether the object is there and stays; one that a power failure left short is written again.

    Only an old one can be pruned just now, so only that is locked: it becomes as young as who names it.
    """
    try:
        found = os.stat(path)
        if found.st_size == size and found.st_mtime_ns < time.time_ns() - _FRESH_NS:
            with _locked(Path(path).parent, fcntl.LOCK_SH):
                os.utime(path)
    except FileNotFoundError:
        return False
    return found.st_size == size


@contextmanager
def _locked(folder: Path, how: int) -> Iterator[None]:
    """Keeps those who prune a folder from those who name its old objects again; a kill takes the lock away."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, how)
        yield
    finally:
        os.close(handle)
