"""The journal on disk: one file of lines per session, in `open/` while it runs and in `closed/` afterwards.

Where a file stands says what it is, so that a start looks only at the sessions that are open. A file lock says whether
its writer lives: a kill takes the lock away with the process. Lines are written whole or, by a kill, cut off; a cut
last line never was a record and is taken away before anything is written behind it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ....kernel.errors import StoreBusy, StoreUnusable
from ....kernel.journal_records import Recalled
from ....kernel.ports import FoundSession
from ...private_files import private_folder

__all__ = ["FileJournal"]

_SUFFIX: Final = ".jsonl"
_BEGINNING: Final = ".new"
_ATTEMPTS: Final = 5


class _Gone(StoreUnusable):
    """A session that was found is not there any more: it was closed, and so moved, or it was pruned."""


class FileJournal:
    """Writes the sessions of this process, and finds those of all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, tuple[int, Path]] = {}
        self._failed: dict[str, str] = {}

    async def begin(self, tenant: str, session_id: str, *, keyed: bool = False) -> None:
        """Make the file of a new session, locked before anybody can see it.

        Raises:
            StoreBusy: there is one already.
            StoreUnusable: it cannot be made.
        """
        path = self._open_path(tenant, session_id)
        try:
            handle = self._new(path)
        except FileExistsError as exc:
            raise StoreBusy(f"session `{session_id}` is running") from exc
        except OSError as exc:
            raise StoreUnusable(f"journal `{self._folder}` cannot be written: {exc.strerror}") from exc
        self._held[session_id] = (handle, path)
        # A fresh id is nobody else's; a key's session may have been finished between our look and our begin.
        if keyed and self._closed_path(tenant, session_id) is not None:
            await self.discard(session_id)
            raise StoreBusy(f"session `{session_id}` was just closed")

    async def recall(self, tenant: str, session_id: str) -> Recalled | None:
        """What was written of a session; one that is open is held from here on.

        Raises:
            StoreBusy: its writer lives.
            StoreUnusable: it cannot be read.
        """
        closed = self._closed_path(tenant, session_id)
        if closed is not None:
            with suppress(_Gone):  # pruned since we looked: a key is as good as new
                return Recalled(_lines(FoundSession(tenant, session_id, True, str(closed))), closed=True)
        path = self._open_path(tenant, session_id)
        if not _is_there(path):
            return None
        found = FoundSession(tenant, session_id, False, str(path))
        if session_id in self._held or not self.hold(found):
            raise StoreBusy(f"session `{session_id}` is running")
        try:
            return Recalled(_lines(found), closed=False)
        except StoreUnusable:
            self.abandon(session_id)
            raise

    def hold(self, found: FoundSession) -> bool:
        """Take over an open session whose writer is gone; False where it lives, or has just closed it."""
        path = Path(found.place)
        try:
            handle = os.open(path, os.O_RDWR | os.O_APPEND)
        except FileNotFoundError:
            return False
        except OSError as exc:
            raise StoreUnusable(f"journal `{path}` cannot be opened: {exc.strerror}") from exc
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(handle).st_ino != path.stat().st_ino:
                os.close(handle)
                return False
            self._cut(handle)
        except (BlockingIOError, FileNotFoundError):
            os.close(handle)
            return False
        except OSError as exc:
            os.close(handle)
            raise StoreUnusable(f"journal `{path}` cannot be mended: {exc.strerror}") from exc
        self._held[found.session_id] = (handle, path)
        return True

    def append(self, session_id: str, line: bytes) -> None:
        """Add a line; a kill at any moment leaves it whole or cut, and a cut line counts as never written.

        A line that cannot be written is remembered for `flush`; nothing more is written to this session then.
        """
        held = self._held.get(session_id)
        if held is None:
            self._failed.setdefault(session_id, f"session `{session_id}` is not open in this journal")
            return
        data = line + b"\n"
        why = ""
        try:
            if os.write(held[0], data) != len(data):
                why = "the disk is full"
        except OSError as exc:
            why = os.strerror(exc.errno or 0)
        if why:
            self.abandon(session_id)
            self._failed[session_id] = f"journal `{self._folder}` cannot be written: {why}"

    async def flush(self, session_id: str) -> None:
        """Nothing is left to write: say whether a line could not be.

        Raises:
            StoreUnusable: a line of this session is not in the journal.
        """
        why = self._failed.get(session_id)
        if why is not None:
            raise StoreUnusable(why)

    def close(self, session_id: str) -> None:
        """Move a finished session to its day; should that fail, the next start does it."""
        handle, path = self._held.pop(session_id)
        try:
            self._file(path)
        except OSError:
            pass  # its last line says that it is closed, and that line is written
        finally:
            os.close(handle)

    def abandon(self, session_id: str) -> None:
        """Let go of a session without closing it."""
        self._failed.pop(session_id, None)
        held = self._held.pop(session_id, None)
        if held is not None:
            os.close(held[0])

    async def discard(self, session_id: str) -> None:
        """Delete a session that was begun and never opened.

        Raises:
            StoreUnusable: it cannot be removed.
        """
        _, path = self._held[session_id]
        try:
            path.unlink(missing_ok=True)
        except OSError as exc:
            raise StoreUnusable(f"journal `{path}` cannot be removed: {exc.strerror}") from exc
        finally:
            self.abandon(session_id)

    def amend(self, found: FoundSession, write: Callable[[tuple[bytes, ...]], bytes | None]) -> bool:
        """Add a line behind the end of a closed session; `write` sees the lines that stand there under the lock.

        False where it was pruned meanwhile.

        Raises:
            StoreUnusable: it cannot be written.
        """
        try:
            with Path(found.place).open("r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                line = write(tuple(file.read().split(b"\n")[:-1]))
                if line is not None:
                    file.write(line + b"\n")
        except FileNotFoundError:
            return False
        except OSError as exc:
            raise StoreUnusable(f"journal `{found.place}` cannot be written: {exc.strerror}") from exc
        return True

    def open_sessions(self) -> Iterator[FoundSession]:
        """Every session that is open on disk, its writer alive or not; what a kill left half-made is removed."""
        for tenant in _folders(self._folder / "open"):
            for path in _listed(tenant):
                if path.suffix == _SUFFIX:
                    yield FoundSession(tenant.name, path.stem, False, str(path))
                elif _unlocked(path):
                    path.unlink(missing_ok=True)

    def closed_sessions(self, newest_first: bool = True) -> Iterator[FoundSession]:
        """Every finished session, one day after the other."""
        days: dict[str, list[Path]] = {}
        for folder in self._days():
            days.setdefault(folder.name, []).append(folder)
        for name in sorted(days, reverse=newest_first):
            files = [(_changed_ns(path), path) for folder in days[name] for path in _listed(folder)]
            # Another process may prune while we look.
            there = [(changed, path) for changed, path in files if changed is not None]
            for _, path in sorted(there, reverse=newest_first):
                yield FoundSession(path.parent.parent.name, path.stem, True, str(path))

    def count(self) -> int:
        """How many sessions have ended and are still here."""
        return sum(len(_listed(folder)) for folder in self._days())

    def read(self, found: FoundSession) -> tuple[FoundSession, tuple[bytes, ...]] | None:
        """A session's lines, also where it was closed since it was found; None where it was pruned.

        Raises:
            StoreUnusable: they cannot be read.
        """
        with suppress(_Gone):
            return found, _lines(found)
        closed = None if found.closed else self._closed_path(found.tenant, found.session_id)
        if closed is not None:
            now = FoundSession(found.tenant, found.session_id, True, str(closed))
            with suppress(_Gone):
                return now, _lines(now)
        return None

    def remove(self, found: FoundSession, before_ms: int) -> bool:
        """Delete a closed session if nothing was added to it since a moment; False where it stays, or is gone.

        Raises:
            StoreUnusable: it cannot be removed.
        """
        if not found.closed or not self.untouched(found, before_ms):
            return False
        try:
            Path(found.place).unlink()
        except FileNotFoundError:
            return False
        except OSError as exc:
            raise StoreUnusable(f"journal `{found.place}` cannot be removed: {exc.strerror}") from exc
        return True

    def untouched(self, found: FoundSession, before_ms: int) -> bool:
        """Whether a session is there and nothing was added to it since a moment."""
        changed = _changed_ns(Path(found.place))
        return changed is not None and changed // 1_000_000 < before_ms

    def find(self, session_id: str) -> FoundSession | None:
        """A session by its id, whoever's it is."""
        for state in ("closed", "open"):
            for tenant in _folders(self._folder / state):
                path = self._closed_path(tenant.name, session_id) if state == "closed" else tenant / _name(session_id)
                if path is not None and _is_there(path):
                    return FoundSession(tenant.name, session_id, state == "closed", str(path))
        return None

    def _days(self) -> Iterator[Path]:
        return (day for tenant in _folders(self._folder / "closed") for day in _folders(tenant))

    def _new(self, path: Path) -> int:
        beside = path.with_suffix(f"{_BEGINNING}{os.getpid()}")
        for attempt in range(_ATTEMPTS):
            private_folder(path.parent)
            handle = os.open(beside, os.O_CREAT | os.O_TRUNC | os.O_RDWR | os.O_APPEND, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                os.link(beside, path)
            except FileNotFoundError:
                # A start that looked for left-overs took ours in the moment before it was locked.
                os.close(handle)
                if attempt == _ATTEMPTS - 1:
                    raise
            except BaseException:
                os.close(handle)
                raise
            else:
                return handle
            finally:
                beside.unlink(missing_ok=True)
        raise AssertionError("unreachable")

    def _file(self, path: Path) -> None:
        day = datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%d")
        folder = self._folder / "closed" / path.parent.name / day
        private_folder(folder)
        path.rename(folder / path.name)

    def _cut(self, handle: int) -> None:
        """Take away a last line that a kill cut off."""
        data = os.pread(handle, os.fstat(handle).st_size, 0)
        whole = data.rfind(b"\n") + 1
        if whole != len(data):
            os.ftruncate(handle, whole)

    def _open_path(self, tenant: str, session_id: str) -> Path:
        return self._folder / "open" / tenant / _name(session_id)

    def _closed_path(self, tenant: str, session_id: str) -> Path | None:
        for day in reversed(_folders(self._folder / "closed" / tenant)):
            path = day / _name(session_id)
            if _is_there(path):
                return path
        return None


def _lines(found: FoundSession) -> tuple[bytes, ...]:
    """The lines of a session; what a kill cut off is left out, which can only be in an open one."""
    try:
        *whole, rest = Path(found.place).read_bytes().split(b"\n")
        return tuple([*whole, rest] if rest and found.closed else whole)
    except FileNotFoundError as exc:
        raise _Gone(f"session `{found.session_id}` is not there any more") from exc
    except OSError as exc:
        raise StoreUnusable(f"journal of session `{found.session_id}` cannot be read: {exc.strerror}") from exc


def _name(session_id: str) -> str:
    return f"{session_id}{_SUFFIX}"


def _folders(folder: Path) -> list[Path]:
    return [path for path in _listed(folder) if path.is_dir()]


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as exc:
        raise StoreUnusable(f"journal `{folder}` cannot be read: {exc.strerror}") from exc


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as exc:
        raise StoreUnusable(f"journal `{path}` cannot be read: {exc.strerror}") from exc


def _changed_ns(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise StoreUnusable(f"journal `{path}` cannot be read: {exc.strerror}") from exc


def _unlocked(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
