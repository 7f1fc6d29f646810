"""The archive: the record of past sessions, for those who look after it; over any journal and content store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from pydantic import ValidationError

from ..capabilities.answers.research import RESEARCH
from ..capabilities.answers.research_models import ResearchResult
from ..kernel.errors import RequestInvalid, StoreUnusable
from ..kernel.journal_records import Line, Opened, Opening
from ..kernel.models import FrozenModel
from ..kernel.ports import Clock, ContentStore, Journal
from ..kernel.request import ResearchRequest
from ..research.record.blocked_sources import blocked_of
from ..research.record.history import Receipt, SessionHistory, SessionSummary, history_of, receipt_of
from ..research.record.replay import Replayed, Rooms, replay
from ..system.contract_files import read_contract
from ..system.quiet_loop import in_a_loop, run_quietly
from .blocked_words import BlockedWords, blocked_words
from .derivation import PageReader, derive_again
from .erasing import ErasedReport, Eraser, TenantData
from .excerpt_surroundings import Surroundings, surroundings_of
from .lookup import SessionLookup, chain_of, is_erased
from .provider_answers import LastAnswer, last_answers
from .pruning import OpenLedger, Progress, PrunedReport, Pruner
from .recut import RecutSource, recut_sources
from .research_replay import KeptOutcomes, result_of
from .research_trace import TraceEntry, queries_of, starts_of, trace_of
from .result_audit import AuditReport, audit_alone, audit_result
from .result_files import read_result
from .run_again import PlanWatch, SessionAgain
from .session_index import SessionIndex
from .source_changes import SourceChanges, changes_between, places_read

__all__ = ["Archive", "ReceiptCheck"]


class ReceiptCheck(FrozenModel):
    """Whether a receipt is what the journal here says."""

    receipt_id: str
    session_id: str
    valid: bool
    why: str


@dataclass(frozen=True, slots=True)
class Archive:
    """Everything that can be done with the past; wiring says over which stores."""

    journal: Journal
    store: ContentStore
    clock: Clock
    beside: TenantData
    rooms: Callable[[PlanWatch | None], Callable[[Opened], Rooms | None]]
    """Builds the rooms of a recorded session again, without tools; its plan is watched where somebody asks for that."""
    page_reader: Callable[[], PageReader]
    open_ledger: OpenLedger

    def sessions(self, limit: int, tenant: str | None = None) -> Iterator[SessionSummary]:
        """The newest sessions first; open ones before all others."""
        return SessionLookup(self.journal).newest(limit, tenant)

    def question(self, row: SessionSummary) -> str:
        """What a session asked, from its own tenant's store; `erased`, or `missing` where the store has lost it."""
        if row.erased:
            return "erased"
        with suppress(RequestInvalid, StoreUnusable, ValidationError):
            found, chain = SessionLookup(self.journal).session(row.session_id)
            opened = next((line.record for line in chain.lines if isinstance(line.record, Opening)), None)
            stored = None if opened is None else self.store.get(found.tenant, opened.request)
            if stored is not None:
                return ResearchRequest.model_validate_json(stored).question
        return "missing"

    def provider_answers(self) -> tuple[LastAnswer, ...]:
        """How outside services answered when they were asked last."""
        return last_answers(self.journal)

    def show(self, session_id: str) -> SessionHistory:
        """One session, step by step; what the screen blocked is named from the content store, as far as that has it."""
        found, chain = SessionLookup(self.journal).session(session_id)

        def get(digest: str) -> bytes | None:
            with suppress(StoreUnusable):
                return self.store.get(found.tenant, digest)
            return None

        return history_of(chain.lines, chain.broken_at, blocked_of(chain.lines, get))

    def erased(self, session_id: str) -> bool:
        """True if the content of a session was erased, or its record is gone."""
        try:
            _, chain = SessionLookup(self.journal).session(session_id)
        except RequestInvalid:
            return True
        return is_erased(chain)

    def replay(self, session_id: str) -> Replayed:
        """Run a recorded session again without tools, ledger, documents, sockets or time, under the tripwire.

        Raises:
            RequestInvalid: there is no such session, or an event loop runs in this thread.
        """
        if in_a_loop():
            raise RequestInvalid("a replay needs a thread of its own: an event loop runs in this one")
        found, chain = SessionLookup(self.journal).session(session_id)

        def get(digest: str) -> bytes | None:
            return self.store.get(found.tenant, digest)

        replayed = run_quietly(replay(session_id, chain, get, self.rooms(None)))
        if not replayed.identical:
            return replayed
        again = derive_again(chain.lines, get, self.page_reader)
        return replayed.model_copy(update=again.model_dump())

    def audit(self, text: bytes) -> AuditReport:
        """Hold a research result against the record of its session; where that is not here, only against itself, and
        the report says what could not be checked.

        Raises:
            RequestInvalid: the text is not a research result.
            StoreUnusable: the journal of the session is damaged.
        """
        result = read_result(text)
        try:
            found, chain = SessionLookup(self.journal).session(result.trace_id)
        except RequestInvalid as exc:
            return audit_alone(result, str(exc))
        if chain.broken_at is not None:
            raise StoreUnusable(f"the journal of session `{result.trace_id}` is damaged at step {chain.broken_at}")

        def get(digest: str) -> bytes | None:
            with suppress(StoreUnusable):
                return self.store.get(found.tenant, digest)
            return None

        again = partial(self.research_result, result.trace_id)
        return audit_result(result, chain.lines, get, read_contract().actions.texts, again)

    def research_result(self, session_id: str) -> ResearchResult:
        """The result of a research session, made again from its record; it is the same to the byte.

        Raises:
            RequestInvalid: there is no such session, it asked something else, or it does not come out as recorded.
        """
        if in_a_loop():
            raise RequestInvalid("a replay needs a thread of its own: an event loop runs in this one")
        found, chain = SessionLookup(self.journal).session(session_id)
        opened = next((line.record for line in chain.lines if isinstance(line.record, Opened)), None)
        if opened is None or opened.capability != RESEARCH.name:
            raise RequestInvalid(f"session `{session_id}` is not a research session")
        kept = KeptOutcomes(self.rooms(None))
        replayed = run_quietly(
            replay(session_id, chain, lambda digest: self.store.get(found.tenant, digest), kept.rooms_of)
        )
        if not replayed.identical or kept.outcome is None or kept.request is None:
            raise RequestInvalid(f"session `{session_id}` cannot be run again: {replayed.why}")
        return result_of(kept.request, kept.outcome)

    def lines(self, session_id: str) -> tuple[Line, ...]:
        """The records of a session, as far as its chain holds."""
        return SessionLookup(self.journal).session(session_id)[1].lines

    def journal_bytes(self, session_id: str) -> bytes:
        """The journal of a session as it is stored.

        Raises:
            RequestInvalid: there is no such session.
        """
        found, _ = SessionLookup(self.journal).session(session_id)
        read = self.journal.read(found)
        return b"" if read is None else b"".join([line + b"\n" for line in read[1]])

    def index(self) -> SessionIndex:
        """Rows and counts over many sessions, for who asks again and again."""
        return SessionIndex(self.journal, self.clock)

    def recut(self, session_id: str) -> tuple[RecutSource, ...]:
        """The sources of a session, cut again from the content store."""
        found, chain = SessionLookup(self.journal).session(session_id)
        return recut_sources(chain.lines, lambda digest: self.store.get(found.tenant, digest))

    def blocked(self, session_id: str) -> tuple[BlockedWords, ...]:
        """What the screen blocked in a session, with its place and its words."""
        found, chain = SessionLookup(self.journal).session(session_id)
        return blocked_words(chain.lines, lambda digest: self.store.get(found.tenant, digest))

    def run_again(self, session_id: str) -> SessionAgain:
        """A session from its record, with its grant, what its plan asked for, its outcome and its result.

        Pages are not derived from their bytes again; `replay` does that, too.

        Raises:
            RequestInvalid: there is no such session, or an event loop runs in this thread.
        """
        if in_a_loop():
            raise RequestInvalid("a replay needs a thread of its own: an event loop runs in this one")
        found, chain = SessionLookup(self.journal).session(session_id)
        watch = PlanWatch()
        kept = KeptOutcomes(self.rooms(watch))
        replayed = run_quietly(
            replay(session_id, chain, lambda digest: self.store.get(found.tenant, digest), kept.rooms_of)
        )
        request, outcome = kept.request, kept.outcome
        if not replayed.identical or request is None or outcome is None:
            return SessionAgain(replayed=replayed)
        return SessionAgain(
            replayed=replayed,
            request=request,
            principal=kept.principal,
            grant=watch.grant,
            batches=tuple(watch.batches),
            outcome=outcome,
            result=result_of(request, outcome) if request.capability == RESEARCH.name else None,
        )

    def trace(self, session_id: str, result: ResearchResult) -> tuple[TraceEntry, ...]:
        """The trace of a research session in the shape of its contract, one entry per step. What was looked up is made
        again from the question; it is left out where the session cannot be run again."""
        found, chain = SessionLookup(self.journal).session(session_id)
        queries = {} if in_a_loop() else queries_of(self.run_again(session_id).batches)

        def get(digest: str) -> bytes | None:
            with suppress(StoreUnusable):
                return self.store.get(found.tenant, digest)
            return None

        return trace_of(chain.lines, get, result, queries)

    def starts(self, session_id: str) -> dict[str, int]:
        """When each call of a session began, in milliseconds from its start."""
        return starts_of(SessionLookup(self.journal).session(session_id)[1].lines)

    def surroundings(self, result: ResearchResult) -> tuple[Surroundings, ...]:
        """What stands around each excerpt of a result, as far as the store still has it."""
        return surroundings_of(result, self.recut(result.trace_id))

    def changes(self, one: ResearchResult, other: ResearchResult) -> SourceChanges:
        """What differs between two results: of all that their sessions read where both are here, else of what they
        cite."""
        read: list[dict[str, str]] = []
        for result in (one, other):
            with suppress(RequestInvalid, StoreUnusable):
                read.append(places_read(self.recut(result.trace_id)))
        both = len(read) == 2 and all(read)
        return changes_between(one, other, read[0] if both else None, read[1] if both else None)

    def receipt(self, session_id: str) -> Receipt:
        """The receipt of a finished session."""
        chain = SessionLookup(self.journal).session(session_id)[1]
        if chain.broken_at is not None:
            raise StoreUnusable(f"the journal of session `{session_id}` is damaged at step {chain.broken_at}")
        return receipt_of(chain.lines)

    def verify(self, text: bytes) -> ReceiptCheck:
        """Compare a receipt with itself and with the journal here.

        Raises:
            RequestInvalid: the text is not a receipt.
        """
        try:
            receipt = Receipt.model_validate_json(text)
        except ValidationError as exc:
            raise RequestInvalid("this is not a receipt") from exc
        why = self._wrong(receipt)
        return ReceiptCheck(
            receipt_id=receipt.receipt_id, session_id=receipt.session_id, valid=not why, why=why or "as in the journal"
        )

    def erase(self, session_id: str, *, shared: bool = False) -> ErasedReport:
        """Delete a session's objects; those that other sessions name stay, unless `shared`."""
        return self._eraser().session(session_id, shared=shared)

    def erase_tenant(self, tenant: str) -> ErasedReport:
        """Delete every object of a tenant, its cached responses and the indexes of its documents."""
        return self._eraser().tenant(tenant)

    async def prune(self, older_than_ms: int, progress: Progress = lambda _: None) -> PrunedReport:
        """Delete sessions that ended before a moment, and every object that no remaining session names."""
        return await Pruner(self.journal, self.store, self.clock, self.beside).prune(
            self.open_ledger, older_than_ms, progress
        )

    def _eraser(self) -> Eraser:
        return Eraser(self.journal, self.store, self.clock, self.beside)

    def _wrong(self, receipt: Receipt) -> str:
        if not receipt.intact:
            return "the receipt was changed: its id is not that of its content"
        found = self.journal.find(receipt.session_id)
        if found is None:
            return "the receipt is whole, but its session is not in this data folder"
        read = self.journal.read(found)
        if read is None:
            return "the receipt is whole, but its session was just pruned"
        chain = chain_of(*read)
        if chain.broken_at is not None:
            return f"the journal is damaged at step {chain.broken_at}"
        try:
            here = receipt_of(chain.lines)
        except StoreUnusable as exc:
            return str(exc)
        return "" if here == receipt else "the receipt is whole, but the journal here says something else"
