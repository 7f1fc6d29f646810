"""What host and worker say to each other: framed JSON, each frame with its kind, its number and its size."""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import Annotated, Final

from pydantic import Field

from ...kernel import errors
from ...kernel.calls import CallContext, ToolCall
from ...kernel.noun import Noun, Text
from .levels import Wall

__all__ = [
    "DOCUMENT",
    "FAILURES",
    "HEADER",
    "MAX_REPORT_BYTES",
    "MEMORY_EXIT",
    "Ask",
    "FailureReport",
    "FrameKind",
    "Hello",
    "ParserHello",
    "frame",
]

HEADER: Final = Struct("!BII")
"""Kind, number of the call, bytes that follow."""

DOCUMENT: Final = Struct("!HH")
"""Before a document: the seconds of processor time that it may take, the bytes of its name; then name and bytes."""

MEMORY_EXIT: Final = 86
"""The exit code of a worker that ran into its memory limit."""

MAX_REPORT_BYTES: Final = 4_096
"""Bound of everything a worker says that is not a result; also the slack on a result's own bound."""

FAILURES: Final = {
    failure.__name__: failure
    for failure in (
        errors.DestinationForbidden,
        errors.OperationForbidden,
        errors.OutputTooLarge,
        errors.SandboxViolation,
        errors.ToolFailure,
        errors.ToolResponseInvalid,
        errors.ToolTimeout,
        errors.ToolUnavailable,
        errors.WorkerKilled,
    )
}
"""The failures that keep their name across the border."""


class FrameKind(IntEnum):
    """What the bytes after the header are."""

    HELLO = 1
    ASK = 2
    RESULT = 3
    FAILURE = 4
    INVALID = 5
    CRASH = 6
    NOT_STARTED = 7


class Hello(Noun):
    """The first frame to a worker: what it is."""

    factory: str
    config: str
    memory_limit_bytes: int


class ParserHello(Noun):
    """The first frame to a parser's process; it answers with the `SandboxState` that it reached."""

    parser: str
    preload: tuple[str, ...]
    memory_limit_bytes: int
    walls: tuple[Wall, ...]
    deny_files: bool


class Ask(Noun):
    """A call for the worker's tool."""

    call: ToolCall
    context: CallContext


class FailureReport(Noun):
    """A failure by the name of its class; `kind` only where something was unavailable."""

    name: Annotated[Text, Field(max_length=64)]
    kind: Annotated[Text, Field(max_length=64)] = ""
    message: Annotated[Text, Field(max_length=200)] = ""


def frame(kind: FrameKind, number: int, body: bytes) -> bytes:
    """A whole frame, ready to send."""
    return HEADER.pack(kind, number, len(body)) + body
