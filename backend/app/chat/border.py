"""The border of the door: every request gets an id, a line in the log and, whatever breaks inside, an answer."""

from __future__ import annotations

import json
import logging
from typing import Any, Final

from ..kernel.ports import Clock, Ids
from .asgi import App, Receive, Scope, Send
from .meters import ServerMeters
from .refusals import BROKEN, RequestRefused, refusal_bytes, refusal_headers

__all__ = ["Border", "headers_of", "request_id_of", "send_refusal"]

_ID: Final = "portcullis.request_id"
_HEADERS: Final = "portcullis.headers"
_DESCRIPTION: Final = "/openapi.json"
"""The one path that the framework answers without a route of ours."""
_LOG: Final = logging.getLogger("portcullis.chat")
_ACCESS_LOG: Final = logging.getLogger("portcullis.access")


def request_id_of(scope: Scope) -> str:
    """The id of a request; also the header `x-request-id` of its response."""
    return str(scope.get(_ID, ""))


def headers_of(scope: Scope) -> dict[str, str]:
    """Headers that the response of a request will carry whoever makes it."""
    headers: dict[str, str] = scope.setdefault(_HEADERS, {})
    return headers


async def send_refusal(send: Send, refusal: RequestRefused) -> None:
    """Send a refusal as the whole response."""
    body = refusal_bytes(refusal)
    headers = {**refusal_headers(refusal), "content-length": str(len(body))}
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": refusal.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


class Border:
    """The outermost middleware. What breaks inside is logged by its type alone; its text never leaves the process."""

    def __init__(self, app: App, clock: Clock, ids: Ids, meters: ServerMeters) -> None:
        self._app = app
        self._meters = meters
        self._clock = clock
        self._ids = ids

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Carry one request through."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope[_ID] = self._ids.session_id()
        started_ms, status = self._clock.now_ms(), 0

        async def sent(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                more = {"x-request-id": scope[_ID], "x-content-type-options": "nosniff", **headers_of(scope)}
                raw = [(name.encode(), value.encode("latin-1")) for name, value in more.items()]
                message = {**message, "headers": [*message["headers"], *raw]}
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except Exception as exc:  # noqa: BLE001  a process border: the text of an error stays inside, its type is logged
            _LOG.error("request: unexpected %s", type(exc).__name__)
            if not status:
                await send_refusal(sent, BROKEN)
        finally:
            self._logged(scope, status, self._clock.now_ms() - started_ms)

    def _logged(self, scope: Scope, status: int, took_ms: int) -> None:
        """One line of JSON: the route, never the path or anything else that a caller wrote."""
        route = getattr(scope.get("route"), "path", "") or (_DESCRIPTION if scope["path"] == _DESCRIPTION else "")
        self._meters.add("portcullis_requests_total", {"route": route, "status": str(status)}, 1)
        if not _ACCESS_LOG.isEnabledFor(logging.INFO):
            return
        caller = scope.get("portcullis.caller")
        line = {
            "event": "request",
            "at_ms": self._clock.now_ms(),
            "request_id": scope[_ID],
            "method": scope["method"],
            "route": route,
            "status": status,
            "ms": took_ms,
            "key_id": getattr(caller, "key_id", ""),
        }
        _ACCESS_LOG.info(json.dumps(line, separators=(",", ":")))
