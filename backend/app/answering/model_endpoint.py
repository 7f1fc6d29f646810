"""The client of the operator's OpenAI-compatible endpoint: one streamed request, bounded in time and size (R33)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final, Protocol

import httpx

from ..system.settings import ModelEndpoint

__all__ = ["ModelClient", "ModelUnavailable", "OpenAICompatible"]

_ANSWER_CHARS_MAX: Final = 16_000
_BODY_BYTES_MAX: Final = 2_000_000
_TOKENS_MAX: Final = 700
_CONNECT_S: Final = 5.0


class ModelUnavailable(Exception):
    """The model gave no answer; `kind` says how, in one word."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class ModelClient(Protocol):
    """Whatever can turn messages into a text."""

    @property
    def name(self) -> str:
        """The model, as results name it."""
        ...

    async def complete(self, messages: list[dict[str, str]]) -> str:
        """The whole answer.

        Raises:
            ModelUnavailable: the model gave no answer.
        """
        ...


@dataclass(frozen=True, slots=True)
class OpenAICompatible:
    """Asks `/chat/completions` below the base URL; without tools, without retries, without redirects."""

    endpoint: ModelEndpoint

    @property
    def name(self) -> str:
        """The model, as results name it."""
        return self.endpoint.model

    async def complete(self, messages: list[dict[str, str]]) -> str:
        """The whole answer, read as it comes.

        Raises:
            ModelUnavailable: the endpoint is down, slow or refuses, or what it sends is no answer.
        """
        try:
            async with asyncio.timeout(self.endpoint.timeout_ms / 1000):
                return await self._asked(messages)
        except TimeoutError as exc:
            raise ModelUnavailable("slow", "the model did not answer in time") from exc
        except httpx.HTTPError as exc:
            raise ModelUnavailable("unreachable", "the model endpoint could not be reached") from exc

    async def _asked(self, messages: list[dict[str, str]]) -> str:
        key = self.endpoint.key
        headers = {"accept-encoding": "identity"}
        if key is not None:
            headers["authorization"] = f"Bearer {key.get_secret_value()}"
        body = {
            "model": self.endpoint.model,
            "messages": messages,
            "stream": True,
            "temperature": 0,
            "max_tokens": _TOKENS_MAX,
        }
        limits = httpx.Timeout(self.endpoint.timeout_ms / 1000, connect=_CONNECT_S)
        # No proxies or certificates from the environment: the operator named this endpoint and no other.
        async with httpx.AsyncClient(timeout=limits, trust_env=False, follow_redirects=False) as client:
            url = f"{self.endpoint.url.rstrip('/')}/chat/completions"
            async with client.stream("POST", url, json=body, headers=headers) as response:
                if response.status_code != httpx.codes.OK:
                    raise ModelUnavailable("provider_down", f"the model endpoint answered {response.status_code}")
                return await _read(response)


async def _read(response: httpx.Response) -> str:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise ModelUnavailable("unreadable", "the model endpoint compressed its answer, which was not asked for")
    parts: list[str] = []
    length = 0
    whole = False
    async for piece, ended in _pieces(response):
        whole = whole or ended
        length += len(piece)
        if length > _ANSWER_CHARS_MAX:
            raise ModelUnavailable("too_large", "the model did not come to an end")
        parts.append(piece)
    try:
        # Servers that escape each piece by itself may cut a character into two halves.
        text = "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeError as exc:
        raise ModelUnavailable("unreadable", "the model endpoint did not answer in its protocol") from exc
    if not whole:  # the last line was cut off, and half of a sentence may say the opposite of the whole
        text = text.rpartition("\n")[0]
    if not text.strip():
        raise ModelUnavailable("unreadable", "the model answered with nothing")
    return text


async def _pieces(response: httpx.Response) -> AsyncIterator[tuple[str, bool]]:
    """The text of a stream of events, or of one JSON document where the endpoint does not stream; and whether it says
    that this is the end."""
    streamed = "text/event-stream" in response.headers.get("content-type", "")
    size = 0
    held = bytearray()
    async for chunk in response.aiter_raw():
        size += len(chunk)
        if size > _BODY_BYTES_MAX:
            raise ModelUnavailable("too_large", "the model did not come to an end")
        held += chunk
        while streamed and (end := held.find(b"\n")) >= 0:
            event = bytes(held[:end]).strip()
            del held[: end + 1]
            if event == b"data: [DONE]":
                yield "", True
                return
            if event.startswith(b"data:"):
                yield _said(event[5:], "delta")
    if not streamed:
        yield _said(bytes(held), "message")
    elif held.strip().startswith(b"data:") and b"[DONE]" not in held:
        yield _said(bytes(held).strip()[5:], "delta")


def _said(data: bytes, part: str) -> tuple[str, bool]:
    """What a chunk or an answer says, and whether it ended by itself; tool calls that nobody offered say nothing."""
    try:
        choices = json.loads(data).get("choices") or []
        first = choices[0] if choices else {}
        content = (first.get(part) or {}).get("content")
        ended = first.get("finish_reason") == "stop"
    except (ValueError, AttributeError, TypeError, KeyError, IndexError, RecursionError) as exc:
        raise ModelUnavailable("unreadable", "the model endpoint did not answer in its protocol") from exc
    return (content if isinstance(content, str) else ""), ended
