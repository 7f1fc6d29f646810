"""The pieces of the OpenAPI document that FastAPI cannot read off our routes: bodies, streams, refusals, outputs."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from .refusals import ErrorObject

__all__ = ["SENT_EVENT", "Described", "DescribedApp", "body_of", "reference", "refusals", "stream_or"]

_REF: Final = "#/components/schemas/{model}"
Described = dict[str, Any]
_TEXTS: Final = {
    400: "something in the request is wrong",
    401: "no valid key",
    403: "the key lacks a scope",
    404: "there is no such thing for this key",
    408: "the body came too slowly",
    409: "the idempotency key belongs to another request, or to one that is still running",
    413: "the body is too long",
    429: "more requests than the limit of the key",
    503: "as much work is under way as the server takes on",
}
SENT_EVENT: Final[Described] = {
    "type": "object",
    "properties": {"event": {"type": "string"}, "data": {"type": "string"}},
    "required": ["data"],
}
"""One event of a stream."""
_ALWAYS: Final = (401, 403, 429)


def reference(model: type[BaseModel]) -> Described:
    """A schema by its name in the document."""
    return {"$ref": _REF.format(model=model.__name__)}


def body_of(model: type[BaseModel], *, required: bool = True) -> Described:
    """The body that a route reads by itself."""
    return {"requestBody": {"required": required, "content": {"application/json": {"schema": reference(model)}}}}


def stream_or(model: type[BaseModel]) -> dict[int | str, Described]:
    """A route that sends one object, or server-sent events."""
    content = {"application/json": {"schema": reference(model)}, "text/event-stream": {"schema": SENT_EVENT}}
    return {200: {"description": "the reply", "content": content}}


def refusals(*statuses: int) -> dict[int | str, Described]:
    """The refusals of a route, beside those that every route with a key has."""
    return {status: {"model": ErrorObject, "description": _TEXTS[status]} for status in sorted({*statuses, *_ALWAYS})}


class DescribedApp(FastAPI):
    """An app that describes itself with the schemas of `models` as well, and with its keys."""

    models: tuple[type[BaseModel], ...] = ()

    def openapi(self) -> Described:
        """The document, made once."""
        if self.openapi_schema is None:
            made: Described = get_openapi(title=self.title, version=self.version, routes=self.routes)
            parts = made.setdefault("components", {})
            named: Described = parts.setdefault("schemas", {})
            for model in self.models:
                schema = model.model_json_schema(ref_template=_REF)
                named.update(schema.pop("$defs", {}))
                named[model.__name__] = schema
            for unused in ("HTTPValidationError", "ValidationError"):
                named.pop(unused, None)
            parts["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
            made["security"] = [{"key": []}]
            self.openapi_schema = made
        return self.openapi_schema
