"""Parsers for event loops: documents that are read in confined processes and can be cut at any moment."""

from __future__ import annotations

import asyncio
import sys
from typing import Generic, TypeVar

from ....kernel.errors import ToolFailure, ToolResponseInvalid, ToolTimeout, WorkerKilled
from ....parsing.document import ParsedDocument, Refusal
from ..frames import FrameKind
from ..spec import ParserSpec
from .boot import spawn_worker
from .parser_answers import DOCUMENTS, AnswerReader, ParserRaised, ask_frame, hello_frame, read_hello
from .process import START_LIMIT_MS, LineProcess
from .worker_pool import WorkerPool

__all__ = ["DocumentTooLarge", "ParserPool", "ParserRaised", "open_document_pool"]

_T = TypeVar("_T")


class DocumentTooLarge(ToolFailure):
    """The document is larger than the pool takes; no process has seen it."""


class _Parser(LineProcess):
    """A process with one parser, spoken to by the loop."""

    def __init__(self, spec: ParserSpec) -> None:
        super().__init__(lambda line: spawn_worker("reader", line), hello_frame(spec), spec.largest_answer)
        self._spec = spec

    def get_ready(self) -> None:
        kind, _, body = self.next_frame(START_LIMIT_MS)  # not a byte of a document goes out before this
        read_hello(kind, body, self._spec)

    async def ask(self, data: bytes, name: str) -> tuple[int, bytes]:
        self.reusable = False
        self.calls += 1
        kind, number, body = await self.exchange(
            ask_frame(self._spec, self.calls, data, name), self._spec.largest_answer
        )
        if number != self.calls:
            raise ToolResponseInvalid("worker answered a document that was not sent")
        self.reusable = kind in (FrameKind.RESULT, FrameKind.CRASH)
        return kind, body


class ParserPool(Generic[_T]):
    """A parser in a few confined processes; each reads one document at a time, the other callers wait in turn."""

    def __init__(self, spec: ParserSpec, answers: AnswerReader[_T]) -> None:
        self._spec = spec
        self._answers = answers
        self._pool = WorkerPool(lambda: _Parser(spec), size=spec.max_processes, calls_each=spec.documents_per_process)

    async def parse(self, data: bytes, name: str, *, deadline_ms: int | None = None) -> _T:
        """What the parser makes of a document; its name says of which kind it is. Cancelling kills the process.

        Raises:
            DocumentTooLarge: nobody was asked.
            ParserRaised: the parser could not read it.
            ToolTimeout: the document's time was over, by the clock or the processor.
            SandboxViolation: R16; the process was killed, did what is forbidden, or handed over too much.
            ToolResponseInvalid: what came back is not an answer of the declared type.
            ToolFailure: the pool is closed, or no process can be started.
        """
        if len(data) > self._spec.largest_document:
            raise DocumentTooLarge(f"{len(data)} bytes, {self._spec.largest_document} allowed")
        sys.audit("portcullis.parser", self._spec.parser)
        limit_ms = min(self._spec.wall_limit_ms, deadline_ms or self._spec.wall_limit_ms)
        try:
            async with asyncio.timeout(limit_ms / 1000):
                return await self._parse(data, name)
        except TimeoutError as exc:
            raise ToolTimeout("worker was cut at its deadline") from exc

    def prepare(self, count: int = 1) -> None:
        """Start processes before they are asked, so that the first documents need not wait for them."""
        self._pool.prepare(count)

    async def aclose(self) -> None:
        """Kill every process and wait until the system has let go of them."""
        await self._pool.aclose()

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes of the pool, for the operator and for tests."""
        return self._pool.pids

    async def _parse(self, data: bytes, name: str) -> _T:
        while True:
            async with self._pool.one() as worker:
                innocent = worker.calls == 0
                try:
                    kind, body = await worker.ask(data, name)
                except WorkerKilled:
                    # It may have died of what it read before: only a fresh process convicts a document.
                    if innocent:
                        raise
                    continue
                try:
                    return self._answers.read(kind, body, data)
                except ToolResponseInvalid:
                    worker.reusable = False
                    raise


def open_document_pool(spec: ParserSpec | None = None) -> ParserPool[ParsedDocument | Refusal]:
    """A pool for `parse_document`."""
    return ParserPool(spec or ParserSpec(), DOCUMENTS)
