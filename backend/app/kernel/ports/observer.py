"""Progress of a session as a port."""

from __future__ import annotations

from typing import Protocol

from ..request import Grant
from ..results import CallOutcome

__all__ = ["Observer"]


class Observer(Protocol):
    """A door that wants to show progress; it learns numbers, never text."""

    def session_started(self, grant: Grant) -> None: ...

    def batch_started(self, calls_left: int, units_left: int, remaining_ms: int) -> None: ...

    def call_finished(self, outcome: CallOutcome) -> None: ...
