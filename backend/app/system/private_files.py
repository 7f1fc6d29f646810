"""Files and folders that only their owner may read: new ones from the start, those of an older version made so."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from ..kernel.errors import StoreUnusable

__all__ = ["make_all_private", "make_private", "private_file", "private_folder"]

_FILE: Final = 0o600
_FOLDER: Final = 0o700
_OTHERS: Final = 0o077


def private_folder(folder: Path) -> None:
    """Makes a folder, and those above it that are missing, whatever the umask; one that is there stays as it is.

    It tries three times: others may make the folder above, or take this one away, between two steps of ours. A file
    system that takes no folders, such as /proc, refuses each time.
    """
    for last in (False, False, True):
        try:
            folder.mkdir(mode=_FOLDER)
        except FileExistsError:
            if folder.is_dir():
                return
            if last or os.path.lexists(folder):
                raise
        except FileNotFoundError:
            if last:
                raise
            if not folder.parent.is_dir():
                private_folder(folder.parent)
        else:
            return


def private_file(path: Path) -> None:
    """Makes an empty file; one that is there stays as it is. SQLite gives its log and its index the same rights."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_EXCL | os.O_CREAT | os.O_CLOEXEC | os.O_WRONLY, mode=_FILE))


def make_private(path: Path) -> None:
    """Takes the rights of others away from a file or a folder.

    Raises:
        StoreUnusable: it stays open: it belongs to another user, the disk is read-only, or a link leads to it.
    """
    try:
        found = os.stat(path)
        if not found.st_mode & _OTHERS:
            return
        if path.is_symlink():
            raise StoreUnusable(f"`{path}` leads to a place that others can read: take their rights away (chmod go=)")
        os.chmod(path, _FOLDER if stat.S_ISDIR(found.st_mode) else _FILE)
    except FileNotFoundError:
        return  # moved or pruned since we looked
    except OSError as exc:
        raise StoreUnusable(f"others can read `{path}`, and that cannot be changed: {exc.strerror}") from exc


def make_all_private(paths: Iterable[Path]) -> None:
    """The same for whole folders of ours. One that was private already is so inside; a link is never followed.

    Raises:
        StoreUnusable: something stays open.
    """
    for path in paths:
        if path.is_dir() and not path.is_symlink() and path.stat().st_mode & _OTHERS:
            for folder, below, files in os.walk(path):
                for name in (*below, *files):
                    if not Path(folder, name).is_symlink():
                        make_private(Path(folder, name))
        make_private(path)  # at last, so that a kill in between leaves a reason to look again
