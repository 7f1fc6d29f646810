"""Whether a store is there and could be written, from what the file system says; nothing is written to find out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

__all__ = ["gone", "unwritable"]

_FREE_BYTES_MIN: Final = 4_000_000  # less than one batch of large pages


def unwritable(path: Path) -> str:
    """Why this file or folder cannot be written; empty where it can. What is not there yet is made in its folder."""
    place = path
    try:
        while not place.exists() and place != place.parent:
            place = place.parent
        if not os.access(place, os.W_OK | (os.X_OK if place.is_dir() else 0)):
            return "no permission to write"
        disk = os.statvfs(place)
    except OSError as exc:
        return exc.strerror or type(exc).__name__
    if disk.f_flag & os.ST_RDONLY:
        return "read-only file system"
    return "the disk is full" if disk.f_bavail * disk.f_frsize < _FREE_BYTES_MIN else ""


def gone(path: Path) -> bool:
    """Whether nothing has this name; what cannot be looked at is not gone."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
