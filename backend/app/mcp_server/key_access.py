"""The border of the HTTP transport: a key for every request beyond loopback, checked before the body is read."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from ..kernel.request import Principal
from ..wiring.key_guard import KeyGuard, NotAdmitted

__all__ = ["SCOPE_NAME", "KeyAccess"]

SCOPE_NAME: Final = "portcullis.principal"
_CHAT: Final = "chat"
_NO_KEY: Final = "local"
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_TEXTS: Final = {401: "a valid key is required", 403: "this key lacks the scope `chat`", 429: "too many requests"}


class KeyAccess:
    """An ASGI middleware that puts the principal of the key into the scope of a request."""

    def __init__(
        self, app: Callable[[Scope, Receive, Send], Awaitable[None]], guard: KeyGuard, local: Principal | None
    ) -> None:
        self._app = app
        self._guard = guard
        self._local = local
        """Who asks without a key; None where every request needs one."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        if scope["type"] == "http":
            found = await self._found(scope)
            if isinstance(found, NotAdmitted):
                await _refuse(send, found)
                return
            who, key_id = found
            # The SDK lets nobody use a session but with the key that opened it.
            owner = AccessToken(token="", client_id=key_id, scopes=list(who.scopes))
            scope = {**scope, SCOPE_NAME: who, "user": AuthenticatedUser(owner)}
        await self._app(scope, receive, send)

    async def _found(self, scope: Scope) -> tuple[Principal, str] | NotAdmitted:
        given = [value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"]
        if not given and self._local is not None:
            return self._local, _NO_KEY
        found = await self._guard.admit(given[0] if len(given) == 1 else "")
        if isinstance(found, NotAdmitted):
            return found
        return (found.principal, found.key_id) if _CHAT in found.scopes else NotAdmitted(403)


async def _refuse(send: Send, refusal: NotAdmitted) -> None:
    body = json.dumps({"error": _TEXTS[refusal.status]}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refusal.status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="portcullis"'))
    if refusal.retry_after_s is not None:
        headers.append((b"retry-after", str(refusal.retry_after_s).encode()))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
