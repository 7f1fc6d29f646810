"""What a parser's process says, read by a host that does not believe it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final, Generic, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from ....kernel.canonical import sha256_hex
from ....kernel.errors import OperationForbidden, ToolFailure, ToolResponseInvalid
from ....parsing.document import ParsedDocument, Refusal
from ..frames import DOCUMENT, FrameKind, ParserHello, failure_of, frame, word
from ..spec import ParserSpec
from ..walls.levels import SandboxState

__all__ = ["DOCUMENTS", "AnswerReader", "ParserRaised", "ask_frame", "hello_frame", "read_hello"]

_T = TypeVar("_T")


class ParserRaised(ToolFailure):
    """The parser raised an error of its own: it could not read the document, and its process is fit for the next."""


class AnswerReader(Generic[_T]):
    """Turns an answer's bytes into a value: of the declared type, and sound when held beside the document's bytes."""

    def __init__(self, answer: TypeAdapter[_T], sound: Callable[[_T, bytes], bool]) -> None:
        self._answer = answer
        self._sound = sound

    def read(self, kind: int, body: bytes, data: bytes) -> _T:
        """The value.

        Raises:
            ParserRaised: the parser could not read the document.
            ToolFailure: what the process reports, or that its answer is none.
        """
        try:
            if kind == FrameKind.RESULT:
                value = self._answer.validate_json(body)
                if self._sound(value, data):
                    return value
                raise ToolResponseInvalid("the answer does not fit the document")
            if kind == FrameKind.FAILURE:
                raise failure_of(body)
        except ValidationError as exc:
            raise ToolResponseInvalid("output breaks its declared type") from exc
        if kind == FrameKind.CRASH:
            raise ParserRaised(f"parser raised {word(body)}")
        raise ToolResponseInvalid("output breaks its declared type")


def hello_frame(spec: ParserSpec) -> bytes:
    """What a process is to become."""
    hello = ParserHello(
        parser=spec.parser,
        preload=spec.preload,
        memory_limit_bytes=spec.memory_limit_bytes,
        walls=spec.walls,
        deny_files=spec.deny_files,
    )
    return frame(FrameKind.HELLO, 0, hello.model_dump_json().encode())


def read_hello(kind: int, body: bytes, spec: ParserSpec) -> SandboxState:
    """What it has become; nothing foreign was read yet, so this answer is believed.

    Raises:
        ToolResponseInvalid: it is no such answer.
        OperationForbidden: the process has not reached the level that is required.
    """
    try:
        state = SandboxState.model_validate_json(body if kind == FrameKind.HELLO else b"")
    except ValidationError as exc:
        raise ToolResponseInvalid("worker did not say how it is confined") from exc
    if spec.required is not None and state.level != spec.required:
        raise OperationForbidden(f"sandbox level `{spec.required}` is required, the worker reached `{state.level}`")
    return state


def ask_frame(spec: ParserSpec, number: int, data: bytes, name: str) -> bytes:
    """A document, with what it may use."""
    label = name.encode("utf-8", "surrogateescape")[:4_096].decode("utf-8", "ignore").encode()
    return frame(FrameKind.ASK, number, DOCUMENT.pack(spec.cpu_limit_s, len(label)) + label + data)


def _sound(answer: ParsedDocument | Refusal, data: bytes) -> bool:
    """Whether a document holds together: its hashes, and places that lie inside its text."""
    if isinstance(answer, Refusal):
        return True
    end = len(answer.text)
    places = [(heading.start, heading.end) for heading in answer.headings]
    return (
        answer.content_hash == sha256_hex(data)
        and answer.text_hash == sha256_hex(answer.text.encode("utf-8"))
        and all(0 <= start <= stop <= end for start, stop in places)
        and places == sorted(places)
        and answer.carriers_removed >= 0
    )


# Tried in this order: a reader that weighs both types against each other takes four times as long.
_Document = Annotated[ParsedDocument | Refusal, Field(union_mode="left_to_right")]

DOCUMENTS: Final = AnswerReader(TypeAdapter[ParsedDocument | Refusal](_Document), _sound)
"""The answers of `parse_document`."""
