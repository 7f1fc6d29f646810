"""Looks through a folder for documents and reads them, never following a path out of it."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from ....kernel.document_index import SkippedFile
from ....kernel.errors import RequestInvalid
from ....parsing.document import LARGEST_FILE, format_of

__all__ = ["FolderLimits", "FoundFile", "Scan", "folder_of", "read_found", "scan_folder"]

_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LONGEST_LOCATION: Final = 1_850  # a locator holds 2,048 characters: collection and offsets need the rest
_READ_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_DIRECTORY


@dataclass(frozen=True, slots=True)
class FolderLimits:
    """How much of a folder is looked at."""

    max_files: int = 100_000
    max_depth: int = 32


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that may hold a document: its path in the folder, where its bytes are, and how it looked."""

    path: str
    real_path: str
    kind: str
    fingerprint: str
    touched_ns: int


@dataclass(frozen=True, slots=True)
class Scan:
    """What stands in the folder, sorted by path."""

    files: tuple[FoundFile, ...]
    skipped: tuple[SkippedFile, ...]


def folder_of(folder: Path) -> Path:
    """The folder's real path.

    Raises:
        RequestInvalid: there is no such folder, or it is none.
    """
    shown = _shown(str(folder))
    try:
        real = folder.resolve(strict=True)
        is_folder = real.is_dir()
    except FileNotFoundError as exc:
        raise RequestInvalid(f"the folder `{shown}` does not exist") from exc
    except (OSError, RuntimeError, ValueError) as exc:
        raise RequestInvalid(f"the folder `{shown}` cannot be read") from exc
    if not is_folder:
        raise RequestInvalid(f"`{shown}` is not a folder")
    if not os.access(real, os.R_OK | os.X_OK):
        raise RequestInvalid(f"the folder `{shown}` cannot be read")
    return real


def scan_folder(root: Path, limits: FolderLimits, leave_out: Path) -> Scan:
    """Every document of the folder and every file that is none, with its reason; opens no file."""
    files: list[FoundFile] = []
    skipped: list[SkippedFile] = []
    for found in _walk(root, limits, leave_out):
        if isinstance(found, FoundFile):
            files.append(found)
        else:
            skipped.append(found)
    files.sort(key=lambda file: file.path)
    skipped.extend(SkippedFile(path=file.path, reason="too_many_files") for file in files[limits.max_files :])
    return Scan(tuple(files[: limits.max_files]), tuple(sorted(skipped, key=lambda skip: (skip.path, skip.reason))))


def read_found(root: Path, file: FoundFile) -> bytes | str:
    """The file's bytes (one more than the largest allowed tells that it is larger), or the reason why not.

    Each step is opened from its parent without following links, so a folder that is exchanged for a link
    between looking and reading leads nowhere.
    """
    parts = file.real_path.split("/")
    opened = -1
    try:
        opened = os.open(root, _FOLDER_FLAGS)
        for part in parts[:-1]:
            deeper = os.open(part, _FOLDER_FLAGS, dir_fd=opened)
            os.close(opened)
            opened = deeper
        handle = os.open(parts[-1], _READ_FLAGS, dir_fd=opened)
        os.close(opened)
        opened = handle
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            return "not_a_file"
        with os.fdopen(opened, "rb") as stream:
            opened = -1
            return stream.read(LARGEST_FILE + 1)
    except OSError as exc:
        return "outside_folder" if exc.errno == errno.ELOOP else "unreadable"
    finally:
        if opened >= 0:
            os.close(opened)


def _walk(root: Path, limits: FolderLimits, leave_out: Path) -> Iterator[FoundFile | SkippedFile]:
    waiting = [("", 0)]
    while waiting:
        inside, depth = waiting.pop()
        try:
            with os.scandir(root / inside) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            yield SkippedFile(path=_shown(inside) or ".", reason="unreadable")
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            path = f"{inside}/{entry.name}" if inside else entry.name
            if not _is_text(entry.name):
                yield SkippedFile(path=_shown(path), reason="undecodable")
            elif entry.is_dir(follow_symlinks=False):
                if Path(entry.path) == leave_out:
                    continue
                if depth < limits.max_depth:
                    waiting.append((path, depth + 1))
                else:
                    yield SkippedFile(path=path, reason="too_deep")
            else:
                yield _judged(root, path, entry)


def _judged(root: Path, path: str, entry: os.DirEntry[str]) -> FoundFile | SkippedFile:
    real_path = path
    try:
        if entry.is_symlink():
            target = Path(os.path.realpath(entry.path))
            if not target.is_relative_to(root):
                return SkippedFile(path=path, reason="outside_folder")
            real_path = target.relative_to(root).as_posix()
            if target.is_dir():
                # Its documents are found where they are; going in again could go round in circles.
                return SkippedFile(path=path, reason="linked_folder")
            if not _is_text(real_path):
                return SkippedFile(path=path, reason="undecodable")
            status = target.stat(follow_symlinks=False)
        else:
            status = entry.stat(follow_symlinks=False)
    except OSError:
        return SkippedFile(path=path, reason="unreadable")
    kind = format_of(entry.name)
    if len(quote(path, safe="/")) > _LONGEST_LOCATION:
        return SkippedFile(path=path, reason="name_too_long")
    if not stat.S_ISREG(status.st_mode):
        return SkippedFile(path=path, reason="not_a_file")
    if kind is None:
        return SkippedFile(path=path, reason="unsupported")
    if status.st_size > LARGEST_FILE:
        return SkippedFile(path=path, reason="too_large")
    fingerprint = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}:{status.st_ino}:{real_path}"
    return FoundFile(path, real_path, kind, fingerprint, max(status.st_mtime_ns, status.st_ctime_ns))


def _is_text(name: str) -> bool:
    """Whether a name can be shown: a terminal would obey control characters, and half a code point is no text."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return _CONTROLS.search(name) is None


def _shown(path: str) -> str:
    """A name as text, whatever bytes it is made of."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return _CONTROLS.sub(lambda match: f"\\x{ord(match.group()):02x}", text)
