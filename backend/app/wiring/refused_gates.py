"""Opening a gate: what refuses it is told to the operator's log before the host sees it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..kernel.errors import ResearchError
from ..system.notices import LogNotices

__all__ = ["refusals_told"]


@contextmanager
def refusals_told() -> Iterator[None]:
    """One line in the log where the block refuses to open a gate."""
    try:
        yield
    except (ResearchError, OSError) as exc:
        LogNotices().gate_refused(str(exc) if isinstance(exc, ResearchError) else type(exc).__name__)
        raise
