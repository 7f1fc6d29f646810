"""The dialect of `POST /v1/chat/completions`, plain and streamed, with the citations where clients look for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...kernel.canonical import JsonValue
from ..reply import CHARS_PER_TOKEN, Reply, ReplySource, marker_spans, sources_block, text_pieces
from .server_sent import DONE, data_line

__all__ = ["completion_chunks", "completion_object", "search_results", "usage_tokens"]

_OBJECT: Final = "chat.completion"


def completion_object(reply: Reply, model: str, *, with_block: bool) -> dict[str, JsonValue]:
    """The whole reply as one object."""
    content = reply.text + (sources_block(reply.sources) if with_block else "")
    message: dict[str, Any] = {
        "role": "assistant",
        "refusal": None,
        "content": content,
        "annotations": _annotations(reply),
    }
    choice: dict[str, Any] = {"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}
    prompt, completion = usage_tokens(reply, content)
    return {
        **_head(reply, model, _OBJECT),
        "choices": [choice],
        "usage": _usage(prompt, completion),
        **_citations(reply),
    }


def completion_chunks(
    reply: Reply, model: str, *, with_block: bool, with_usage: bool, with_annotations: bool = True
) -> Iterator[bytes]:
    """The reply as chunks: its citations first and last, an annotation per source, then the text."""
    head = _head(reply, model, f"{_OBJECT}.chunk")

    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        return data_line({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more})

    block = sources_block(reply.sources) if with_block else ""
    yield chunk({"role": "assistant", "content": ""}, **_citations(reply))
    for annotation in _annotations(reply) if with_annotations else ():
        yield chunk({"annotations": [annotation]})
    for piece in filter(None, (*text_pieces(reply.text), block)):
        yield chunk({"content": piece})
    yield chunk({}, "stop", **_citations(reply))
    if with_usage:
        prompt, completion = usage_tokens(reply, reply.text + block)
        yield data_line({**head, "choices": [], "usage": _usage(prompt, completion)})
    yield DONE


def search_results(sources: tuple[ReplySource, ...]) -> list[JsonValue]:
    """Each source with its excerpt, and where that stands in the text that was read."""
    return [
        {
            "title": source.title,
            "url": source.url,
            "date": None,
            "snippet": source.excerpt,
            "evidence": _evidence(source),
        }
        for source in sources
    ]


def _evidence(source: ReplySource) -> dict[str, JsonValue] | None:
    """What was read and where in it; the locator is also there where the address is a page of this server."""
    place = source.evidence
    return None if place is None else {"locator": source.locator, **place.model_dump(mode="json")}


def usage_tokens(reply: Reply, content: str) -> tuple[int, int]:
    """What was asked and what was answered, four characters to the token."""
    return -(-reply.asked_chars // CHARS_PER_TOKEN), -(-len(content) // CHARS_PER_TOKEN)


def _head(reply: Reply, model: str, kind: str) -> dict[str, JsonValue]:
    return {"id": f"chatcmpl-{reply.request_id}", "object": kind, "created": reply.created_s, "model": model}


def _citations(reply: Reply) -> dict[str, Any]:
    return {
        "citations": [source.url for source in reply.sources],
        "search_results": search_results(reply.sources),
    }


def _annotations(reply: Reply) -> list[JsonValue]:
    return [
        {
            "type": "url_citation",
            "url_citation": {"start_index": start, "end_index": end, "url": source.url, "title": source.title},
        }
        for source, start, end in marker_spans(reply.text, reply.sources)
    ]


def _usage(prompt: int, completion: int) -> dict[str, JsonValue]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
