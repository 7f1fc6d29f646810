"""What goes beside the text of a fetched page: made of its reading alone, so that a replay makes the same again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pydantic import TypeAdapter

from ..parsing.fetched import READER_VERSION, FetchedAs, PageReading
from ..parsing.text.text_cuts import cut_bytes, utf8_length
from .citing import cite

__all__ = ["PLAIN_SLACK", "READ_AS", "page_hidden", "page_metadata", "page_plain"]

PLAIN_SLACK: Final = 1_000
"""Bytes of plain text beyond what is shown, so that no directive is cut in two there."""

READ_AS: Final = "read_as"
"""The name under which an item says how its text is derived from the bytes again."""

_NO_HEADER: Final = re.compile(r"[^ -~]")


def page_metadata(about: FetchedAs, read: PageReading, content_type: str) -> tuple[tuple[str, str], ...]:
    """What is known beside the text, by name; everything of it goes before the screen."""
    return tuple(_told(about, read, content_type))


def page_hidden(url: str, read: PageReading) -> tuple[str, ...]:
    """What a reader of the page would not see, for the screen."""
    # A citation turns names round and takes marks out, so what it says is not what the page says: the screen sees both.
    citation = cite(url, 0, title=read.title, author=read.author, site=read.site, date=read.published)
    told = (*citation.formatted.model_dump().values(), *citation.metadata.model_dump().values())
    return (*read.hidden, *(part for part in told if part))


def page_plain(read: PageReading, body: str) -> tuple[str, ...]:
    """What the shown part of a marked text says without its marks, which only make a text longer; for the screen."""
    shown = utf8_length(body)
    plain, _ = cut_bytes(read.plain, shown + shown // 8 + PLAIN_SLACK)
    return (plain,) if plain else ()


def _told(about: FetchedAs, read: PageReading, content_type: str) -> Iterator[tuple[str, str]]:
    singles = {
        "content_type": _NO_HEADER.sub("", content_type)[:200],
        "author": read.author,
        "site": read.site,
        "published": read.published,
        "language": read.language,
        "canonical_url": read.canonical_url,
        "extracted_by": read.extracted_by,
        "extraction_quality": "" if read.quality is None else read.quality.value,
        "source_type": read.kind.source_type.value,
        "authority_tier": read.kind.authority_tier.value,
        "domain_category": read.kind.domain_category.value,
        "detected_doi": read.detected_doi,
        READ_AS: about.model_dump_json(),
        "reader": READER_VERSION,
    }
    yield from ((name, value) for name, value in singles.items() if value)
    if read.forum is not None:
        yield "forum", TypeAdapter(type(read.forum)).dump_json(read.forum).decode()
    yield from (("json_ld", block) for block in read.structured.json_ld)
    yield from read.structured.open_graph
    yield from read.structured.citation
