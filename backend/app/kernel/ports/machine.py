"""What a gate stands on, as a port."""

from __future__ import annotations

from typing import Protocol

from ..health import HealthCheck

__all__ = ["Machine"]


class Machine(Protocol):
    """What a gate stands on, looked at without changing anything: stores, lock, sandbox, workers."""

    @property
    def sandbox(self) -> str: ...

    @property
    def workers(self) -> int: ...

    def checks(self) -> tuple[HealthCheck, ...]: ...
