"""The border of this process towards MCP clients: no exception, and no text of one, gets past it or into a log."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final, NoReturn, TypeVar

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from ..kernel.errors import StoreBusy, StoreUnusable

__all__ = ["HttpBorder", "behind_border", "bordered"]

_LOG: Final = logging.getLogger("portcullis.mcp")
_P = TypeVar("_P")
_R = TypeVar("_R")
_Handler = Callable[[ServerRequestContext[Any, Any], _P], Awaitable[_R]]


async def behind_border(what: str, work: Awaitable[_R], fallen: Callable[[bool], _R]) -> _R:
    """What the work gives; where it breaks, `fallen`, which is told whether another try can help.

    Raises:
        MCPError: an answer of ours, in the words of the protocol.
    """
    try:
        return await work
    except MCPError:
        raise
    except (StoreBusy, StoreUnusable):
        again = True
    except Exception as exc:  # noqa: BLE001  a process border: the text of an error stays inside, its type is logged
        _LOG.error("%s: unexpected %s", what, type(exc).__name__)
        again = False
    return fallen(again)


def bordered(what: str, handler: _Handler[_P, _R]) -> _Handler[_P, _R]:
    """A handler whose failures are told in one fixed line."""

    async def handle(ctx: ServerRequestContext[Any, Any], params: _P) -> _R:
        return await behind_border(what, handler(ctx, params), _refuse)

    return handle


class HttpBorder:
    """The outermost ASGI app: what breaks inside, such as an answer to a client that has left, is told by its type."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Carry one request through; whether the server starts is its own matter."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        await behind_border("http", self._app(scope, receive, send), lambda _: None)


def _refuse(retryable: bool) -> NoReturn:
    raise MCPError(code=types.INTERNAL_ERROR, message="the request could not be completed")
