"""Whether the index of a folder can be searched, from a short look at its files; nothing is changed."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Final

from ....kernel.errors import ResearchError
from ..looked_at import opened_to_look
from .index_faults import DAMAGE_MARK, IndexDamaged, row_faults, store_faults
from .index_tables import DATABASE, check_kind
from .ranking import check_sizes
from .search import generation_folder

__all__ = ["index_fault"]

_FACT: Final = "SELECT value FROM facts WHERE name = ?"
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def index_fault(state_dir: Path) -> str:
    """Why the index cannot be searched; empty where it can. It never raises, and what a search checks it may miss."""
    try:
        with store_faults(), row_faults():
            _look(state_dir)
    except ResearchError as exc:
        return str(exc)
    return ""


def _look(state_dir: Path) -> None:
    path = state_dir / DATABASE
    if not path.exists():
        raise IndexDamaged("the document index is gone")
    if os.path.lexists(state_dir / DAMAGE_MARK):
        raise IndexDamaged("a search found the document index damaged")
    try:
        with opened_to_look(path) as link:
            check_kind(link, path)
            link.execute("BEGIN")  # one generation: a refresh may end between the two
            generation, manifest = (link.execute(_FACT, (name,)).fetchone() for name in ("generation", "manifest"))
            link.execute("ROLLBACK")
    except sqlite3.OperationalError as exc:
        if getattr(exc, "sqlite_errorcode", 0) & 0xFF in _BUSY:
            return  # somebody works with it
        raise
    if generation is None or manifest is None:
        raise IndexDamaged("the folder was never indexed")
    check_sizes(generation_folder(state_dir, str(generation[0])), str(manifest[0]))
