"""Stored answers of providers: asked again within the age that a capability allows, nobody outside is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..kernel.canonical import sha256_hex
from ..kernel.ports import Clock
from ..kernel.providers import HttpAnswer, HttpRequest
from ..parsing.http.exchange import StoredResponse
from .fetch.ports import ResponseCache
from .service_exchange import Exchange

__all__ = ["StoredAnswers"]

_VERSION: Final = 1
"""Part of every key: another version asks again."""


@dataclass(frozen=True, slots=True)
class StoredAnswers:
    """The web cache as the tool `services` uses it; keys are digests, and what is kept was masked before."""

    cache: ResponseCache | None
    clock: Clock

    def get(self, tenant: str, provider: str, request: HttpRequest, engine: str, max_age_ms: int) -> Exchange | None:
        """An answer to the same request that is not older than this."""
        if self.cache is None or not max_age_ms:
            return None
        stored = self.cache.get(tenant, _key(provider, request, engine))
        if stored is None:
            return None
        age_ms = self.clock.now_ms() - stored.stored_at_ms
        if not 0 <= age_ms <= max_age_ms:
            return None
        answer = HttpAnswer(status=200, url=stored.url, headers=stored.fields, body=stored.body)
        return Exchange(answer, age_ms, max_age_ms)

    def put(
        self, tenant: str, provider: str, request: HttpRequest, engine: str, answer: HttpAnswer, max_age_ms: int
    ) -> None:
        """Keep an answer that could be read."""
        if self.cache is None or not max_age_ms or answer.status != 200:
            return
        now_ms = self.clock.now_ms()
        stored = StoredResponse(answer.url, answer.headers, answer.body, now_ms, now_ms + max_age_ms)
        self.cache.put(tenant, _key(provider, request, engine), stored)


def _key(provider: str, request: HttpRequest, engine: str) -> str:
    """Everything that the answer depends on; keys of the operator are not part of it."""
    accept = next((value for name, value in request.headers if name == "Accept"), "")
    said = (_VERSION, "services", provider, request.method, request.url, accept, engine)
    return sha256_hex("\0".join(map(str, said)).encode() + b"\0" + request.body)
