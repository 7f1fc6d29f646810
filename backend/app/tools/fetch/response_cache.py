"""The shelf: what one fetch takes from the cache and puts there, keyed on everything that the answer depends on."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from ...kernel.canonical import sha256_hex
from ...kernel.ports import Clock
from ...parsing.http.exchange import Fetched, StoredResponse, WebRequest
from ...parsing.http.fields import Fields, field_value, media_type
from ...parsing.http.freshness import KEPT_FIELDS, fresh_until_ms, may_be_kept
from ...parsing.url.urls import JudgedUrl
from .ports import ResponseCache

__all__ = ["FETCHER_VERSION", "Shelf"]

FETCHER_VERSION: Final = 1
"""Part of every key: another version fetches again."""


class Shelf:
    """One request's view of its tenant's cache; each hop of a journey has its own entry."""

    def __init__(self, cache: ResponseCache | None, clock: Clock, request: WebRequest, user_agent: str) -> None:
        plain = request.method == "GET" and not request.credentials and not request.own_service
        self._cache = cache if plain and request.use_cache else None
        self._clock = clock
        self._request = request
        self._user_agent = user_agent

    def stored(self, url: JudgedUrl) -> StoredResponse | None:
        """What is there for a URL, fresh or not."""
        return None if self._cache is None else self._cache.get(self._request.tenant, self._key(url))

    def taken(self, stored: StoredResponse) -> Fetched:
        """A stored response that is still fresh."""
        return self._fetched(stored, "fresh")

    def keep(self, url: JudgedUrl, fetched: Fetched) -> None:
        """Put a whole answer away, if its server allows that."""
        if self._cache is None or fetched.status != 200 or fetched.truncated or not may_be_kept(fetched.fields):
            return
        now_ms = self._clock.now_ms()
        until_ms = fresh_until_ms(fetched.fields, now_ms)
        stored = StoredResponse(url.href, fetched.fields, fetched.body, now_ms, until_ms)
        self._cache.put(self._request.tenant, self._key(url), stored)

    def renewed(self, url: JudgedUrl, stored: StoredResponse, fields: Fields) -> Fetched:
        """A stored response of which the server said that it still holds."""
        news = {name.lower(): value for name, value in fields if name.lower() in KEPT_FIELDS}
        news.pop("content-type", None)  # it would speak of a body that did not come
        old = tuple((name, value) for name, value in stored.fields if name not in news)
        merged = (*old, *sorted(news.items()))
        now_ms = self._clock.now_ms()
        again = replace(stored, fields=merged, stored_at_ms=now_ms, fresh_until_ms=fresh_until_ms(merged, now_ms))
        if self._cache is not None:
            self._cache.put(self._request.tenant, self._key(url), again)
        return self._fetched(again, "revalidated")

    def _fetched(self, stored: StoredResponse, how: Literal["fresh", "revalidated"]) -> Fetched:
        kind, charset = media_type(field_value(stored.fields, "content-type"))
        return Fetched(
            requested=self._request.url,
            url=stored.url,
            status=200,
            content_type=kind,
            charset=charset,
            fields=stored.fields,
            body=stored.body,
            cache=how,
            age_ms=max(0, self._clock.now_ms() - stored.stored_at_ms),
            max_age_ms=max(0, stored.fresh_until_ms - stored.stored_at_ms),
        )

    def _key(self, url: JudgedUrl) -> str:
        request = self._request
        asked = (request.accept, request.accept_language, self._user_agent, request.max_bytes)
        return sha256_hex("\0".join(map(str, (FETCHER_VERSION, url.href, *asked))).encode())
