"""The error tree.

ResearchError                 base; never raised itself
├── RequestInvalid            the caller's mistake; a door turns it into its 4xx or tool error
├── ContractViolation         our mistake; the router turns it into INTERNAL_INCONSISTENCY
│   └── StoreUnusable         a store under the data folder is damaged, full or locked away
│       └── StoreBusy         another process holds it, and the one who asked would wait no longer
└── ToolFailure               raised only under app.tools, read only by the adapter
    ├── ToolTimeout           the tool's own worker was cut at its deadline
    ├── ToolUnavailable       the tool could not reach what it was asked for
    ├── ToolResponseInvalid   the tool handed over something that is not its declared type
    └── SandboxViolation      OutputTooLarge, DestinationForbidden, OperationForbidden, WorkerKilled

Messages are lowercase, without a full stop, with user input in backticks.
"""

from __future__ import annotations

from typing import ClassVar

from .stops import Cause

__all__ = [
    "ContractViolation",
    "DestinationForbidden",
    "OperationForbidden",
    "OutputTooLarge",
    "RequestInvalid",
    "ResearchError",
    "SandboxViolation",
    "StoreBusy",
    "StoreUnusable",
    "ToolFailure",
    "ToolResponseInvalid",
    "ToolTimeout",
    "ToolUnavailable",
    "WorkerKilled",
]


class ResearchError(Exception):
    """Base of every error of the house."""


class RequestInvalid(ResearchError):
    """The caller asked for something that cannot be asked."""


class ContractViolation(ResearchError):
    """A rule of the contract would be broken by our own code or data."""


class StoreUnusable(ContractViolation):
    """A store is damaged, full, locked away or written by a newer version."""


class StoreBusy(StoreUnusable):
    """A store stays locked by another process for longer than the caller would wait."""


class ToolFailure(ResearchError):
    """A tool ended in a way that is not a result; an unforeseen error unless a subclass says more."""

    cause: ClassVar[Cause] = Cause.TOOL_ERROR


class ToolTimeout(ToolFailure):
    """The tool was cut at its deadline."""

    cause = Cause.PER_CALL_TIMEOUT


class ToolUnavailable(ToolFailure):
    """The tool could not reach what it was asked for; `kind` is one of `UnavailableKind`."""

    def __init__(self, kind: str, message: str = "") -> None:
        super().__init__(message or kind)
        self.kind = kind


class ToolResponseInvalid(ToolFailure):
    """The tool's output breaks its declared type."""

    cause = Cause.TOOL_OUTPUT_INVALID


class SandboxViolation(ToolFailure):
    """The tool broke the rules of its sandbox."""

    cause = Cause.OPERATION_FORBIDDEN


class OutputTooLarge(SandboxViolation):
    """The tool handed over more than its declared limit."""

    cause = Cause.OUTPUT_TOO_LARGE


class DestinationForbidden(SandboxViolation):
    """The tool turned to an address that is not public."""

    cause = Cause.DESTINATION_FORBIDDEN


class OperationForbidden(SandboxViolation):
    """The tool tried an operation that its sandbox forbids."""


class WorkerKilled(SandboxViolation):
    """The tool's worker was killed by a signal or its memory limit."""

    cause = Cause.WORKER_KILLED
