"""Tools for benchmarks: instant, in a worker, and waiting; each hands over one text of about 20 kB."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable

from scripts.seeded_chance import seeded_chance

from app.kernel.calls import CallContext, ToolCall
from app.kernel.results import RawItem, RawResult, SourceKind

BODY_BYTES = 20_000
_WORDS = ("flour", "water", "salt", "yeast", "oven", "stone", "crumb", "crust", "dough", "proof", "fold", "bake")


def body(seed: int) -> str:
    """About 20 kB of words that differ with the seed."""
    chance = seeded_chance(seed)
    text = " ".join(f"{chance.choice(_WORDS)}{chance.randrange(997)}" for _ in range(3_000))
    return text[:BODY_BYTES]


def result(seed: int) -> RawResult:
    """One passage."""
    text = body(seed)
    digest = hashlib.sha256(text.encode()).hexdigest()
    item = RawItem(
        kind=SourceKind.PASSAGE,
        locator=f"doc:documents/{seed}.md#0-{len(text)}",
        title="A page",
        body=text,
        content_hash=digest,
        text_hash=digest,
        end=len(text),
    )
    return RawResult(status="ok", items=(item,), spent_units=1)


class InstantTool:
    """Answers in the loop, at once; `empty` makes a plan ask again."""

    def __init__(self, *, empty: bool = False) -> None:
        nothing = RawResult(status="empty", spent_units=1)
        self._answers = {f"call-{number}": nothing if empty else result(number) for number in range(40)}
        self._nothing = nothing

    async def call(self, call: ToolCall, context: CallContext) -> RawResult:
        """The prepared answer."""
        return self._answers.get(call.call_id, self._nothing)


class WaitingTool:
    """Keeps every call open until it is released."""

    def __init__(self, expected: int) -> None:
        self._missing = expected
        self.all_open = asyncio.Event()
        self.release = asyncio.Event()

    async def call(self, call: ToolCall, context: CallContext) -> RawResult:
        """Waits."""
        self._missing -= 1
        if self._missing == 0:
            self.all_open.set()
        await self.release.wait()
        return RawResult(status="empty", spent_units=1)


def open_prepared(config: str) -> Callable[[ToolCall, CallContext], RawResult]:
    """The same answer from a worker process."""
    prepared = {f"call-{number}": result(number) for number in range(40)}

    def prepared_tool(call: ToolCall, context: CallContext) -> RawResult:
        return prepared[call.call_id]

    return prepared_tool
