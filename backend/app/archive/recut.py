"""Sources of a past session, cut again from the content store; each must come out under the id that is on record."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import ValidationError

from ..kernel.canonical import JsonValue, digest_of, sha256_hex
from ..kernel.errors import ContractViolation, StoreUnusable
from ..kernel.journal_records import Called, Closed, Line, ending_of
from ..kernel.models import Digest, FrozenModel, Text
from ..kernel.results import TRUST_MARKER, RawItem, RawResult, Source
from ..screen.carriers import strip_carriers

__all__ = ["RecutSource", "recut_sources", "sources_of_record"]

Get = Callable[[str], bytes | None]


class RecutSource(FrozenModel):
    """One source by the id that the journal names; its text where the store still gives it to the byte."""

    source_id: Digest
    call_id: str
    tool: str
    withheld: bool
    """Whether it was accepted and then kept back, because the session was stopped (R8)."""
    why_not: str = ""
    """Why it cannot be cut again; empty where it came out as recorded."""
    kind: str = ""
    locator: Text = ""
    title: Text = ""
    text: Text = ""
    heading: Text = ""
    content_hash: str = ""
    text_hash: str = ""
    start: int = 0
    end: int = 0


def recut_sources(lines: Sequence[Line], get: Get) -> tuple[RecutSource, ...]:
    """The sources of a session in the order of its record, those that were withheld included."""
    end = ending_of(lines)
    given = end.sources if isinstance(end, Closed) else ()
    found: dict[str, RecutSource] = {}
    for line in lines:
        called = line.record
        if not isinstance(called, Called) or not called.sources:
            continue
        items, why_not = _items(called, get)
        by_id = {_source_id(item): item for item in items}
        for source_id in called.sources:
            item = by_id.get(source_id)
            if item is None:
                told = _unfound(called, source_id, why_not or "the stored answer gives another text", given)
            else:
                told = _recut(called, source_id, item, given)
            found.setdefault(source_id, told)
    ordered = [found[source_id] for source_id in given if source_id in found]
    return (*ordered, *(one for one in found.values() if one.source_id not in given))


def sources_of_record(lines: Sequence[Line], get: Get) -> tuple[Source, ...] | None:
    """The sources that a session gave out, in their order and as they were; None where one cannot be cut again."""
    end = ending_of(lines)
    found: dict[str, Source] = {}
    for line in lines:
        called = line.record
        if isinstance(called, Called) and called.sources:
            by_id = {_source_id(item): item for item in _items(called, get)[0]}
            found |= {
                source_id: _source(source_id, called, by_id[source_id])
                for source_id in called.sources
                if source_id in by_id and source_id not in found
            }
    if not isinstance(end, Closed) or any(source_id not in found for source_id in end.sources):
        return None
    return tuple(found[source_id] for source_id in end.sources)


def _source(source_id: str, called: Called, item: RawItem) -> Source:
    told = {name: value for name, value in item if name in Source.model_fields}
    return Source.model_validate(
        {
            **told,
            "source_id": source_id,
            "call_id": called.outcome.call_id,
            "tool": called.outcome.tool,
            "locator": strip_carriers(item.locator).text,
            "title": strip_carriers(item.title).text,
            "text": _text_of(item),
            "metadata": tuple((strip_carriers(name).text, strip_carriers(value).text) for name, value in item.metadata),
            "trust": TRUST_MARKER,
        }
    )


def _items(called: Called, get: Get) -> tuple[tuple[RawItem, ...], str]:
    digest = called.input.raw
    if digest is None:
        return (), "the call has no stored answer"
    try:
        stored = get(digest)
        if stored is None:
            return (), f"object {digest[:12]} is erased or missing"
        return RawResult.model_validate_json(stored).items, ""
    except StoreUnusable as exc:
        return (), str(exc)
    except ValidationError:
        return (), f"object {digest[:12]} cannot be read by this version"


def _text_of(item: RawItem) -> str:
    body = item.body if item.verbatim else strip_carriers(item.body).text
    return body or strip_carriers(item.snippet).text


def _source_id(item: RawItem) -> str:
    """What the validator named a source by: what it says, and where that stands."""
    metadata: list[JsonValue] = [
        [strip_carriers(name).text, strip_carriers(value).text] for name, value in item.metadata
    ]
    try:
        return digest_of(
            {
                "kind": item.kind.value,
                "payload": item.payload,
                "locator": strip_carriers(item.locator).text,
                "title": strip_carriers(item.title).text,
                "text": sha256_hex(_text_of(item).encode()),
                "metadata": metadata,
                "content_hash": item.content_hash,
                "text_hash": item.text_hash,
                "start": item.start,
                "end": item.end,
            }
        )
    except ContractViolation:
        return ""


def _unfound(called: Called, source_id: str, why_not: str, given: Sequence[str]) -> RecutSource:
    return RecutSource(
        source_id=source_id,
        call_id=called.outcome.call_id,
        tool=called.outcome.tool,
        withheld=source_id not in given,
        why_not=why_not,
    )


def _recut(called: Called, source_id: str, item: RawItem, given: Sequence[str]) -> RecutSource:
    return RecutSource(
        source_id=source_id,
        call_id=called.outcome.call_id,
        tool=called.outcome.tool,
        withheld=source_id not in given,
        kind=item.kind.value,
        locator=strip_carriers(item.locator).text,
        title=strip_carriers(item.title).text,
        text=_text_of(item),
        heading=strip_carriers(dict(item.metadata).get("heading", "")).text,
        content_hash=item.content_hash,
        text_hash=item.text_hash,
        start=item.start,
        end=item.end,
    )
