"""Exit codes of the command line; `docs/cli.md` lists them."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..kernel.failure import Failure
    from ..research.audience import CallerView

__all__ = ["Exit", "exit_of", "exit_of_failure"]


class Exit(IntEnum):
    """What a script can tell from the exit code alone."""

    GROUNDED = 0
    UNEXPECTED = 1
    INVALID = 2
    NO_SOURCES = 3
    RETRY_LATER = 4
    NOT_ALLOWED = 5
    NOT_AVAILABLE = 6
    STORE_UNUSABLE = 7
    DOES_NOT_HOLD = 8
    NOT_EVALUATED = 9
    INTERRUPTED = 130


def exit_of(view: CallerView) -> Exit:
    """The exit code of an answer."""
    if view.error is not None:
        if view.error.kind == "config":
            return Exit.NOT_ALLOWED
        return Exit.RETRY_LATER if view.error.retryable else Exit.NOT_AVAILABLE
    return Exit.GROUNDED if view.action == "GROUNDED" else Exit.NO_SOURCES


def exit_of_failure(failure: Failure) -> Exit:
    """The exit code of a capability that has no result."""
    match failure.error.kind:
        case "config":
            return Exit.NOT_ALLOWED
        case _ if failure.error.retryable:
            return Exit.RETRY_LATER
        case "upstream_unavailable":
            return Exit.NOT_AVAILABLE
        case _:
            return Exit.NO_SOURCES
