"""A private copy of the files of a ranking: tantivy maps them into memory, and a mapped file that is cut kills.

What is mapped must be out of reach of everybody else, because the kernel answers a look at a page that is gone with
SIGBUS, which no process survives. So the files are copied, checked on the way, and their names are taken away as soon
as they are mapped.
"""

from __future__ import annotations

import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...private_files import private_file
from .index_faults import IndexDamaged

__all__ = ["Part", "part_of", "private_copy", "remove_left_copies"]

_BLOCK: Final = 1 << 20
_PREFIX: Final = "reading-"
_LOCK: Final = ".tantivy-meta.lock"
_LEFT_AFTER_S: Final = 3600  # a copy has its name for as long as it takes to write and open it


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a generation, as it was written."""

    name: str
    size: int
    checksum: int


def part_of(folder: Path, name: str) -> Part:
    """The file as it is now."""
    return _passed_on(folder / name, lambda block: None)


@contextmanager
def private_copy(folder: Path, parts: Sequence[Part]) -> Iterator[Path]:
    """A folder that holds the files as they were written, until the end of the block.

    Raises:
        IndexDamaged: a file is missing or not what was written.
        OSError: there is no room for a copy.
    """
    place = _new_folder(folder.parent)
    try:
        private_file(place / _LOCK)  # tantivy would make it with the rights that the umask leaves
        for part in parts:
            private_file(place / part.name)
            with (place / part.name).open("wb") as copy:
                try:
                    found = _passed_on(folder / part.name, copy.write)
                except FileNotFoundError as exc:
                    raise IndexDamaged("the ranking of the document index is damaged") from exc
            if found != part:
                raise IndexDamaged("the ranking of the document index is damaged")
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def remove_left_copies(state_dir: Path) -> None:
    """Takes away what killed readers left."""
    for path in sorted(state_dir.glob(f"{_PREFIX}*")):
        with suppress(FileNotFoundError):
            if time.time_ns() // 1_000_000_000 - path.stat().st_mtime > _LEFT_AFTER_S:
                shutil.rmtree(path, ignore_errors=True)


def _new_folder(beside: Path) -> Path:
    """Beside the index, where there is room for it; a reader that may not write there has the system's own place."""
    try:
        return Path(tempfile.mkdtemp(prefix=_PREFIX, dir=beside))
    except OSError:
        return Path(tempfile.mkdtemp(prefix=f"portcullis-{_PREFIX}"))


def _passed_on(path: Path, take: Callable[[bytes], object]) -> Part:
    """What the file holds, handed on block by block."""
    checksum = size = 0
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            checksum = zlib.crc32(block, checksum)
            size += len(block)
            take(block)
    return Part(path.name, size, checksum)
