"""What host and worker say to each other: framed JSON, each frame with its kind, its number and its size."""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import Annotated, Final

from pydantic import Field

from ...kernel import errors
from ...kernel.calls import CallContext, ToolCall
from ...kernel.errors import OutputTooLarge, ToolFailure, ToolResponseInvalid, ToolUnavailable
from ...kernel.models import FrozenModel, Text
from ...kernel.results import UnavailableKind
from .walls.levels import Wall

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
    "Incoming",
    "ParserHello",
    "failure_of",
    "frame",
    "word",
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


class Hello(FrozenModel):
    """The first frame to a worker: what it is."""

    factory: str
    config: str
    memory_limit_bytes: int


class ParserHello(FrozenModel):
    """The first frame to a parser's process; it answers with the `SandboxState` that it reached."""

    parser: str
    preload: tuple[str, ...]
    memory_limit_bytes: int
    walls: tuple[Wall, ...]
    deny_files: bool


class Ask(FrozenModel):
    """A call for the worker's tool."""

    call: ToolCall
    context: CallContext


class FailureReport(FrozenModel):
    """A failure by the name of its class; `kind` only where something was unavailable."""

    name: Annotated[Text, Field(max_length=64)]
    kind: Annotated[Text, Field(max_length=64)] = ""
    message: Annotated[Text, Field(max_length=200)] = ""


def frame(kind: FrameKind, number: int, body: bytes) -> bytes:
    """A whole frame, ready to send."""
    return HEADER.pack(kind, number, len(body)) + body


def failure_of(body: bytes) -> ToolFailure:
    """The failure that a worker reports by name.

    Raises:
        ToolResponseInvalid: there is no such failure.
        ValidationError: it is no report.
    """
    report = FailureReport.model_validate_json(body)
    failure = FAILURES.get(report.name)
    if failure is ToolUnavailable and report.kind in list(UnavailableKind):
        return ToolUnavailable(report.kind, report.message)
    if failure is None or failure is ToolUnavailable:
        raise ToolResponseInvalid("worker reported a failure that does not exist")
    return failure(report.message)


def word(body: bytes) -> str:
    """A type name that a worker sent, in letters and digits."""
    return "".join(c for c in body[:64].decode("ascii", "replace") if c.isidentifier() or c.isdigit())


class Incoming:
    """Bytes as they come, frames as they are complete."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._data = bytearray()

    def feed(self, chunk: bytes) -> None:
        """More bytes."""
        self._data += chunk

    def next(self) -> tuple[int, int, bytes] | None:
        """The next frame's kind, number and body.

        Raises:
            OutputTooLarge: it would be longer than anything that was asked for; it is not waited for.
        """
        if len(self._data) < HEADER.size:
            return None
        kind, number, size = HEADER.unpack_from(self._data)
        if size > self._limit:
            raise OutputTooLarge(f"{size} bytes of output, {self._limit} allowed")
        end = HEADER.size + size
        if len(self._data) < end:
            return None
        body = bytes(memoryview(self._data)[HEADER.size : end])
        del self._data[:end]
        return kind, number, body
