"""Documents read by a thread that waits for them: several are under way, the answers come in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from ....kernel.errors import StoreUnusable, ToolFailure, ToolResponseInvalid, ToolTimeout
from ....parsing.document import ParsedDocument, Refusal, format_of
from ..spec import ParserSpec
from ..walls.levels import SandboxLevel, SandboxState
from .boot import spawn_worker
from .parser_answers import DOCUMENTS, ParserRaised, ask_frame, hello_frame, read_hello
from .process import START_LIMIT_MS, LineProcess

__all__ = ["ReaderProcess", "open_reader"]

# How far ahead documents are sent: enough to keep the process busy, little enough to send again when it dies.
_MOST_AHEAD: Final = 64
_BYTES_AHEAD: Final = 1 << 20
_TRIES: Final = 2


@dataclass(slots=True)
class _PendingDocument:
    """A document on its way, and how often a process died over it."""

    data: bytes
    name: str
    answer: ParsedDocument | Refusal | None = None
    number: int = 0
    deaths: int = 0


class ReaderProcess:
    """`parse_document` behind a process border, for one thread; `close` may come from any other.

    The process starts with the first file, so that a folder without changes costs none.
    """

    def __init__(self, spec: ParserSpec | None = None) -> None:
        self._spec = spec or ParserSpec()
        self._running: _Reader | None = None
        self._closed = False

    def __call__(self, data: bytes, name: str, /) -> ParsedDocument | Refusal:
        """Read a file.

        Raises:
            StoreUnusable: no process can be started, it is not confined as required, or the reader was closed.
        """
        (answer,) = self.each([(data, name)])
        return answer

    def each(self, documents: Iterable[tuple[bytes, str]]) -> Iterator[ParsedDocument | Refusal]:
        """Read many files, bytes and name each; they are taken ahead of the answers, which come in the same order.

        Raises:
            StoreUnusable: as for one.
        """
        source = iter(documents)
        ahead: deque[_PendingDocument] = deque()
        more = True
        try:
            while True:
                while more and len(ahead) < _MOST_AHEAD and sum(len(asked.data) for asked in ahead) < _BYTES_AHEAD:
                    taken = next(source, None)
                    if taken is None:
                        more = False
                    else:
                        ahead.append(_PendingDocument(*taken, self._refused(*taken)))
                if not ahead:
                    return
                answer = ahead[0].answer
                while answer is None:
                    answer = self._answered(ahead)
                ahead.popleft()
                yield answer
        finally:
            if any(asked.number for asked in ahead):
                self._end()  # answers that nobody waits for are still to come

    def close(self) -> None:
        """End the process; who is reading is told."""
        self._closed = True
        reader = self._running
        if reader is not None:
            reader.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        self._end()

    @property
    def pid(self) -> int | None:
        """The running process, for the operator and for tests."""
        return None if self._running is None else self._running.pid

    def level(self) -> SandboxState:
        """Start a process and see how it is confined.

        Raises:
            StoreUnusable: no process can be started, or it is not confined as required.
        """
        return self._ready().state

    def _refused(self, data: bytes, name: str) -> Refusal | None:
        if format_of(name) is None:
            return Refusal.UNSUPPORTED
        return Refusal.TOO_LARGE if len(data) > self._spec.largest_document else None

    def _answered(self, ahead: deque[_PendingDocument]) -> ParsedDocument | Refusal | None:
        """The answer to the first document; None where its process died and another has to try."""
        first = ahead[0]
        try:
            reader = self._ready()
            for asked in ahead:
                if asked.answer is None and not asked.number and reader.calls < self._spec.documents_per_process:
                    asked.number = reader.send(asked.data, asked.name)
            answer = reader.answer(first.number, first.data)
        except _Died as exc:
            self._end()
            for asked in ahead:
                asked.number = 0
            first.deaths += 1
            if isinstance(exc.failure, ToolTimeout):
                return Refusal.TOO_SLOW
            # A process may also die of what it read before, or of the machine: only a second one convicts a file.
            return Refusal.UNREADABLE if first.deaths >= _TRIES else None
        except BaseException:
            self._end()
            raise
        if reader.calls >= self._spec.documents_per_process and not any(asked.number for asked in list(ahead)[1:]):
            self._end()
        return answer

    def _ready(self) -> _Reader:
        if self._running is None and not self._closed:
            try:
                self._running = _Reader(self._spec)
            except ToolFailure as exc:
                raise StoreUnusable(f"the reader of documents cannot be started: {exc}") from exc
        if self._closed or self._running is None:
            self._end()
            raise StoreUnusable("the reader of documents is closed")
        return self._running

    def _end(self) -> None:
        reader, self._running = self._running, None
        if reader is not None:
            reader.end()


class _Died(Exception):
    """The process ended, or was ended, over a document."""

    def __init__(self, failure: ToolFailure) -> None:
        super().__init__(failure)
        self.failure = failure


class _Reader(LineProcess):
    """One process, spoken to by a thread."""

    def __init__(self, spec: ParserSpec) -> None:
        """Start it and wait until it is confined.

        Raises:
            ToolFailure: it cannot be started, or does not reach the level that is required.
        """
        super().__init__(lambda line: spawn_worker("reader", line), hello_frame(spec), spec.largest_answer)
        self._spec = spec
        try:
            kind, _, body = self.next_frame(START_LIMIT_MS)
            self.state = read_hello(kind, body, spec)
        except BaseException:
            self.end()
            raise

    def send(self, data: bytes, name: str) -> int:
        """Send a document as far as the line takes it; its number."""
        self.calls += 1
        self.queue(ask_frame(self._spec, self.calls, data, name))
        return self.calls

    def answer(self, number: int, data: bytes) -> ParsedDocument | Refusal:
        """Wait for the answer to a document.

        Raises:
            _Died: there will be none.
        """
        try:
            kind, said, body = self.next_frame(self._spec.wall_limit_ms)
            if said != number:
                raise ToolResponseInvalid("worker answered a document that was not sent")
            return DOCUMENTS.read(kind, body, data)
        except ParserRaised:
            return Refusal.UNREADABLE
        except ToolFailure as exc:
            raise _Died(exc) from exc

    def end(self) -> None:
        """Kill it and wait until the system has let go of it."""
        self.bury()
        self.wait_until_gone()


def open_reader(required: str | None = None) -> ReaderProcess:
    """A reader with the limits of the house, which reads nothing unless it is confined as far as `required` says."""
    return ReaderProcess(ParserSpec(required=None if required is None else SandboxLevel(required)))
