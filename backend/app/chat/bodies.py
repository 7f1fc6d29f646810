"""Bodies of requests: read within limits of size and time, and turned into values that name the field that is wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Final, TypeVar

from fastapi import Request
from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError

from ..kernel.faults import first_error, first_fault
from .refusals import RequestRefused

__all__ = ["BODY_BYTES_MAX", "read_arguments", "read_model"]

BODY_BYTES_MAX: Final = 1_000_000
_READING_S: Final = 10.0
# What a client still sends after a refusal is read and thrown away for a while, so that it gets to see the refusal.
_DRAINED_BYTES: Final = 16_000_000
_DRAINING_S: Final = 5.0
_FIELD_CHARS: Final = 100
_ARGUMENTS: Final = TypeAdapter(dict[str, JsonValue])
M = TypeVar("M", bound=BaseModel)


async def read_model(request: Request, model: type[M]) -> tuple[M, bytes]:
    """The body as a value, and as it was sent.

    Raises:
        RequestRefused: it is too long, too slow or not JSON, or a field is wrong.
    """
    data = await _data_of(request)
    try:
        return model.model_validate_json(data), data
    except ValidationError as exc:
        raise _wrong(exc, data) from exc


async def read_arguments(request: Request) -> tuple[dict[str, JsonValue], bytes]:
    """The body as the arguments of a capability; raises as `read_model` does. An empty body has none."""
    data = await _data_of(request)
    if not data:
        return {}, data
    try:
        return _ARGUMENTS.validate_json(data), data
    except ValidationError as exc:
        raise _wrong(exc, data) from exc


async def _data_of(request: Request) -> bytes:
    chunks = request.stream()
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > BODY_BYTES_MAX:
        await _drain(chunks)
        raise _too_large()
    data = bytearray()
    try:
        async with asyncio.timeout(_READING_S):
            async for chunk in chunks:
                data += chunk
                if len(data) > BODY_BYTES_MAX:
                    await _drain(chunks)
                    raise _too_large()
    except TimeoutError as exc:
        message = f"the body did not arrive within {_READING_S:.0f} seconds"
        raise RequestRefused(408, "request_timeout", message) from exc
    return bytes(data)


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    left = _DRAINED_BYTES
    try:
        async with asyncio.timeout(_DRAINING_S):
            async for chunk in chunks:
                left -= len(chunk)
                if left < 0:
                    return
    except TimeoutError:
        return


def _too_large() -> RequestRefused:
    return RequestRefused(413, "request_too_large", f"the body is longer than {BODY_BYTES_MAX} bytes")


def _wrong(exc: ValidationError, sent: bytes) -> RequestRefused:
    first = first_error(exc)
    if first is None:
        return RequestRefused(400, "invalid_request_error", f"the body {first_fault(exc)[1]}")
    if first["type"] == "json_invalid":
        return RequestRefused(400, "invalid_request_error", "the body is not JSON, or nested too deeply")
    # An unknown field is named by whoever sent it.
    shown = "".join(sign for sign in _named_in(json.loads(sent), first) if sign.isprintable())[:_FIELD_CHARS]
    rule = first_fault(exc)[1].replace("valid tuple", "valid list")
    message = f"`{shown}` is wrong: {rule}" if shown else rule
    return RequestRefused(400, "invalid_request_error", message, param=shown or None)


def _named_in(value: Any, fault: Any) -> str:
    """Where a fault is, in the names and numbers of the body; a place of pydantic's also has parts that say which form
    of a value was tried, and those mean nothing to whoever sent it."""
    names = []
    for part in fault["loc"]:
        try:
            value = value[part]
        except (LookupError, TypeError):
            if fault["type"] != "missing" or part != fault["loc"][-1]:
                continue
        names.append(str(part))
    return ".".join(names)
