"""What a gate stands on, looked at for `router.health()`: lock, catalogue, sandbox, stores and workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..kernel.health import HealthCheck, HealthState
from ..system.catalog_files import Catalog
from ..system.lock_files import LockState
from ..system.settings import Settings
from ..system.writable import unwritable
from .places import JOURNAL_FOLDER, LEDGER_FILE, STORE_FOLDER

__all__ = ["GateMachine"]

_STORES: Final = (("content_store", STORE_FOLDER), ("journal", JOURNAL_FOLDER), ("ledger", LEDGER_FILE))
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
    closed: bool = False

    @property
    def workers(self) -> int:
        """Processes of the tools that are up."""
        return self.count_workers()

    def checks(self) -> tuple[HealthCheck, ...]:
        """Every check, in a fixed order; asks the file system and starts nothing."""
        folder = self.settings.data_dir
        gate = _failed_if("gate", "closed" if self.closed else "")
        stores = [_failed_if(name, unwritable(folder / place)) for name, place in _STORES]
        return (
            gate,
            self._sealed("lock", self.lock.matches, self.lock.differing),
            self._sealed("catalogue", self.catalog.sealed, self.catalog.differing),
            self._sandbox(),
            *stores,
            *(HealthCheck(name=f"provider.{name}", state="warning", detail=_LEFT_ALONE) for name in self.left_alone()),
        )

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
