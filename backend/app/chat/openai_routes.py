"""The routes that OpenAI's clients know: models, chat completions and responses; unknown fields are ignored there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import ValidationError

from ..capabilities.answers.research_input import Depth
from ..kernel.faults import first_fault
from ..kernel.models import FrozenModel
from .access import Caller, caller_of, own_address
from .asking import Conversation, PlacedQuestion, constraints_for
from .auxiliary_prompts import is_auxiliary
from .bodies import read_model
from .dialects.chat_completions import completion_chunks, completion_object
from .dialects.open_webui import source_events, status_event
from .dialects.openai_requests import CompletionRequest, ResponseRequest, SearchWish, SpokenTurn
from .dialects.responses_api import response_events, response_object
from .door import ChatDoor
from .headers import conversation_named, idempotency_key
from .openapi import SENT_EVENT, body_of, refusals
from .refusals import RequestRefused
from .reply import ChatMode, Reply, with_links
from .replying import StreamShape, plain_reply, streamed_reply
from .running import ResearchOrder

__all__ = ["MODELS", "openai_router"]

MODELS: dict[str, ChatMode] = {"portcullis-research": "research", "portcullis-baseline": "baseline"}
_NAMES = {"portcullis-research": "Portcullis research", "portcullis-baseline": "Portcullis baseline"}
_CREATED_S = 1_760_000_000
_SIZES: dict[str, Depth] = {"low": "shallow", "medium": "balanced", "high": "deep"}


class ListedModel(FrozenModel):
    """A way to be answered, as clients list it."""

    id: str
    object: str = "model"
    created: int = _CREATED_S
    owned_by: str = "portcullis"
    name: str


class ModelList(FrozenModel):
    """Every model there is."""

    object: str = "list"
    data: tuple[ListedModel, ...]


def openai_router(door: ChatDoor) -> APIRouter:
    """The routes."""
    router = APIRouter(tags=["openai"])

    @router.get("/v1/models", summary="The two models", responses=refusals())
    async def models(request: Request) -> ModelList:
        caller_of(request)
        return ModelList(data=tuple(_model(name) for name in MODELS))

    @router.get("/v1/models/{model}", summary="One model", responses=refusals(404))
    async def model(request: Request, model: str) -> ListedModel:
        caller_of(request)
        _mode_of(model)
        return _model(model)

    @router.post(
        "/v1/chat/completions",
        summary="Chat completions, plain and streamed",
        response_class=Response,
        responses={**_SHAPES, **refusals(400, 404, 408, 409, 413, 503)},
        openapi_extra=body_of(CompletionRequest),
    )
    async def completions(request: Request) -> Response:
        caller = caller_of(request)
        given, sent = await read_model(request, CompletionRequest)
        mode = _mode_of(given.model)
        asked = _begun(door, caller, request, mode, given)
        block = caller.sources_block if given.sources_block is None else given.sources_block
        base = own_address(request.scope, door.reach)
        if given.stream:
            shape = _completion_stream(caller, given, block, base)
            return await streamed_reply(request, asked, shape, "chat.completions", sent)

        def whole(reply: Reply) -> dict[str, Any]:
            return completion_object(with_links(reply, base), given.model, with_block=block)

        return await plain_reply(request, asked, whole, "chat.completions", sent)

    @router.post(
        "/v1/responses",
        summary="Responses, plain and streamed",
        response_class=Response,
        responses={**_SHAPES, **refusals(400, 404, 408, 409, 413, 503)},
        openapi_extra=body_of(ResponseRequest),
    )
    async def responses(request: Request) -> Response:
        caller = caller_of(request)
        given, sent = await read_model(request, ResponseRequest)
        mode = _mode_of(given.model)
        asked = _begun(door, caller, request, mode, given)
        block = caller.sources_block if given.sources_block is None else given.sources_block
        base = own_address(request.scope, door.reach)
        if given.stream:
            shape = StreamShape(
                events=lambda reply: response_events(with_links(reply, base), given.model, with_block=block)
            )
            return await streamed_reply(request, asked, shape, "responses", sent)

        def whole(reply: Reply) -> dict[str, Any]:
            return response_object(with_links(reply, base), given.model, with_block=block)

        return await plain_reply(request, asked, whole, "responses", sent)

    return router


_SHAPES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "the reply, or with `stream` its events",
        "content": {"application/json": {"schema": {"type": "object"}}, "text/event-stream": {"schema": SENT_EVENT}},
    }
}


def _completion_stream(caller: Caller, given: CompletionRequest, block: bool, base: str) -> StreamShape:
    with_usage = given.stream_options is not None and given.stream_options.include_usage is True
    theirs = caller.dialect == "openwebui"

    def chunks(reply: Reply) -> Iterator[bytes]:
        return completion_chunks(
            reply, given.model, with_block=block, with_usage=with_usage, with_annotations=not theirs
        )

    if not theirs:
        return StreamShape(events=lambda reply: chunks(with_links(reply, base)))
    return StreamShape(
        events=lambda reply: (
            status_event("done", done=True),
            *source_events(with_links(reply, base)),
            *chunks(with_links(reply, base)),
        ),
        step=lambda step, round_: status_event(f"step {step}", done=False),
    )


def _begun(
    door: ChatDoor, caller: Caller, request: Request, mode: ChatMode, given: CompletionRequest | ResponseRequest
) -> PlacedQuestion:
    """Ask the last message of the user, and nothing before it."""
    turns, wish = given.turns(), given.search_wish()
    asked_in = "messages" if isinstance(given, CompletionRequest) else "input"
    question = next((turn.text for turn in reversed(turns) if turn.role == "user"), "")
    if not question.strip():
        raise RequestRefused(400, "invalid_request_error", "there is no message of the user", param=asked_in)
    depth = _SIZES.get(wish.size or "medium", "balanced")
    order = ResearchOrder(question, None, depth, _constraints(depth, wish))
    place = Conversation(
        name=conversation_named(request, given.conversation_id),
        key=idempotency_key(request),
        told_clarify=_told_clarify(door, turns),
        auxiliary=is_auxiliary(question, given.system_text()),
        asked_in=asked_in,
    )
    return PlacedQuestion.begin(door, caller, mode, order, place)


def _constraints(depth: Depth, wish: SearchWish) -> Any:
    try:
        return constraints_for(depth, " ".join(wish.domains) if wish.domains else None)
    except ValidationError as exc:
        message = f"the domains to search {first_fault(exc)[1]}"
        raise RequestRefused(400, "invalid_request_error", message, param="search_domain_filter") from exc


def _told_clarify(door: ChatDoor, turns: tuple[SpokenTurn, ...]) -> bool:
    """R6, as far as messages can tell: the last answer was the fixed text that asks to clarify."""
    last = next((turn.text for turn in reversed(turns) if turn.role == "assistant"), "")
    return last.strip() == door.texts.ASK_CLARIFY


def _mode_of(model: str) -> ChatMode:
    mode = MODELS.get(model)
    if mode is None:
        message = f"there is no such model; the models are {', '.join(MODELS)}"
        raise RequestRefused(404, "model_not_found", message, param="model")
    return mode


def _model(name: str) -> ListedModel:
    return ListedModel(id=name, name=_NAMES[name])
