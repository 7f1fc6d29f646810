"""What a gate stands on, looked at for `router.health()`: lock, catalogue, sandbox, stores and workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ..kernel.document_index import Collection
from ..kernel.health import HealthCheck, HealthState
from ..system.catalog_files import Catalog
from ..system.lock_files import LockState
from ..system.settings import Settings
from ..system.stores.documents.index_health import index_fault
from ..system.writable import gone, unwritable
from .places import JOURNAL_FOLDER, LEDGER_FILE, STORE_FOLDER

__all__ = ["GateMachine"]

_FOLDERS: Final = (("content_store", STORE_FOLDER), ("journal", JOURNAL_FOLDER))
_FULL: Final = "full"
_DEV: Final = "dev"
_LEFT_ALONE: Final = "left alone for a while after failures"


@dataclass
class GateMachine:
    """The `Machine` of an open gate; `closed` once its block was left."""

    settings: Settings
    lock: LockState
    catalog: Catalog
    sandbox: str
    count_workers: Callable[[], int]
    left_alone: Callable[[], tuple[str, ...]] = tuple
    """The providers whose circuit breakers are open."""
    ledger_fault: Callable[[], str] = str
    """Why the ledger's file cannot be used; empty where it can."""
    collections: tuple[Collection, ...] = ()
    """What the gate was opened on, each with its index."""
    closed: bool = False
    _seen: set[str] = field(default_factory=set)
    """The stores that were there: they may be missing before they are made, and not afterwards."""

    def __post_init__(self) -> None:
        for place in (*[place for _, place in _FOLDERS], LEDGER_FILE):
            self._vanished(place)

    @property
    def workers(self) -> int:
        """Processes of the tools that are up."""
        return self.count_workers()

    def checks(self) -> tuple[HealthCheck, ...]:
        """Every check, in a fixed order; asks the file system, reads a little of the ledger and starts nothing."""
        gate = _failed_if("gate", "closed" if self.closed else "")
        stores = [_failed_if(name, self._store(place)) for name, place in _FOLDERS]
        return (
            gate,
            self._sealed("lock", self.lock.matches, self.lock.differing),
            self._sealed("catalogue", self.catalog.sealed, self.catalog.differing),
            self._sandbox(),
            *stores,
            _failed_if("ledger", self._ledger()),
            *self._documents(),
            *(HealthCheck(name=f"provider.{name}", state="warning", detail=_LEFT_ALONE) for name in self.left_alone()),
        )

    def _store(self, place: str) -> str:
        folder = self.settings.data_dir
        if gone(folder):
            return "the data folder is gone"
        return "gone since the gate was opened" if self._vanished(place) else unwritable(folder / place)

    def _ledger(self) -> str:
        # SQLite writes a log beside the file, so the folder has to take files as well.
        return self._store(LEDGER_FILE) or unwritable(self.settings.data_dir) or self.ledger_fault()

    def _vanished(self, place: str) -> bool:
        missing = gone(self.settings.data_dir / place)
        if not missing:
            self._seen.add(place)
        return missing and place in self._seen

    def _documents(self) -> tuple[HealthCheck, ...]:
        """One check for all collections; a gate without documents has none."""
        if not self.collections:
            return ()
        faults = [(place.name, index_fault(Path(place.state_dir))) for place in self.collections]
        why = ", ".join([f"{name}: {fault}" for name, fault in faults if fault])
        return (_failed_if("documents", why),)

    def _sealed(self, name: str, matches: bool, differing: tuple[str, ...]) -> HealthCheck:
        """R15: whoever develops works on files that are not sealed yet."""
        if matches:
            return HealthCheck(name=name, state="ok")
        state: HealthState = "warning" if self.settings.environment == _DEV else "failed"
        return HealthCheck(name=name, state=state, detail=f"{len(differing)} files differ")

    def _sandbox(self) -> HealthCheck:
        if self.sandbox == _FULL:
            return HealthCheck(name="sandbox", state="ok")
        state: HealthState = "failed" if self.settings.sandbox == _FULL else "warning"
        return HealthCheck(name="sandbox", state=state, detail=f"level {self.sandbox}")


def _failed_if(name: str, why: str) -> HealthCheck:
    return HealthCheck(name=name, state="failed" if why else "ok", detail=why)
