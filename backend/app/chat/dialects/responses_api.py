"""The dialect of `POST /v1/responses`, plain and streamed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...kernel.canonical import JsonValue
from ..reply import Reply, marker_spans, sources_block, text_pieces
from .chat_completions import usage_tokens
from .server_sent import named_event

__all__ = ["response_events", "response_object"]


def response_object(reply: Reply, model: str, *, with_block: bool) -> dict[str, JsonValue]:
    """The whole reply as one object."""
    text = reply.text + (sources_block(reply.sources) if with_block else "")
    prompt, completion = usage_tokens(reply, text)
    usage: dict[str, JsonValue] = {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompt + completion,
    }
    return {**_head(reply, model), "status": "completed", "output": [_item(reply, text)], "usage": usage}


def response_events(reply: Reply, model: str, *, with_block: bool) -> Iterator[bytes]:
    """The reply as numbered events."""
    block = sources_block(reply.sources) if with_block else ""
    whole = reply.text + block
    events = _events(reply, model, whole, tuple(filter(None, (*text_pieces(reply.text), block))), with_block=with_block)
    for number, event in enumerate(events):
        yield named_event(str(event["type"]), {**event, "sequence_number": number})


def _events(
    reply: Reply, model: str, whole: str, pieces: tuple[str, ...], *, with_block: bool
) -> Iterator[dict[str, JsonValue]]:
    item_id = _item_id(reply)
    place: dict[str, JsonValue] = {"item_id": item_id, "output_index": 0, "content_index": 0}
    begun: dict[str, JsonValue] = {**_head(reply, model), "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    opened: dict[str, JsonValue] = {**_item(reply, ""), "status": "in_progress", "content": []}
    yield {"type": "response.output_item.added", "output_index": 0, "item": opened}
    yield {"type": "response.content_part.added", **place, "part": _part("", [])}
    for piece in pieces:
        yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
    for number, annotation in enumerate(_annotations(reply)):
        yield {
            "type": "response.output_text.annotation.added",
            **place,
            "annotation_index": number,
            "annotation": annotation,
        }
    yield {"type": "response.output_text.done", **place, "text": whole, "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": _part(whole, _annotations(reply))}
    yield {"type": "response.output_item.done", "output_index": 0, "item": _item(reply, whole)}
    yield {"type": "response.completed", "response": response_object(reply, model, with_block=with_block)}


def _head(reply: Reply, model: str) -> dict[str, JsonValue]:
    return {
        "id": f"resp_{reply.request_id}",
        "object": "response",
        "created_at": reply.created_s,
        "model": model,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": False,
        "tool_choice": "none",
        "tools": [],
    }


def _item_id(reply: Reply) -> str:
    return f"msg_{reply.request_id}"


def _item(reply: Reply, text: str) -> dict[str, Any]:
    return {
        "id": _item_id(reply),
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [_part(text, _annotations(reply))],
    }


def _part(text: str, annotations: list[JsonValue]) -> dict[str, JsonValue]:
    return {"type": "output_text", "text": text, "logprobs": [], "annotations": annotations}


def _annotations(reply: Reply) -> list[JsonValue]:
    return [
        {"type": "url_citation", "start_index": start, "end_index": end, "url": source.url, "title": source.title}
        for source, start, end in marker_spans(reply.text, reply.sources)
    ]
