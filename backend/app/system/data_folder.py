"""The data folder: made where it is missing, refused where a newer version wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..kernel.errors import StoreUnusable

__all__ = ["DATA_FORMAT", "open_data_folder"]

DATA_FORMAT: Final = 1
_NAME: Final = "FORMAT"
_PRIVATE: Final = 0o700  # it holds questions and documents


def open_data_folder(folder: Path) -> Path:
    """Make sure that this version may write here.

    Raises:
        StoreUnusable: the folder cannot be made or read, or belongs to a newer version.
    """
    mark = folder / _NAME
    try:
        folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        if not mark.exists():
            mark.write_text(f"{DATA_FORMAT}\n", encoding="utf-8")
            return folder
        found = mark.read_text(encoding="utf-8", errors="replace").strip()
    except OSError as exc:
        raise StoreUnusable(f"data folder `{folder}` cannot be used: {exc.strerror}") from exc
    if not found:
        # A kill between making and writing the mark; the folder can only be ours.
        mark.write_text(f"{DATA_FORMAT}\n", encoding="utf-8")
    elif not (found.isascii() and found.isdigit()):
        raise StoreUnusable(f"data folder `{folder}` has a mark that no version of this product wrote")
    elif int(found) > DATA_FORMAT:
        raise StoreUnusable(
            f"data folder `{folder}` was written by a newer version (format {found}, this one knows {DATA_FORMAT})"
        )
    return folder
