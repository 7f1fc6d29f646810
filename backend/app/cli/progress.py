"""Live progress on a terminal: files that are being read, then calls, units and time that are left."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ..kernel.request import Grant
from ..kernel.results import CallOutcome

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner

__all__ = ["LiveProgress"]


class LiveProgress:
    """An observer that redraws one line on stderr and removes it at the end; silent where stderr is no terminal."""

    def __init__(self, console: Console, line: str = "opening the gate") -> None:
        self._console = console
        self._line = line
        self._live: Live | None = None
        self._spinner: Spinner | None = None
        self._ends_at = 0.0
        self._grant: Grant | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            from rich.live import Live
            from rich.spinner import Spinner

            self._spinner = Spinner("dots")
            self._live = Live(self, console=self._console, refresh_per_second=8, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __rich__(self) -> Spinner | str:
        if self._spinner is None:
            return ""
        from rich.text import Text

        left = f" · {max(0.0, self._ends_at - time.monotonic()):.1f} s left" if self._ends_at else ""
        self._spinner.update(text=Text(self._line + left, no_wrap=True, overflow="ellipsis"))
        return self._spinner

    def files_read(self, done: int, total: int) -> None:
        """Show how many files of the folder were looked at; called from the thread that reads them."""
        self._line = f"read {done:,} of {total:,} files" if done < total else f"indexing {total:,} files"

    def session_started(self, grant: Grant) -> None:
        """Show what the session may use."""
        self._grant = grant
        self._ends_at = time.monotonic() + grant.caps.total_research_timeout_ms / 1000
        self._tell(grant.caps.max_tool_calls_total, grant.budget_units)

    def batch_started(self, calls_left: int, units_left: int, remaining_ms: int) -> None:
        """Show what is left."""
        self._ends_at = time.monotonic() + remaining_ms / 1000
        self._tell(calls_left, units_left)

    def call_finished(self, outcome: CallOutcome) -> None:
        """Name the tool and how it ended."""
        self._line = f"{self._line} · {outcome.tool}: {outcome.status.value}"

    def _tell(self, calls_left: int, units_left: int) -> None:
        if self._grant is not None:
            calls, units = self._grant.caps.max_tool_calls_total, self._grant.budget_units
            self._line = f"calls left {calls_left}/{calls} · units left {units_left}/{units}"
