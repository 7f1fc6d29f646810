"""Browsers that are signed in: a random id in a cookie, everything else on the server, for a while."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starlette.requests import cookie_parser

from ...kernel.canonical import sha256_hex
from ...kernel.ports import Clock
from ...research.audience import OPERATOR_SCOPE
from ...system.api_keys import ApiKey
from ...system.stores.conversations.browser_logins import LoginStore, StoredLogin
from ...system.stores.keys.sqlite import KeyStore
from ..access import Caller

__all__ = ["COOKIE", "BrowserSessions", "SignedIn", "cookie_in"]

COOKIE: Final = "portcullis_console"
_LONGEST_MS: Final = 8 * 3_600_000
_IDLE_MS: Final = 60 * 60_000
_NOTED_EVERY_MS: Final = 60_000
_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class SignedIn:
    """One browser of one operator; `token` goes with every form that changes something."""

    caller: Caller
    token: str


class BrowserSessions:
    """Every process of a server knows them; whoever's key is revoked is signed out with the next request."""

    def __init__(self, logins: LoginStore, keys: KeyStore, clock: Clock) -> None:
        self._logins = logins
        self._keys = keys
        self._clock = clock

    def begin(self, key: ApiKey) -> str:
        """A new id for a browser."""
        now_ms, session_id = self._clock.now_ms(), secrets.token_urlsafe(_BYTES)
        self._logins.prune(now_ms - _LONGEST_MS, now_ms - _IDLE_MS)
        token = secrets.token_urlsafe(_BYTES)
        login = StoredLogin(cookie=_place(session_id), key_id=key.key_id, token=token, since_ms=now_ms, seen_ms=now_ms)
        self._logins.add(login)
        return session_id

    def find(self, session_id: str) -> SignedIn | None:
        """Who is signed in under an id, as long as the key behind it is valid and it was used of late."""
        found = self._logins.find(_place(session_id)) if session_id else None
        if found is None:
            return None
        now_ms = self._clock.now_ms()
        key = self._valid_key(found.key_id, now_ms)
        lasts = now_ms - found.since_ms < _LONGEST_MS and now_ms - found.seen_ms < _IDLE_MS
        if key is None or not lasts:
            self._logins.remove(found.cookie)
            return None
        if now_ms - found.seen_ms >= _NOTED_EVERY_MS:
            self._logins.seen(found.cookie, now_ms)
        return SignedIn(Caller(key.principal, key.key_id), found.token)

    def end(self, session_id: str) -> None:
        """Forget an id."""
        self._logins.remove(_place(session_id))

    async def admit(self, method: str, path: str, headers: Mapping[str, str]) -> Caller | None:
        """Who asks, for the border; None where nobody is signed in, so that the console can show its sign-in."""
        found = self.find(cookie_in(headers.get("cookie", "")))
        return None if found is None else found.caller

    def _valid_key(self, key_id: str, now_ms: int) -> ApiKey | None:
        key = self._keys.find(key_id)
        return key if key is not None and key.valid_at(now_ms) and OPERATOR_SCOPE in key.scopes else None


def cookie_in(header: str) -> str:
    """The id in a `Cookie` header; empty where there is none."""
    return cookie_parser(header).get(COOKIE, "")


def _place(session_id: str) -> str:
    return sha256_hex(session_id.encode("utf-8", "replace"))
