"""An ASGI middleware that shortens how the SDK refuses a malformed message: without what the message held."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

__all__ = ["ShortRefusals"]

_STATUS: Final = 400
# With either of these the text goes on with the values that a parser did not like.
_LONG: Final = ("\n", "input_value")
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class ShortRefusals:
    """Holds back the body of a 400 until it is whole, and keeps of a long message what stands before its details."""

    def __init__(self, app: Callable[[Message, Receive, Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass everything else on as it is."""
        held: list[Message] = []
        body = bytearray()

        async def pass_on(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == _STATUS:
                held.append(message)
                return
            if not held:
                await send(message)
                return
            body.extend(message.get("body", b""))
            if not message.get("more_body", False):
                told = _short(bytes(body))
                length = (b"content-length", str(len(told)).encode())
                kept = [(name, value) for name, value in held[0]["headers"] if name.lower() != b"content-length"]
                await send({**held.pop(), "headers": [*kept, length]})
                await send({"type": "http.response.body", "body": told})

        await self._app(scope, receive, pass_on)


def _short(body: bytes) -> bytes:
    try:
        error = json.loads(body)["error"]
        message = error["message"]
    except (ValueError, KeyError, TypeError):
        return body
    if not (isinstance(message, str) and any(mark in message for mark in _LONG)):
        return body
    return json.dumps({**json.loads(body), "error": {**error, "message": message.partition(":")[0]}}).encode()
