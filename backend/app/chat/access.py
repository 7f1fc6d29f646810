"""Who may come in: the bearer of a key or a browser with a session, judged before the body of a request is read."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from fastapi import Request

from ..kernel.request import Principal
from ..research.audience import OPERATOR_SCOPE
from ..system.api_keys import ApiKey, KeyDialect
from ..wiring.key_guard import REQUESTS_PER_MINUTE, Admitted, KeyGuard, NotAdmitted
from .asgi import App, Receive, Scope, Send
from .border import headers_of, request_id_of, send_refusal
from .door import Reach
from .refusals import RequestRefused
from .source_page import KEY_WANTED_PAGE, wants_page

__all__ = [
    "CHAT_SCOPE",
    "BrowserAccess",
    "Caller",
    "ChatAccess",
    "caller_in",
    "caller_of",
    "own_address",
]

CHAT_SCOPE: Final = "chat"
_CONSOLE: Final = "/console"
_CALLER: Final = "portcullis.caller"
_OPEN: Final = ("/healthz", "/readyz")
_METRICS: Final = "/metrics"
_SOURCE: Final = re.compile(r"/v1/research/[^/]+/sources/[0-9]+")
_HOST: Final = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\s:@/\[\]]+))(?::[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, by which key (a browser has none), and in which request."""

    principal: Principal
    key_id: str = ""
    request_id: str = ""
    dialect: KeyDialect = "standard"
    sources_block: bool = True
    """False for clients that show sources by themselves."""

    @property
    def is_operator(self) -> bool:
        """True if this caller may see what the gate did and why."""
        return OPERATOR_SCOPE in self.principal.scopes


class BrowserAccess(Protocol):
    """How the console lets in a browser: by a cookie of its own, only below `/console`."""

    async def admit(self, method: str, path: str, headers: Mapping[str, str]) -> Caller | None:
        """Who asks; None where nobody is logged in, so that the console can show its login."""


def caller_in(scope: Mapping[str, Any]) -> Caller | None:
    """Who asks, as `ChatAccess` found out; None on an open path, or for a browser without a session."""
    found = scope.get(_CALLER)
    return found if isinstance(found, Caller) else None


def caller_of(request: Request) -> Caller:
    """Who asks, on a path that nobody reaches without a key.

    Raises:
        RequestRefused: nobody does.
    """
    found = caller_in(request.scope)
    if found is None:
        raise _NO_KEY
    return found


_NO_KEY: Final = RequestRefused(401, "invalid_api_key", "a valid key is required")
_KEY_OF_PERSON: Final = RequestRefused(401, "invalid_api_key", "a valid key is required", page=KEY_WANTED_PAGE)
_NO_SCOPE: Final = RequestRefused(403, "permission_denied", "this key lacks the scope for this request")
_WRONG_NAME: Final = RequestRefused(421, "misdirected_request", "this server is not reached by that name")


class ChatAccess:
    """An ASGI middleware that puts the caller into the scope of a request, or answers it."""

    def __init__(self, app: App, guard: KeyGuard, reach: Reach, browsers: BrowserAccess) -> None:
        self._app = app
        self._guard = guard
        self._browsers = browsers
        self._local = reach.local
        self._hosts = reach.hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        if scope["type"] == "http":
            try:
                scope[_CALLER] = await self._who(scope)
            except RequestRefused as refusal:
                await send_refusal(send, refusal)
                return
        await self._app(scope, receive, send)

    async def _who(self, scope: Scope) -> Caller | None:
        if _host_of(scope) not in self._hosts:
            raise _WRONG_NAME
        path, keys = scope["path"], [value for name, value in scope["headers"] if name == b"authorization"]
        if path == _CONSOLE or path.startswith(f"{_CONSOLE}/"):
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
            return await self._browsers.admit(scope["method"], path, headers)
        if not keys and (path in _OPEN or (path == _METRICS and self._local)):
            return None
        given = keys[0].decode("latin-1") if len(keys) == 1 else ""
        source = scope["method"] == "GET" and _SOURCE.fullmatch(path) is not None
        found = await self._guard.admission(_bearer_in(given) if source else given)
        if isinstance(found, NotAdmitted):
            raise _KEY_OF_PERSON if source and found.status == 401 and _is_browser(scope) else _refusal_of(found, scope)
        _tell_limit(scope, found)
        key = found.key
        wanted = OPERATOR_SCOPE if path == _METRICS else CHAT_SCOPE if path.startswith("/v1/") else None
        if wanted is not None and wanted not in key.scopes:
            raise _NO_SCOPE
        return _caller(key, request_id_of(scope))


def _is_browser(scope: Scope) -> bool:
    return any(name == b"accept" and wants_page(value.decode("latin-1")) for name, value in scope["headers"])


def _bearer_in(given: str) -> str:
    """What a browser sends that has asked a person for a name and a password: the key is the password. Taken where a
    source is shown and nowhere else, because browsers send it by themselves from then on."""
    scheme, _, coded = given.partition(" ")
    if scheme.lower() != "basic":
        return given
    try:
        return f"Bearer {base64.b64decode(coded, validate=True).decode().partition(':')[2]}"
    except ValueError:
        return ""


def own_address(scope: Scope, reach: Reach) -> str:
    """Where the client reaches this server, by the header `Host` that was checked. A name without a port is that of a
    proxy, which speaks TLS."""
    given = next(value.decode("latin-1").lower() for name, value in scope["headers"] if name == b"host")
    scheme = "https" if given.rstrip(".") in reach.names else "http"
    return f"{scheme}://{given}"


def _caller(key: ApiKey, request_id: str) -> Caller:
    return Caller(key.principal, key.key_id, request_id, key.dialect, key.sources_block)


def _refusal_of(found: NotAdmitted, scope: Scope) -> RequestRefused:
    if found.status == 401:
        return _NO_KEY
    _limit_headers(scope, remaining=0, reset_s=found.retry_after_s or 1)
    message = "too many requests with this key"
    return RequestRefused(429, "rate_limit_exceeded", message, retry_after_s=found.retry_after_s)


def _tell_limit(scope: Scope, found: Admitted) -> None:
    _limit_headers(scope, remaining=found.remaining, reset_s=found.reset_s)


def _limit_headers(scope: Scope, *, remaining: int, reset_s: int) -> None:
    """The request limit of the key, which is no cap of the gate."""
    headers_of(scope).update(
        {
            "x-ratelimit-limit-requests": str(REQUESTS_PER_MINUTE),
            "x-ratelimit-remaining-requests": str(remaining),
            "x-ratelimit-reset-requests": f"{reset_s}s",
        }
    )


def _host_of(scope: Scope) -> str:
    """The name in the one header `Host`, without its port; nothing where it is not one name."""
    given = [value.decode("latin-1").lower() for name, value in scope["headers"] if name == b"host"]
    found = _HOST.fullmatch(given[0]) if len(given) == 1 else None
    return "" if found is None else (found[1] or found[2]).rstrip(".")
