"""Headers that a client may send with a question."""

from __future__ import annotations

from typing import Final

from fastapi import Request
from pydantic import TypeAdapter, ValidationError

from ..kernel.models import Identifier
from .refusals import RequestRefused

__all__ = ["conversation_named", "idempotency_key"]

_KEY_CHARS: Final = 200
_NAME: Final = "Idempotency-Key"
_CHAT_ID: Final = "X-OpenWebUI-Chat-Id"
_IDENTIFIER: Final = TypeAdapter[str](Identifier)


def idempotency_key(request: Request) -> str | None:
    """The key under which the same request again gets the same answer.

    Raises:
        RequestRefused: it is empty, too long or not printable.
    """
    key = request.headers.get(_NAME)
    if key is not None and not (0 < len(key) <= _KEY_CHARS and key.isascii() and key.isprintable()):
        message = f"an idempotency key has 1 to {_KEY_CHARS} printable ASCII characters"
        raise RequestRefused(400, "invalid_request_error", message, param=_NAME)
    return key


def conversation_named(request: Request, in_body: str | None) -> str | None:
    """The conversation that the body names, or Open WebUI in its header; known within the key's tenant and user alone.
    What cannot be a name is none: these clients send many fields that others mean."""
    try:
        return _IDENTIFIER.validate_python(in_body or request.headers.get(_CHAT_ID), strict=True)
    except ValidationError:
        return None
