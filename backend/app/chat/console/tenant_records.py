"""Recorded sessions for the pages of one tenant; a session of somebody else is not there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ...archive.archive import Archive
from ...archive.session_index import IndexedSession, SessionIndex
from ...kernel.caps import CapsTable, CapsUnusable
from ...kernel.contract import ContractData
from ...kernel.errors import RequestInvalid, StoreUnusable
from ...kernel.request import ResearchRequest
from ...research.record.history import Receipt, SessionHistory
from ...system.caps_files import kept_caps
from .pages import PageRefused
from .views.request_page import RecordedParts

__all__ = ["TenantRecords"]


@dataclass(frozen=True, slots=True)
class TenantRecords:
    """The archive through the eyes of a tenant."""

    archive: Archive
    index: SessionIndex
    contract: ContractData
    caps_folder: Path

    def rows(self, tenant: str) -> tuple[IndexedSession, ...]:
        """Every session, the newest first."""
        return self.index.rows(tenant)

    def question(self, row: IndexedSession) -> str:
        """What a session asked."""
        if row.erased:
            return "(erased)"
        with suppress(RequestInvalid, StoreUnusable, ValidationError):
            stored = None if row.request is None else self.archive.store.get(row.tenant, row.request)
            if stored is not None:
                return ResearchRequest.model_validate_json(stored).question
        return "(missing)"

    def question_of(self, session_id: str, tenant: str) -> str:
        """The same by an id; empty where there is no such session of this tenant."""
        row = next((row for row in self.rows(tenant) if row.session_id == session_id), None)
        return "" if row is None else self.question(row)

    def history(self, session_id: str, tenant: str) -> SessionHistory:
        """One session of this tenant.

        Raises:
            PageRefused: there is none, or nothing of it can be read.
        """
        found = self.archive.journal.find(session_id) if _is_id(session_id) else None
        if found is None or found.tenant != tenant:
            raise PageRefused(
                404,
                "There is no such request",
                "It may have been pruned, or the address is cut off. Requests lists those that are here.",
            )
        try:
            return self.archive.show(session_id)
        except StoreUnusable as exc:
            raise PageRefused(
                500,
                "The record of this request is damaged",
                f"Nothing of it can be read: {exc}. Restore its file from a back-up, or move it out of the journal.",
            ) from exc

    def parts(self, session_id: str, tenant: str) -> RecordedParts:
        """Everything of one session; raises as `history` does."""
        history = self.history(session_id, tenant)
        archive = self.archive
        lines = archive.lines(session_id)
        return RecordedParts(
            history=history,
            lines=lines,
            question=archive.question(history.summary),
            recut=archive.recut(session_id),
            blocked=archive.blocked(session_id),
            receipt=self._receipt(session_id, history),
            again=archive.run_again(session_id),
        )

    def ruling_caps(self, tenant: str) -> CapsTable | CapsUnusable:
        """The caps table that the newest session ran under; that of the contract where there is none."""
        newest = next((row.caps for row in self.rows(tenant) if row.caps is not None), None)
        kept = None if newest is None else kept_caps(self.caps_folder, newest)
        return kept or self.contract.caps

    def _receipt(self, session_id: str, history: SessionHistory) -> Receipt | None:
        if history.broken_at is not None:
            return None
        with suppress(StoreUnusable):
            return self.archive.receipt(session_id)
        return None


def _is_id(text: str) -> bool:
    return text.isascii() and 0 < len(text) <= 128 and all(one.isalnum() or one in "._@-" for one in text)
