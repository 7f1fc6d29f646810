"""Opening a gate: what refuses it is told to the operator's log before the host sees it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from ..kernel.errors import ResearchError
from ..system.notices import LogNotices

__all__ = ["tells_refusals"]

P = ParamSpec("P")
T = TypeVar("T")


def tells_refusals(
    opener: Callable[P, AbstractAsyncContextManager[T]],
) -> Callable[P, AbstractAsyncContextManager[T]]:
    """The same opener, with one line in the log wherever it refuses."""

    @wraps(opener)
    @asynccontextmanager
    async def told(*args: P.args, **words: P.kwargs) -> AsyncIterator[T]:
        async with AsyncExitStack() as block:
            try:
                opened = await block.enter_async_context(opener(*args, **words))
            except (ResearchError, OSError) as exc:
                LogNotices().gate_refused(str(exc) if isinstance(exc, ResearchError) else type(exc).__name__)
                raise
            yield opened

    return told
