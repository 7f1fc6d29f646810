"""What a finished session showed, from its record: for the one who asked, and nobody else."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from ..kernel.errors import ContractViolation, RequestInvalid, StoreUnusable
from ..kernel.journal_records import Closed, Opened, ending_of
from ..kernel.ports import ContentStore, Journal
from ..kernel.ports.finished_sessions import ShownSources
from ..kernel.request import Principal, ResearchRequest
from ..kernel.results import SourceKind
from ..kernel.stops import StopReason
from ..research.record.opening import Chain, read_chain
from .lookup import is_plain_name
from .recut import sources_of_record

__all__ = ["FinishedRecords"]

_READ: Final = (SourceKind.PASSAGE, SourceKind.FETCHED)
_DOCUMENT: Final = "doc:"
_RESEARCH: Final = "research"


@dataclass(frozen=True, slots=True)
class FinishedRecords:
    """The port over journal and content store."""

    journal: Journal
    store: ContentStore

    def shown(self, principal: Principal, session_id: str) -> ShownSources | None:
        """The texts that a session of this tenant and user cited; where it cited nothing, there is nothing to show."""
        found = self.journal.find(session_id) if is_plain_name(session_id) else None
        if found is None or found.tenant != principal.tenant:
            return None
        read = self.journal.read(found)
        if read is None:
            return None
        with suppress(ValidationError, RequestInvalid, ContractViolation, StoreUnusable):
            return self._shown(principal, read_chain(read[1]))
        return None

    def _shown(self, principal: Principal, chain: Chain) -> ShownSources | None:
        opened, closed = (chain.lines[0].record if chain.lines else None), ending_of(chain.lines)
        if chain.broken_at is not None or not isinstance(opened, Opened) or not isinstance(closed, Closed):
            return None
        if closed.verdict.stop is not StopReason.SUCCESS_COMPLETED or opened.tenant != principal.tenant:
            return None

        def get(digest: str) -> bytes | None:
            return self.store.get(principal.tenant, digest)

        who, asked = get(opened.principal), get(opened.request)
        if who is None or asked is None or Principal.model_validate_json(who).user != principal.user:
            return None
        request = ResearchRequest.model_validate_json(asked)
        sources = sources_of_record(chain.lines, get)
        # Collections are checked again, as for sources of earlier turns (R35).
        granted = tuple(f"{_DOCUMENT}{name}/" for name in principal.collections)
        if sources is None or any(
            one.locator.startswith(_DOCUMENT) and not one.locator.startswith(granted) for one in sources
        ):
            return None
        read = [one for one in sources if one.kind in _READ]
        if request.capability != _RESEARCH:
            return ShownSources(texts=tuple((one.text, one.title) for one in read))
        # Research is the largest part of the house, and few records are looked at for what it showed.
        from ..capabilities.answers.research import RESEARCH
        from ..evidence.answering.composer import compose

        facets = RESEARCH.input_of(request).plan().facets
        excerpts = compose(facets, read).excerpts
        return ShownSources(
            texts=tuple((one.text, one.source.title) for one in excerpts),
            labels=tuple(facet.label for facet in facets),
        )
