"""The door's own dialect of `POST /v1/chat`: one object, or the events start, progress, sources, text and end."""

from __future__ import annotations

from collections.abc import Iterator

from ...kernel.models import FrozenModel
from ...kernel.stops import Action
from ..reply import ChatMode, Reply, ReplySource, text_pieces
from .server_sent import named_event

__all__ = ["ChatReply", "ChatSource", "chat_reply", "ending_events", "progress_event", "start_event"]


class ChatSource(FrozenModel):
    """A source as a person may see it."""

    number: int
    title: str
    url: str
    excerpt: str


class ChatReply(FrozenModel):
    """The reply to one message."""

    id: str
    conversation_id: str
    mode: ChatMode
    action: Action
    text: str
    sources: tuple[ChatSource, ...]


def chat_reply(reply: Reply, conversation: str) -> ChatReply:
    """The whole reply as one object."""
    return ChatReply(
        id=reply.request_id,
        conversation_id=conversation,
        mode=reply.mode,
        action=reply.action,
        text=reply.text,
        sources=tuple(_source(source) for source in reply.sources),
    )


def start_event(request_id: str, conversation: str) -> bytes:
    """Under which id the request can be finished or cancelled."""
    return named_event("start", {"id": request_id, "conversation_id": conversation})


def progress_event(step: int, round_: int) -> bytes:
    """How far it is, in numbers that name neither tools nor limits."""
    return named_event("progress", {"step": step, "round": round_})


def ending_events(reply: Reply, conversation: str) -> Iterator[bytes]:
    """The sources, the text in pieces, and the end with the action."""
    yield named_event("sources", {"sources": [_source(source).model_dump(mode="json") for source in reply.sources]})
    for piece in text_pieces(reply.text):
        yield named_event("text", {"text": piece})
    ended = {"id": reply.request_id, "conversation_id": conversation, "mode": reply.mode, "action": reply.action.value}
    yield named_event("end", ended)


def _source(source: ReplySource) -> ChatSource:
    return ChatSource(number=source.number, title=source.title, url=source.url, excerpt=source.excerpt)
