"""The index of a folder: kept up to date with its files, searched, and rebuilt where it is damaged."""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Final

from ....kernel.document_index import DocumentHit, FlaggedFile, IndexReport
from ....kernel.errors import RequestInvalid, StoreUnusable
from ....parsing.document import DocumentParser, parse_document
from ...private_files import private_file, private_folder
from .index_faults import DAMAGE_MARK, IndexDamaged, row_faults, store_faults
from .index_tables import DATABASE, Tables, open_tables
from .search import Searching

if TYPE_CHECKING:
    from .flagged_files import DocumentScreen
    from .folder import FolderLimits

__all__ = ["FolderIndex", "IndexReader", "ReadingProgress", "open_index", "open_index_reader"]

_LOCK: Final = "refresh.lock"
_LOCK_STEP_MS: Final = 20
_LARGEST_LIMIT: Final = 1000
_LOG: Final = logging.getLogger(__name__)

# Readers load no more than they search with: what refreshes an index is imported where that is done.
ReadingProgress = Callable[[int, int], None]
"""Is told how many files were looked at, and how many there are."""


class IndexReader:
    """Searches the last complete generation and writes nothing; it sees a refresh as soon as that is complete."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self._guard = RLock()
        self._open()

    def search(self, query: str, limit: int) -> tuple[DocumentHit, ...]:
        """The best passages for a question.

        Raises:
            StoreUnusable: the index is damaged, locked or gone.
        """
        _check_limit(limit)
        with self._guard, store_faults():
            if self._tables.replaced:
                self._tables.close()
                self._open()
            try:
                with row_faults():
                    return self._searching.search(query, limit)
            except IndexDamaged:
                _mark_damaged(self._state_dir)
                raise

    def close(self) -> None:
        """Lets go of the files."""
        self._tables.close()

    def _open(self) -> None:
        with store_faults(), row_faults():
            self._tables = open_tables(self._state_dir / DATABASE, read_only=True)
            self._searching = Searching(self._state_dir, self._tables)
            try:
                self._searching.check()
            except BaseException:
                self._tables.close()
                raise


class FolderIndex:
    """A folder's documents, for the one process that keeps them up to date; others may search meanwhile."""

    def __init__(
        self, folder: Path, state_dir: Path, parse: DocumentParser, limits: FolderLimits, lock_wait_ms: int
    ) -> None:
        self._folder = folder
        self._state_dir = state_dir
        self._parse = parse
        self._limits = limits
        self._lock_wait_ms = lock_wait_ms
        self._guard = RLock()
        self._tables: Tables | None = None
        self._searching: Searching | None = None
        self.rebuilt_because: str | None = None
        """Why the last refresh had to build the index from nothing, where it had to."""

    def refresh(self, progress: ReadingProgress | None = None) -> IndexReport:
        """Brings the index in step with the folder; only new and changed files are read.

        Raises:
            RequestInvalid: the folder is gone.
            StoreUnusable: the disk is full, or the index was written by a newer version.
        """
        from .folder import folder_of

        root = folder_of(self._folder)
        with self._guard, store_faults():
            private_folder(self._state_dir)
            with self._alone() as alone:
                if not alone:
                    return self._last_report()
                self.rebuilt_because = None
                try:
                    with store_faults(), row_faults():
                        return self._refreshed(root, progress)
                except IndexDamaged as exc:
                    self.rebuilt_because = str(exc)
                    _LOG.warning("the document index is built again: %s", exc)
                    self._wipe()
                    return self._refreshed(root, progress)

    def change_exclusions(self, exclude: Sequence[str], include: Sequence[str]) -> tuple[str, ...]:
        """Leave files out of every later refresh, or take patterns back; the patterns in force.

        Raises:
            RequestInvalid: a pattern is wrong, or one that is taken back was never given.
        """
        from .exclusion import change_exclusions

        return change_exclusions(self._state_dir, exclude, include)

    def flagged(self, screen: DocumentScreen, rules: str) -> tuple[FlaggedFile, ...]:
        """The files in which the screen finds a directive; `rules` names the screen's rules.

        Raises:
            StoreUnusable: the index is damaged, locked or gone.
        """
        from .flagged_files import flagged_files

        with self._guard, store_faults():
            self._opened()
            return () if self._tables is None else flagged_files(self._tables, screen, rules)

    def search(self, query: str, limit: int) -> tuple[DocumentHit, ...]:
        """The best passages for a question; a damaged index is rebuilt once."""
        _check_limit(limit)
        with self._guard:
            try:
                with store_faults(), row_faults():
                    return self._opened().search(query, limit)
            except IndexDamaged:
                _mark_damaged(self._state_dir)
                self.refresh()
                with store_faults():
                    return self._opened().search(query, limit)

    def rank(self, query: str, limit: int) -> tuple[tuple[str, int], ...]:
        """The best documents by path, with their scores in thousandths: the order that `search` follows."""
        _check_limit(limit)
        with self._guard, store_faults(), row_faults():
            return self._opened().rank(query, limit)

    def close(self) -> None:
        """Lets go of the files."""
        with self._guard:
            if self._tables is not None:
                self._tables.close()
            self._tables = self._searching = None

    def _opened(self) -> Searching:
        if self._tables is not None and self._tables.replaced:
            self.close()
        if self._searching is None:
            private_folder(self._state_dir)
            private_file(self._state_dir / DATABASE)
            self._tables = open_tables(self._state_dir / DATABASE, read_only=False)
            self._searching = Searching(self._state_dir, self._tables)
        return self._searching

    def _refreshed(self, root: Path, progress: ReadingProgress | None) -> IndexReport:
        if (self._state_dir / DAMAGE_MARK).exists():
            raise IndexDamaged("a search found the document index damaged")
        searching = self._opened()
        tables = self._tables
        if tables is None:
            raise StoreUnusable("the document index is closed")
        tables.check()
        from .refresh import refresh_tables

        now_ns = self._now_ns()
        return refresh_tables(
            tables, searching, root, self._state_dir, self._limits, self._parse, now_ns, progress or _unseen
        )

    def _last_report(self) -> IndexReport:
        self._opened()
        said = None if self._tables is None else self._tables.fact("report")
        if said is None:
            raise StoreUnusable("another process is building the document index")
        return IndexReport.model_validate_json(said)

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """Whether this is the only refresh; the kernel gives the lock back when a process dies."""
        private_file(self._state_dir / _LOCK)
        with (self._state_dir / _LOCK).open("ab") as handle:
            alone = False
            for _ in range(max(1, self._lock_wait_ms // _LOCK_STEP_MS)):
                with suppress(BlockingIOError):
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    alone = True
                    break
                time.sleep(_LOCK_STEP_MS / 1000)
            yield alone

    def _now_ns(self) -> int:
        """The time by the clock that stamps files, for telling fresh stamps from settled ones."""
        os.utime(self._state_dir / _LOCK)
        return (self._state_dir / _LOCK).stat().st_mtime_ns

    def _wipe(self) -> None:
        self.close()
        for path in sorted(self._state_dir.iterdir()):
            if path.name.startswith(f"{DATABASE}") or path.name == DAMAGE_MARK:
                path.unlink(missing_ok=True)
            elif path.name.startswith("ranking-"):
                shutil.rmtree(path, ignore_errors=True)


def open_index(
    folder: Path,
    state_dir: Path,
    *,
    parse: DocumentParser = parse_document,
    limits: FolderLimits | None = None,
    lock_wait_ms: int = 10_000,
) -> FolderIndex:
    """The index of a folder, kept under `state_dir`; nothing is read before the first refresh or search.

    `parse` meets the bytes of the files: where they are not one's own, it is a process that can be killed.

    Raises:
        RequestInvalid: there is no such folder, or it is none.
    """
    from .folder import FolderLimits, folder_of

    folder_of(folder)
    return FolderIndex(folder, state_dir.absolute(), parse, limits or FolderLimits(), lock_wait_ms)


def open_index_reader(state_dir: Path) -> IndexReader:
    """The last complete generation, for searching only.

    Raises:
        StoreUnusable: nothing was indexed yet, or the index is damaged or written by a newer version.
    """
    return IndexReader(state_dir.absolute())


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= _LARGEST_LIMIT:
        raise RequestInvalid(f"a search takes 1 to {_LARGEST_LIMIT} results, not `{limit}`")


def _unseen(done: int, total: int) -> None:
    """Nobody watches."""


def _mark_damaged(state_dir: Path) -> None:
    """Tells the next refresh; a reader that may not write leaves it to others."""
    with suppress(OSError):
        private_file(state_dir / DAMAGE_MARK)
