"""Events that Open WebUI shows beside an answer; other clients do not understand them, so a key has to ask for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..reply import Reply
from .server_sent import data_line

__all__ = ["source_events", "status_event"]


def status_event(text: str, *, done: bool) -> bytes:
    """A line of progress."""
    return data_line({"event": {"type": "status", "data": {"description": text, "done": done, "hidden": False}}})


def source_events(reply: Reply) -> Iterator[bytes]:
    """Each source with its excerpt, word for word."""
    for source in reply.sources:
        told: dict[str, Any] = {
            "source": {"name": source.title, "url": source.url},
            "document": [source.excerpt],
            "metadata": [{"source": source.url, "name": source.title}],
        }
        yield data_line({"event": {"type": "source", "data": told}})
