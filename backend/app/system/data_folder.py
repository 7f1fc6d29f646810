"""The data folder: made where it is missing, private to its owner, refused where a newer version wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..kernel.errors import StoreUnusable
from .private_files import make_all_private, make_private, private_file, private_folder

__all__ = [
    "AUDIT_FILE",
    "CAPS_FOLDER",
    "COLLECTIONS_FOLDER",
    "CONVERSATIONS_FILE",
    "DATA_FORMAT",
    "JOURNAL_FOLDER",
    "KEYS_FILE",
    "LEDGER_FILE",
    "METERS_FOLDER",
    "STORE_FOLDER",
    "WEB_CACHE_FOLDER",
    "WORKERS_FOLDER",
    "open_data_folder",
]

DATA_FORMAT: Final = 1
AUDIT_FILE: Final = "audit.jsonl"
CAPS_FOLDER: Final = "caps"
COLLECTIONS_FOLDER: Final = "collections"
CONVERSATIONS_FILE: Final = "conversations.sqlite3"
JOURNAL_FOLDER: Final = "journal"
KEYS_FILE: Final = "keys.sqlite3"
LEDGER_FILE: Final = "ledger.sqlite3"
METERS_FOLDER: Final = "meters"
STORE_FOLDER: Final = "store"
WEB_CACHE_FOLDER: Final = "cache"
WORKERS_FOLDER: Final = "workers"
_NAME: Final = "FORMAT"
_FOLDERS: Final = (
    CAPS_FOLDER,
    COLLECTIONS_FOLDER,
    JOURNAL_FOLDER,
    METERS_FOLDER,
    STORE_FOLDER,
    WEB_CACHE_FOLDER,
    WORKERS_FOLDER,
)
_DATABASES: Final = (CONVERSATIONS_FILE, KEYS_FILE, LEDGER_FILE)
_SUFFIXES: Final = ("", "-journal", "-shm", "-wal")
_OURS: Final = (*_FOLDERS, *(f"{name}{suffix}" for name in _DATABASES for suffix in _SUFFIXES), AUDIT_FILE, _NAME)


def open_data_folder(folder: Path, *, to_look: bool = False) -> Path:
    """Make sure that this version may write here, and that nobody else can read what it writes.

    With `to_look`, rights that cannot be taken away from others are left: looking at a record adds nothing to it.

    Raises:
        StoreUnusable: the folder cannot be made or read, belongs to a newer version, or stays open to others.
    """
    mark = folder / _NAME
    try:
        private_folder(folder)
        known = mark.exists()
        found = mark.read_text(encoding="utf-8", errors="replace").strip() if known else ""
        if found and not (found.isascii() and found.isdigit()):
            raise StoreUnusable(f"data folder `{folder}` has a mark that no version of this product wrote")
        if found and int(found) > DATA_FORMAT:
            raise StoreUnusable(
                f"data folder `{folder}` was written by a newer version (format {found}, this one knows {DATA_FORMAT})"
            )
        _make_private(folder, known, to_look)
        if not found:
            # New, or a kill between making and writing the mark; the folder can only be ours.
            private_file(mark)
            mark.write_text(f"{DATA_FORMAT}\n", encoding="utf-8")
    except OSError as exc:
        raise StoreUnusable(f"data folder `{folder}` cannot be used: {exc.strerror}") from exc
    return folder


def _make_private(folder: Path, known: bool, to_look: bool) -> None:
    """What is ours, if the folder is known as ours; the folder itself unless somebody keeps other things in it."""
    try:
        if {path.name for path in folder.iterdir()} <= (set(_OURS) if known else set()):
            make_private(folder.resolve())
        if known:
            make_all_private(folder / name for name in _OURS)
    except StoreUnusable:
        if not to_look:
            raise
