"""The tool `doc_lookup`: passages of the user's own documents, with exact offsets into the stored text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import quote

from pydantic import Field, ValidationError

from ..kernel.calls import CallContext, ToolCall
from ..kernel.document_index import Collection, DocumentHit, passage_metadata
from ..kernel.errors import ContractViolation, StoreUnusable, ToolUnavailable
from ..kernel.models import FrozenModel, Text
from ..kernel.results import RawItem, RawResult, SourceKind
from ..system.stores.documents.index import IndexReader, open_index_reader
from ..system.stores.documents.index_faults import IndexDamaged
from .doc_config import DocLookupConfig

__all__ = ["DocLookup", "DocLookupConfig", "open_doc_lookup"]

_SPENT_UNITS: Final = 1


class _LookupParams(FrozenModel):
    query: Text
    limit: Annotated[int, Field(ge=1, le=20)] = 5


class DocLookup:
    """The tool as a blocking callable for a worker process; an index is opened when it is first asked for."""

    def __init__(self, config: DocLookupConfig) -> None:
        self._config = config
        self._opened: dict[str, IndexReader] = {}

    def __call__(self, call: ToolCall, context: CallContext) -> RawResult:
        """Look a question up in the session's collection.

        Raises:
            ContractViolation: the plan set parameters that the tool does not take.
            ToolUnavailable: the index is missing, damaged or locked (`unreadable`).
        """
        wish = _wish_of(call)
        place = self._config.place_of(context.tenant, context.collection)
        if place is None:
            raise ToolUnavailable("unreadable", f"there is no collection `{context.collection}`")
        return _within(place.name, self._hits(place, wish), context.max_output_bytes)

    def close(self) -> None:
        """Let go of the indexes; a worker's end does the same."""
        while self._opened:
            self._opened.popitem()[1].close()

    def _hits(self, place: Collection, wish: _LookupParams) -> tuple[DocumentHit, ...]:
        for attempt in (1, 2):
            try:
                reader = self._opened.get(place.state_dir)
                if reader is None:
                    reader = self._opened[place.state_dir] = open_index_reader(Path(place.state_dir))
                return reader.search(wish.query, wish.limit)
            except StoreUnusable as exc:
                # Another process may just have built the index again under a new file: one fresh look.
                stale = self._opened.pop(place.state_dir, None)
                if stale is not None:
                    stale.close()
                if attempt == 2:
                    raise ToolUnavailable("unreadable", _told(exc)) from exc
        raise ToolUnavailable("unreadable")


def open_doc_lookup(config: str) -> DocLookup:
    """The factory that a worker calls once.

    Raises:
        ContractViolation: the configuration is not one.
    """
    try:
        return DocLookup(DocLookupConfig.model_validate_json(config))
    except ValidationError as exc:
        raise ContractViolation("the configuration of doc_lookup is invalid") from exc


def _told(exc: StoreUnusable) -> str:
    """The fault, and what ends it where the next gate on these documents does."""
    return f"{exc}; opening the gate again builds it again" if isinstance(exc, IndexDamaged) else str(exc)


def _wish_of(call: ToolCall) -> _LookupParams:
    try:
        return _LookupParams.model_validate(dict(call.params))
    except ValidationError as exc:
        raise ContractViolation("the parameters of doc_lookup are invalid") from exc


def _item(collection: str, hit: DocumentHit, *, whole: bool) -> RawItem:
    """A passage with what the screen has to see: its edges, and once per document all that the document hides."""
    return RawItem(
        kind=SourceKind.PASSAGE,
        locator=f"doc:{collection}/{quote(hit.path, safe='/')}#{hit.start}-{hit.end}",
        title=hit.title,
        body=hit.text,
        metadata=passage_metadata(hit.heading, hit.columns, hit.path),
        relevance_milli=hit.coverage_milli,
        respelled=hit.respelled,
        content_hash=hit.content_hash,
        text_hash=hit.text_hash,
        start=hit.start,
        end=hit.end,
        hidden=(*(hit.hidden if whole else ()), *(edge for edge in hit.edges if edge not in hit.text)),
        carriers_removed=hit.carriers_removed if whole else 0,
    )


def _within(collection: str, hits: Iterable[DocumentHit], max_output_bytes: int) -> RawResult:
    """The answer with the items that its size allows, best first.

    An item is never without its hidden parts: it is left out whole, and the answer says that it was cut.
    """
    items: list[RawItem] = []
    carried: set[str] = set()  # documents whose hidden parts are in the answer
    truncated = False
    left = max_output_bytes - len(_answer((), truncated=False).model_dump_json())
    for hit in hits:
        item = _item(collection, hit, whole=hit.path not in carried)
        size = len(item.model_dump_json().encode("utf-8")) + 1  # and its comma
        if size > left:
            truncated = True
            continue
        left -= size
        carried.add(hit.path)
        items.append(item)
    return _answer(tuple(items), truncated=truncated)


def _answer(items: tuple[RawItem, ...], *, truncated: bool) -> RawResult:
    if not items:
        return RawResult(status="empty", spent_units=_SPENT_UNITS, truncated=truncated)
    return RawResult(status="ok", items=items, spent_units=_SPENT_UNITS, truncated=truncated)
