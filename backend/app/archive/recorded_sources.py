"""What earlier turns of a conversation rested on, found by number in the record of their sessions (R35)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from ..kernel.capability import AnyCapability
from ..kernel.conversation import SourceOfTurn, turn_key
from ..kernel.errors import ContractViolation, RequestInvalid
from ..kernel.journal_records import Called, Closed, Line, Opened
from ..kernel.outcome import ResearchOutcome
from ..kernel.ports import ContentStore, Journal
from ..kernel.request import ResearchRequest
from ..kernel.results import RawItem, RawResult, Source, SourceKind
from ..kernel.stops import StopReason
from ..research.record.opening import kept_outcome, keyed_session, read_chain

__all__ = ["RecordedSources"]

_READ: Final = (SourceKind.FETCHED, SourceKind.PASSAGE)
Get = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True)
class RecordedSources:
    """The port over journal and content store; a turn is found by its key, so no index is kept beside them."""

    journal: Journal
    store: ContentStore
    capability: Callable[[str], AnyCapability | None]
    """The entry of a capability, whose result says under which numbers its sources were shown."""

    def find(self, tenant: str, user: str, conversation: str, wanted: SourceOfTurn) -> RawItem | None:
        """The item behind a source of an earlier turn; only of one that ended in SUCCESS_COMPLETED."""
        found = self.journal.find(keyed_session(tenant, user, turn_key(conversation, wanted.turn)))
        read = None if found is None or found.tenant != tenant else self.journal.read(found)
        if read is None:
            return None
        chain = read_chain(read[1])
        closed = next((line.record for line in chain.lines if isinstance(line.record, Closed)), None)
        opened = next((line.record for line in chain.lines if isinstance(line.record, Opened)), None)
        if chain.broken_at is not None or opened is None or closed is None or closed.kept is None:
            return None
        if closed.verdict.stop is not StopReason.SUCCESS_COMPLETED:
            return None

        def get(digest: str) -> bytes | None:
            return self.store.get(tenant, digest)

        shown = self._shown(opened, closed.kept, get)
        if wanted.number > len(shown):
            return None
        return _item_of(shown[wanted.number - 1], chain.lines, get)

    def _shown(self, opened: Opened, kept: str, get: Get) -> tuple[Source, ...]:
        """The sources of a turn in the order in which they were numbered; none where its content was erased."""
        stored, asked = get(kept), get(opened.request)
        if stored is None or asked is None:
            return ()
        try:
            outcome = kept_outcome(stored)
            cited = self._cited(ResearchRequest.model_validate_json(asked), outcome)
        except (ValidationError, RequestInvalid, ContractViolation):
            return ()
        sources = tuple(source for source in outcome.bundle.sources if source.kind in _READ)
        if cited is None:
            return sources
        by_place = {(one.locator, one.text_hash): one for one in sources}
        return tuple(by_place[place] for place in cited if place in by_place)

    def _cited(self, request: ResearchRequest, outcome: ResearchOutcome) -> list[tuple[str, str]] | None:
        """The places of a research result's citations; None for a capability that numbers its sources in order."""
        from ..capabilities.answers.research_models import ResearchResult

        entry = self.capability(request.capability)
        if entry is None or entry.result is None or entry.output is not ResearchResult:
            return None
        result: Any = entry.result(entry.input_of(request), outcome)
        return [(one.locator, "" if one.evidence is None else one.evidence.text_hash) for one in result.citations]


def _item_of(source: Source, lines: tuple[Line, ...], get: Get) -> RawItem | None:
    """What the tool had found: the text before the screen, with all that a reader would not see."""
    for line in lines:
        if not isinstance(line.record, Called) or line.record.input.raw is None:
            continue
        stored = get(line.record.input.raw)
        if stored is None:
            continue
        try:
            items = RawResult.model_validate_json(stored).items
        except ValidationError:
            continue
        for item in items:
            same = (item.locator, item.text_hash, item.start) == (source.locator, source.text_hash, source.start)
            if same and item.kind is source.kind:
                return item
    return None
