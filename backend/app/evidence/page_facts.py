"""What goes beside the text of a fetched page: typed facts, made of its reading alone, so that a replay agrees.

They travel as pairs of plain texts, which the screen reads one by one, and become typed again at the other end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from ..kernel.models import FrozenModel
from ..parsing.fetched import READER_VERSION, FetchedAs, PageReading
from ..parsing.html.source_kind import ForumSignals
from ..parsing.text.text_cuts import cut_bytes, utf8_length
from .citing import cite

__all__ = ["PLAIN_SLACK", "PageFacts", "facts_from_pairs", "facts_of", "page_hidden", "page_plain"]

PLAIN_SLACK: Final = 1_000
"""Bytes of plain text beyond what is shown, so that no directive is cut in two there."""

_NO_HEADER: Final = re.compile(r"[^ -~]")
_FORUM: Final = TypeAdapter[Any](ForumSignals)
_READ_AS: Final = TypeAdapter[Any](FetchedAs)
_OPEN_GRAPH: Final = ("og:", "article:")
_CITATION: Final = "citation_"
_JSON_LD: Final = "json_ld"


class PageFacts(FrozenModel):
    """What is known of a page beside its text; a field that says nothing is empty."""

    content_type: str = ""
    author: str = ""
    site: str = ""
    published: str = ""
    language: str = ""
    canonical_url: str = ""
    extracted_by: str = ""
    extraction_quality: str = ""
    source_type: str = ""
    authority_tier: str = ""
    domain_category: str = ""
    detected_doi: str = ""
    reader: str = ""
    """The version of the readers."""
    read_as: FetchedAs | None = None
    """How the text is derived from the bytes again."""
    forum: ForumSignals | None = None
    json_ld: tuple[str, ...] = ()
    """Each block as the page has it."""
    open_graph: tuple[tuple[str, str], ...] = ()
    citation: tuple[tuple[str, str], ...] = ()

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The facts as pairs of name and text; a nested one has its name before the dot."""
        return tuple(_pairs(self))


def facts_of(about: FetchedAs, read: PageReading, content_type: str) -> PageFacts:
    """The facts of a page that was just read; all of them are screened."""
    return PageFacts(
        content_type=_NO_HEADER.sub("", content_type)[:200],
        author=read.author,
        site=read.site,
        published=read.published,
        language=read.language,
        canonical_url=read.canonical_url,
        extracted_by=read.extracted_by,
        extraction_quality="" if read.quality is None else read.quality.value,
        source_type=read.kind.source_type.value,
        authority_tier=read.kind.authority_tier.value,
        domain_category=read.kind.domain_category.value,
        detected_doi=read.detected_doi,
        reader=READER_VERSION,
        read_as=about,
        forum=read.forum,
        json_ld=read.structured.json_ld,
        open_graph=read.structured.open_graph,
        citation=read.structured.citation,
    )


def facts_from_pairs(pairs: Iterable[tuple[str, str]]) -> PageFacts:
    """The facts that an item carries; names that are not ours are left out."""
    given = tuple(pairs)
    singles = {name: value for name, value in given if name in _SINGLES}
    return PageFacts(
        **singles,
        read_as=_nested(_READ_AS, "read_as", given),
        forum=_nested(_FORUM, "forum", given),
        json_ld=tuple(value for name, value in given if name == _JSON_LD),
        open_graph=tuple(pair for pair in given if pair[0].startswith(_OPEN_GRAPH)),
        citation=tuple(pair for pair in given if pair[0].startswith(_CITATION)),
    )


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


_SINGLES: Final = frozenset(name for name, field in PageFacts.model_fields.items() if field.annotation is str)


def _pairs(facts: PageFacts) -> Iterator[tuple[str, str]]:
    told: Mapping[str, Any] = dict(facts)
    yield from ((name, told[name]) for name in PageFacts.model_fields if name in _SINGLES and told[name])
    for name, adapter, value in (("read_as", _READ_AS, facts.read_as), ("forum", _FORUM, facts.forum)):
        parts = {} if value is None else adapter.dump_python(value, mode="json", exclude_defaults=True)
        yield from ((f"{name}.{part}", _text(said)) for part, said in parts.items())
    yield from ((_JSON_LD, block) for block in facts.json_ld)
    yield from facts.open_graph
    yield from facts.citation


def _text(value: str | int) -> str:
    return value if isinstance(value, str) else str(value).lower()


def _nested(adapter: TypeAdapter[Any], name: str, pairs: tuple[tuple[str, str], ...]) -> Any:
    parts = {key.removeprefix(f"{name}."): value for key, value in pairs if key.startswith(f"{name}.")}
    older = dict(pairs).get(name)  # one JSON text, as it was recorded before
    try:
        if older is not None:
            return adapter.validate_json(older)
        return adapter.validate_strings(parts, strict=False) if parts else None
    except ValidationError:
        return None  # of another version, or not ours
