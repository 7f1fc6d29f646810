"""The tool `recall`: sources that earlier turns of the same conversation showed, read from their record (R35)."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field, ValidationError

from ..kernel.calls import CallContext, ToolCall
from ..kernel.conversation import NAMED_SOURCES_MAX, ConversationId, SourceOfTurn
from ..kernel.errors import ContractViolation, StoreUnusable, ToolUnavailable
from ..kernel.models import FrozenModel
from ..kernel.ports import EarlierSources
from ..kernel.results import RawItem, RawResult, SourceKind

__all__ = ["Recall"]

_SPENT_UNITS: Final = 1
_DOCUMENT: Final = "doc:"


class _RecallParams(FrozenModel):
    conversation: ConversationId
    sources: Annotated[tuple[tuple[int, int], ...], Field(min_length=1, max_length=NAMED_SOURCES_MAX)]


class Recall:
    """The tool in the host's loop: it reads a few local records and waits for nobody."""

    def __init__(self, earlier: EarlierSources) -> None:
        self._earlier = earlier

    async def call(self, call: ToolCall, context: CallContext) -> RawResult:
        """Give the named sources again, as passages.

        Raises:
            ContractViolation: the plan set parameters that the tool does not take.
            ToolUnavailable: a record cannot be read.
        """
        try:
            wish = _RecallParams.model_validate(dict(call.params))
            named = [SourceOfTurn(turn=turn, number=number) for turn, number in wish.sources]
        except ValidationError as exc:
            raise ContractViolation("the parameters of recall are invalid") from exc
        items: list[RawItem] = []
        truncated = False
        left = context.max_output_bytes - len(RawResult(status="empty").model_dump_json())
        for one in dict.fromkeys(named):
            try:
                found = self._earlier.find(context.tenant, context.user, wish.conversation, one)
            except StoreUnusable as exc:
                raise ToolUnavailable("unreadable", "the record of an earlier turn cannot be read") from exc
            if found is None or not _granted(found.locator, context.collection):
                continue
            item = RawItem.model_validate({**dict(found), "kind": SourceKind.PASSAGE, "requested": "", "respelled": ()})
            size = len(item.model_dump_json().encode()) + 1
            if size > left:
                truncated = True
                continue
            left -= size
            items.append(item)
        if not items:
            return RawResult(status="empty", spent_units=_SPENT_UNITS, truncated=truncated)
        return RawResult(status="ok", items=tuple(items), spent_units=_SPENT_UNITS, truncated=truncated)


def _granted(locator: str, collection: str | None) -> bool:
    """Collections are checked again: a document of one that is not granted now is not there."""
    return not locator.startswith(_DOCUMENT) or (
        collection is not None and locator.startswith(f"{_DOCUMENT}{collection}/")
    )
