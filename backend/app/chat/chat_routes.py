"""`POST /v1/chat`: the door's own chat, strict about what it is sent."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import Field

from ..capabilities.answers.research_input import Depth
from ..capabilities.answers.research_models import ResearchConstraints
from ..kernel.canonical import canonical_bytes, sha256_hex
from ..kernel.models import FrozenModel, Identifier, Text
from ..kernel.request import CONTEXT_CHARS_MAX
from .access import Caller, caller_of
from .asking import Conversation, PlacedQuestion
from .auxiliary_prompts import is_auxiliary
from .bodies import read_model
from .dialects.plain_chat import ChatReply, chat_reply, ending_events, progress_event, start_event
from .door import ChatDoor
from .headers import idempotency_key
from .openapi import body_of, refusals, stream_or
from .reply import ChatMode
from .replying import StreamShape, plain_reply, streamed_reply
from .running import ResearchOrder

__all__ = ["ChatMessage", "chat_router"]

_ROUTE = "chat"
_MESSAGE_CHARS = 20_000


class ChatMessage(FrozenModel):
    """One message of a conversation; a field that is not listed is refused."""

    message: Annotated[Text, Field(min_length=1, max_length=_MESSAGE_CHARS)]
    mode: ChatMode = "research"
    conversation_id: Identifier | None = None
    context: Annotated[Text, Field(max_length=CONTEXT_CHARS_MAX)] = ""
    depth: Depth = "balanced"
    constraints: ResearchConstraints | None = None
    stream: bool = False


def chat_router(door: ChatDoor) -> APIRouter:
    """The route."""
    router = APIRouter(tags=["chat"])

    @router.post(
        "/v1/chat",
        summary="Ask a question; answered in research mode from sources, in baseline mode without",
        response_model=ChatReply,
        responses={**stream_or(ChatReply), **refusals(400, 408, 409, 413, 503)},
        openapi_extra=body_of(ChatMessage),
    )
    async def chat(request: Request) -> Response:
        caller = caller_of(request)
        given, sent = await read_model(request, ChatMessage)
        key = idempotency_key(request)
        name = given.conversation_id or _new_conversation(door, caller, key)
        order = ResearchOrder(given.message, given.context or None, given.depth, given.constraints)
        place = Conversation(name, key, auxiliary=is_auxiliary(given.message))
        asked = PlacedQuestion.begin(door, caller, given.mode, order, place)
        if not given.stream:
            return await plain_reply(
                request, asked, lambda reply: chat_reply(reply, name).model_dump(mode="json"), _ROUTE, sent
            )
        shape = StreamShape(
            events=lambda reply: ending_events(reply, name),
            begin=lambda: (start_event(asked.request_id, name),),
            step=progress_event,
            failed=lambda body: (b"event: error\ndata: " + body + b"\n\n",),
        )
        return await streamed_reply(request, asked, shape, _ROUTE, sent)

    return router


def _new_conversation(door: ChatDoor, caller: Caller, key: str | None) -> str:
    """The id of a conversation that begins; a request that is sent twice with one key begins the same one."""
    if key is None:
        return door.ids.session_id()
    return sha256_hex(canonical_bytes([caller.principal.tenant, caller.principal.user, key]))[:32]
