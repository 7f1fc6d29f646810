"""Every capability as `POST /v1/capabilities/{name}`: its output, or the error object of its contract."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, JsonValue

from ..kernel.canonical import sha256_hex
from ..kernel.capability import AnyCapability
from ..kernel.errors import RequestInvalid, StoreBusy, StoreUnusable
from ..kernel.failure import ErrorDetail, Failure
from ..kernel.models import FrozenModel
from ..system.stores.conversations.requests import KeyedRequest
from .access import Caller, caller_of
from .bodies import read_arguments
from .connections import Departure, leaving_ends, unless_ended
from .dialects.server_sent import json_bytes
from .door import ChatDoor
from .headers import idempotency_key
from .openapi import Described, body_of, reference, refusals
from .refusals import RequestRefused
from .request_audit import note_request

__all__ = ["CapabilityList", "capability_router"]

_CLIENT_LEFT = 499
"""Nobody reads it; it stands in the log and in the metrics."""


class ListedCapability(FrozenModel):
    """One capability, with the JSON Schemas of its input and output."""

    name: str
    family: str
    title: str
    description: str
    input: dict[str, JsonValue]
    output: dict[str, JsonValue]


class CapabilityList(FrozenModel):
    """What this key may call."""

    capabilities: tuple[ListedCapability, ...]


def capability_router(door: ChatDoor) -> APIRouter:
    """A route for every capability, and their list."""
    router = APIRouter(prefix="/v1/capabilities", tags=["capabilities"])

    @router.get("", summary="What this key may call", responses=refusals())
    async def listed(request: Request) -> CapabilityList:
        caller = caller_of(request)
        offered = [one for one in door.router.capabilities.values() if _may_call(one, caller)]
        return CapabilityList(capabilities=tuple(_listed(one) for one in offered))

    for name in door.router.capabilities:
        _add_route(router, door, door.router.capabilities[name])
    return router


def _add_route(router: APIRouter, door: ChatDoor, one: AnyCapability) -> None:
    async def called(request: Request) -> Response:
        caller = caller_of(request)
        if not _may_call(one, caller):
            # One that needs a scope does not exist for those who lack it.
            raise RequestRefused(404, "not_found", "there is no such capability")
        try:
            key = idempotency_key(request)
            arguments, sent = await read_arguments(request)
        except RequestRefused as refusal:
            if refusal.status != 400:
                raise
            return _response(400, _invalid(refusal.message))  # in the form of every other wrong argument
        return await _answered(door, caller, request, one.name, arguments, sent, key)

    content = {"application/json": {"schema": {"anyOf": [reference(one.output), reference(Failure)]}}}
    router.add_api_route(
        f"/{one.name}",
        called,
        methods=["POST"],
        name=one.name,
        summary=one.title,
        description=one.description,
        response_model=None,
        responses={
            200: {"description": "its output, or why there is none", "content": content},
            **refusals(404, 408, 409, 413),
            400: {"model": Failure, "description": "an argument is wrong"},
        },
        openapi_extra=body_of(one.input),
    )


async def _answered(
    door: ChatDoor,
    caller: Caller,
    request: Request,
    name: str,
    arguments: Mapping[str, Any],
    sent: bytes,
    key: str | None,
) -> Response:
    started_ms, error, who = door.clock.now_ms(), "cancelled", caller.principal
    named = None if key is None else _named(door, caller, name, arguments, key, started_ms)
    session_key = None if named is None else named.session_key
    call = asyncio.create_task(door.router.call(name, arguments, who, session_key=session_key))
    client = Departure(call.cancel)
    try:
        async with leaving_ends(request.receive, client.leave):
            answer = await unless_ended(call)
        if answer is None:
            if key is not None and named is not None:
                door.requests.abandon(who.tenant, who.user, key, named.request)
            return Response(status_code=_CLIENT_LEFT)
        error = client.error(answer.result.error.kind if isinstance(answer.result, Failure) else "")
        return _response(200, answer.result)
    except RequestInvalid as exc:
        if key is not None and "session key" in str(exc):
            error = "idempotency_conflict"
            raise _key_reused() from exc
        if key is not None:
            door.requests.release(who.tenant, who.user, key)
        error = "validation"
        return _response(400, _invalid(str(exc)))
    except StoreBusy as exc:
        error = "request_in_progress"
        message = "a request with this idempotency key is still running"
        raise RequestRefused(409, "request_in_progress", message, retry_after_s=2) from exc
    except StoreUnusable:
        error = "upstream_unavailable"
        return _response(200, _UNAVAILABLE)
    finally:
        call.cancel()
        note_request(door, caller, name, caller.request_id, started_ms, sent, error)


def _named(
    door: ChatDoor, caller: Caller, name: str, arguments: Mapping[str, Any], key: str, now_ms: int
) -> KeyedRequest:
    who, asked = caller.principal, sha256_hex(json.dumps([name, dict(arguments)], sort_keys=True).encode())
    found = door.requests.keyed(who.tenant, who.user, key, asked, caller.request_id, now_ms)
    if found is None:
        raise _key_reused()
    return found


def _key_reused() -> RequestRefused:
    message = "the idempotency key was used for another request"
    return RequestRefused(409, "idempotency_conflict", message, param="Idempotency-Key")


_UNAVAILABLE = Failure(
    message="Not available: the request could not be completed.",
    error=ErrorDetail(kind="upstream_unavailable", retryable=True, suggested_action="retry"),
)


def _invalid(message: str) -> Failure:
    detail = ErrorDetail(kind="validation", retryable=False, suggested_action="fix_arguments")
    return Failure(message=f"Invalid request: {message}.", error=detail)


def _response(status: int, output: BaseModel) -> Response:
    body: dict[str, Any] = output.model_dump(mode="json", by_alias=True)
    return Response(json_bytes(body), status, media_type="application/json")


def _may_call(one: AnyCapability, caller: Caller) -> bool:
    return set(one.scopes) <= set(caller.principal.scopes)


def _listed(one: AnyCapability) -> ListedCapability:
    given: Described = one.input.model_json_schema(by_alias=True)
    made: Described = one.output.model_json_schema(by_alias=True)
    return ListedCapability(
        name=one.name, family=one.family, title=one.title, description=one.description, input=given, output=made
    )
