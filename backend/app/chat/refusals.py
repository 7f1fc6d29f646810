"""Refusals: what the door says instead of an answer, in the error object that chat clients know."""

from __future__ import annotations

import json
from typing import Final, Literal

from fastapi import Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from ..kernel.models import FrozenModel
from .source_page import PAGE_HEADERS

__all__ = [
    "BROKEN",
    "ErrorObject",
    "RefusalCode",
    "RequestRefused",
    "malformed_response",
    "refusal_bytes",
    "refusal_headers",
    "refused_response",
    "unmatched_response",
]

RefusalCode = Literal[
    "invalid_api_key",
    "permission_denied",
    "not_found",
    "model_not_found",
    "invalid_request_error",
    "method_not_allowed",
    "request_timeout",
    "request_in_progress",
    "idempotency_conflict",
    "request_too_large",
    "misdirected_request",
    "rate_limit_exceeded",
    "internal_error",
    "overloaded",
]
_KINDS: Final[dict[int, str]] = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    429: "rate_limit_error",
    500: "server_error",
    503: "server_error",
}


class ErrorFacts(FrozenModel):
    """What is wrong: a line for a reader, and words for a program."""

    message: str
    type: str
    param: str | None
    code: RefusalCode


class ErrorObject(FrozenModel):
    """The body of every refusal."""

    error: ErrorFacts


class RequestRefused(Exception):
    """The request is not carried out; nothing of what was sent is repeated in the message."""

    def __init__(
        self,
        status: int,
        code: RefusalCode,
        message: str,
        *,
        param: str | None = None,
        retry_after_s: int | None = None,
        page: bytes | None = None,
    ) -> None:
        """`page` is for a browser, which is asked for the key as a password."""
        super().__init__(message)
        self.status = status
        self.code: RefusalCode = code
        self.message = message
        self.param = param
        self.retry_after_s = retry_after_s
        self.page = page


BROKEN: Final = RequestRefused(500, "internal_error", "the request could not be completed")


def refusal_bytes(refusal: RequestRefused) -> bytes:
    """The body of a refusal."""
    if refusal.page is not None:
        return refusal.page
    facts = {
        "message": refusal.message,
        "type": _KINDS.get(refusal.status, "invalid_request_error"),
        "param": refusal.param,
        "code": refusal.code,
    }
    return json.dumps({"error": facts}).encode()


def refusal_headers(refusal: RequestRefused) -> dict[str, str]:
    """How to come in, or when to come again."""
    headers = {"content-type": "application/json", "content-security-policy": "default-src 'none'"}
    if refusal.page is not None:
        headers.update(PAGE_HEADERS)
    if refusal.status == 401:
        headers["www-authenticate"] = f'{"Bearer" if refusal.page is None else "Basic"} realm="portcullis"'
    if refusal.retry_after_s is not None:
        headers["retry-after"] = str(refusal.retry_after_s)
        headers["retry-after-ms"] = str(refusal.retry_after_s * 1000)
    return headers


async def refused_response(_: Request, refusal: Exception) -> Response:
    """A refusal that a route has raised, as its response."""
    if not isinstance(refusal, RequestRefused):
        raise refusal
    return Response(refusal_bytes(refusal), refusal.status, refusal_headers(refusal))


async def unmatched_response(_: Request, error: Exception) -> Response:
    """What no route takes: an unknown path, or a method that the path does not have."""
    if isinstance(error, HTTPException) and error.status_code == 405:
        refusal = RequestRefused(405, "method_not_allowed", "this path does not take that method")
        return Response(refusal_bytes(refusal), 405, {**refusal_headers(refusal), **(error.headers or {})})
    refusal = RequestRefused(404, "not_found", "there is no such path")
    return Response(refusal_bytes(refusal), 404, refusal_headers(refusal))


async def malformed_response(_: Request, error: Exception) -> Response:
    """A part of the path that is not what the route expects; there is no such object."""
    refusal = RequestRefused(404, "not_found", "there is no such object")
    return Response(refusal_bytes(refusal), 404, refusal_headers(refusal))
