"""The code of providers, found by their names in the catalogue, and the one function that reads all their answers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Final, cast

from pydantic import Field, TypeAdapter

from ..kernel.models import FrozenModel, Text
from ..kernel.providers import (
    Fault,
    HttpAnswer,
    KindName,
    Parsed,
    Provider,
    ProviderError,
    ProviderName,
    ProviderTable,
    ServiceAnswer,
    ServiceHit,
)
from ..parsing.text.clean_text import cleaned, without_controls

__all__ = [
    "ANSWERS",
    "ANSWER_PARSER",
    "AnswerAbout",
    "load_provider",
    "provider_modules",
    "read_answer",
    "read_answer_with",
]

# Under whatever name the package was imported.
_ROOM: Final = f"{__package__.rpartition('.')[0]}.providers"

ANSWERS: Final = TypeAdapter[ServiceAnswer](Annotated[ServiceAnswer, Field(union_mode="left_to_right")])
"""What `read_answer` may say."""

ANSWER_PARSER: Final = f"{__package__}.provider_code:read_answer"
"""The one function that a confined process runs for all providers."""


class AnswerAbout(FrozenModel):
    """What is known about a body: whose answer to what it is, and what its server said of it."""

    provider: ProviderName
    kind: KindName
    status: int = 200
    url: Text = ""
    headers: tuple[tuple[Text, Text], ...] = ()


def load_provider(name: str) -> Provider:
    """The module of a provider; its name stands in the catalogue, and nothing else is ever passed here.

    Raises:
        ImportError: there is no such file, or in a confined process: it was not loaded in time.
    """
    return cast(Provider, import_module(f"{_ROOM}.{name}"))


def provider_modules(table: ProviderTable) -> tuple[str, ...]:
    """What a confined process has to load before it closes its import system."""
    return tuple(f"{_ROOM}.{entry.name}" for entry in table.providers)


def read_answer(data: bytes, about: str) -> ServiceAnswer:
    """What a provider's parser makes of a body; `about` is an `AnswerAbout` as JSON, for a confined process.

    Raises:
        ValueError: `about` is not valid.
    """
    return read_answer_with(load_provider, data, about)


def read_answer_with(load: Callable[[str], Provider], data: bytes, about: str) -> ServiceAnswer:
    """The same with another way to the code; texts come out without carriers, and those are counted."""
    if not about:  # how a process asks every parser once, before its doors close
        return ProviderError(fault=Fault.UNREADABLE)
    known = AnswerAbout.model_validate_json(about)
    answer = HttpAnswer(status=known.status, url=known.url, headers=known.headers, body=data)
    said = load(known.provider).parse(known.kind, answer)
    if isinstance(said, ProviderError):
        return said
    hits = tuple(map(_clean, said.hits))
    return Parsed(hits=hits, total=said.total, next_page=said.next_page, follow_up=said.follow_up)


def _clean(hit: ServiceHit) -> ServiceHit:
    texts = (hit.title, hit.text, *(value for _, value in hit.metadata))
    title, text, *values = (cleaned(part) for part in texts)
    stripped = (title, text, *values)
    return ServiceHit(
        locator=hit.locator,
        title=title.text,
        text=text.text,
        metadata=tuple((name, value.text) for (name, _), value in zip(hit.metadata, values, strict=True)),
        hidden=tuple(without_controls(was) for was, now in zip(texts, stripped, strict=True) if now.removed),
        carriers_removed=sum(part.removed for part in stripped),
    )
