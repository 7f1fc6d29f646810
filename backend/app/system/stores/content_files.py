"""The content store on disk: one file per object, named by its sha256, under the tenant it belongs to (R20)."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from ...kernel.canonical import sha256_hex
from ...kernel.errors import StoreUnusable
from ..private_files import private_folder

__all__ = ["FileStore"]

_TEMPORARY: Final = ".new"
_PRIVATE: Final = 0o600


class FileStore:
    """Writes an object beside its place and moves it there, so that a name never stands for half an object."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[Path, None] = {}

    def put(self, tenant: str, data: bytes) -> str:
        """Keep the bytes; the same bytes are kept once.

        Raises:
            StoreUnusable: they cannot be written.
        """
        digest = sha256_hex(data)
        # Every call of a session passes here: plain strings take a third of the time that paths do.
        place = f"{self._folder}/{tenant}/{digest[:2]}/{digest}"
        try:
            if not (_holds(place, len(data)) and _renewed(place)):
                path = Path(place)
                self._make(path.parent)
                self._write(path, data)
        except OSError as exc:
            raise StoreUnusable(f"content store `{self._folder}` cannot be written: {exc.strerror}") from exc
        return digest

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
        """Take an object out for good; False where it was not there."""
        try:
            self._path(tenant, digest).unlink()
        except FileNotFoundError:
            return False
        except OSError as exc:
            raise StoreUnusable(f"object {digest[:12]} cannot be removed: {exc.strerror}") from exc
        return True

    def forget(self, tenant: str, digest: str, before_ms: int) -> bool:
        """Take an object out if nobody has put it since a moment, also while others put; False where it stays."""
        path = self._path(tenant, digest)
        if not _older(path, before_ms):
            return False
        # Whoever puts it from here on writes it anew; who did so before has made it young, and it comes back.
        aside = path.with_name(f"{path.name}{_TEMPORARY}{secrets.token_hex(8)}")
        try:
            path.rename(aside)
            due = _older(aside, before_ms)
            if not due:
                with suppress(FileExistsError):
                    os.link(aside, path)
            aside.unlink(missing_ok=True)
        except FileNotFoundError:
            return False  # another one that prunes was faster
        except OSError as exc:
            raise StoreUnusable(f"object {digest[:12]} cannot be removed: {exc.strerror}") from exc
        return due

    def tenants(self) -> tuple[str, ...]:
        """Everybody who has objects here."""
        return tuple(sorted(path.name for path in self._folder.glob("*") if path.is_dir()))

    def digests(self, tenant: str) -> Iterator[tuple[str, float]]:
        """Every object of a tenant with the time it was written, and what a killed writer left (as it is called)."""
        for folder in sorted(path for path in (self._folder / tenant).glob("*") if path.is_dir()):
            for path in sorted(folder.iterdir()):
                # A writer moves its file to its place and a second prune takes others away while we look.
                with suppress(FileNotFoundError):
                    yield path.name, path.stat().st_mtime

    def _write(self, path: Path, data: bytes) -> None:
        # Two writers of the same object write the same bytes, each to a file of its own.
        beside = path.with_name(f"{path.name}{_TEMPORARY}{secrets.token_hex(8)}")
        try:
            beside.touch(mode=_PRIVATE, exist_ok=False)
            beside.write_bytes(data)
            beside.replace(path)
        except OSError:
            beside.unlink(missing_ok=True)
            raise

    def _make(self, folder: Path) -> None:
        if folder not in self._made or not folder.is_dir():
            private_folder(folder)
            self._made[folder] = None

    def _path(self, tenant: str, digest: str) -> Path:
        return self._folder / tenant / digest[:2] / digest


def _renewed(path: str) -> bool:
    """Make an object that is named again as young as who names it; False where it was pruned in the meantime."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    return True


def _older(path: Path, before_ms: int) -> bool:
    try:
        return path.stat().st_mtime_ns // 1_000_000 < before_ms
    except FileNotFoundError:
        return False


def _holds(path: str, size: int) -> bool:
    """Whether the object is there already; one that a power failure left short is written again."""
    try:
        return os.stat(path).st_size == size
    except FileNotFoundError:
        return False
