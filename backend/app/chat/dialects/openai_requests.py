"""What OpenAI's clients send, as far as it is read here; every other field is accepted and ignored."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ...kernel.models import Text

__all__ = ["CompletionRequest", "ResponseRequest", "SearchWish", "SpokenTurn"]


class LenientModel(BaseModel):
    """A value of somebody else's protocol: frozen, and open to fields that we do not know."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class TextPart(LenientModel):
    """One part of a message; only text is read."""

    type: Text = ""
    text: Text | None = None


class ChatTurn(LenientModel):
    """One message."""

    role: Text
    content: Text | Annotated[tuple[TextPart, ...], Field(fail_fast=True)] | None = None


class InputItem(LenientModel):
    """One item of the input of a response. Agents also send back what they got: calls, their outputs, reasoning,
    references. None of these is a message, so whatever they hold is let be."""

    role: Text | None = None
    content: JsonValue = None

    def text(self) -> str:
        """What the item says, where it says something."""
        parts = [self.content] if isinstance(self.content, str) else self.content
        if not isinstance(parts, list):
            return ""
        said = [part.get("text") if isinstance(part, dict) else part for part in parts]
        return "\n".join(text for text in said if isinstance(text, str))


class WebSearchOptions(LenientModel):
    """How much to search."""

    search_context_size: Literal["low", "medium", "high"] | None = None


class StreamOptions(LenientModel):
    """What a stream should hold."""

    include_usage: bool | None = None


class SpokenTurn(LenientModel):
    """Who said what, whatever the protocol."""

    role: str
    text: str


class SearchWish(LenientModel):
    """How much and where to search, whatever the protocol."""

    size: Literal["low", "medium", "high"] | None = None
    domains: tuple[str, ...] = ()


Domains = Annotated[tuple[Text, ...], Field(max_length=50, fail_fast=True)]


class CompletionRequest(LenientModel):
    """The body of `POST /v1/chat/completions`."""

    model: Text
    messages: Annotated[tuple[ChatTurn, ...], Field(min_length=1, max_length=2_000, fail_fast=True)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    web_search_options: WebSearchOptions | None = None
    search_domain_filter: Domains | None = None
    conversation_id: Text | None = None
    """Ours: the conversation that the question belongs to."""
    sources_block: bool | None = None
    """Ours: whether the text ends with a list of its sources."""

    def turns(self) -> tuple[SpokenTurn, ...]:
        """The messages as text."""
        return tuple(SpokenTurn(role=one.role, text=_text_of(one.content)) for one in self.messages)

    def system_text(self) -> str:
        """What stands above the conversation."""
        return _system_text(self.turns())

    def search_wish(self) -> SearchWish:
        """How much and where to search."""
        size = None if self.web_search_options is None else self.web_search_options.search_context_size
        return SearchWish(size=size, domains=self.search_domain_filter or ())


class ToolFilters(LenientModel):
    """Where a search tool may look."""

    allowed_domains: Domains | None = None


class OfferedTool(LenientModel):
    """A tool that a client offers. None is ever called; a search tool's settings are read as wishes."""

    type: Text = ""
    search_context_size: Literal["low", "medium", "high"] | None = None
    filters: ToolFilters | None = None


class ResponseRequest(LenientModel):
    """The body of `POST /v1/responses`."""

    model: Text
    input: Text | Annotated[tuple[InputItem, ...], Field(min_length=1, max_length=2_000, fail_fast=True)]
    instructions: JsonValue = None
    stream: bool | None = None
    tools: Annotated[tuple[OfferedTool, ...], Field(max_length=200, fail_fast=True)] | None = None
    search_domain_filter: Domains | None = None
    conversation_id: Text | None = None
    """Ours: the conversation that the question belongs to."""
    sources_block: bool | None = None
    """Ours: whether the text ends with a list of its sources."""

    def turns(self) -> tuple[SpokenTurn, ...]:
        """The messages as text."""
        if isinstance(self.input, str):
            return (SpokenTurn(role="user", text=self.input),)
        return tuple(SpokenTurn(role=one.role or "", text=_text_of(one.text())) for one in self.input)

    def system_text(self) -> str:
        """What stands above the conversation."""
        return self.instructions if isinstance(self.instructions, str) else _system_text(self.turns())

    def search_wish(self) -> SearchWish:
        """How much and where to search."""
        search = next((one for one in self.tools or () if one.type.startswith("web_search")), OfferedTool())
        allowed = None if search.filters is None else search.filters.allowed_domains
        return SearchWish(size=search.search_context_size, domains=self.search_domain_filter or allowed or ())


def _system_text(turns: tuple[SpokenTurn, ...]) -> str:
    return next((turn.text for turn in turns if turn.role in ("system", "developer")), "")


def _text_of(content: str | tuple[TextPart, ...] | None) -> str:
    """The text of a message; parts that are none are left out, and lines end as they do here."""
    if isinstance(content, str):
        text = content
    else:
        text = "\n".join(part.text for part in content or () if part.text is not None)
    return text.replace("\r\n", "\n").replace("\r", "\n")
