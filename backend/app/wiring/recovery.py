"""Recovery: a start closes the sessions that a dead process left open (R12)."""

from __future__ import annotations

from ..kernel.errors import ContractViolation
from ..kernel.ports import Clock, Ledger
from ..kernel.records import CHAIN_START, Closed, Opened, Recovered
from ..research.history import recovered_line
from ..research.memory import read_chain
from ..system.stores.journal_files import FileJournal, Found

__all__ = ["give_up", "recover"]


async def recover(journal: FileJournal, ledger: Ledger, clock: Clock) -> int:
    """Close what is open and has no writer; sessions with a key stay, for whoever comes back with it (R19).

    Raises:
        StoreUnusable: journal or ledger cannot be used.
    """
    closed = 0
    for found in journal.open_sessions():
        if journal.hold(found.tenant, found.session_id):
            closed += await _settled(journal, ledger, clock, found, keep_keyed=True)
    return closed


async def give_up(journal: FileJournal, ledger: Ledger, clock: Clock, found: Found) -> bool:
    """Close one open session for good, key or not; False where its writer lives."""
    if not journal.hold(found.tenant, found.session_id):
        return False
    await _settled(journal, ledger, clock, found, keep_keyed=False)
    return True


async def _settled(journal: FileJournal, ledger: Ledger, clock: Clock, found: Found, *, keep_keyed: bool) -> int:
    chain = read_chain(found.lines())
    first = chain.lines[0].record if chain.lines else None
    last = chain.lines[-1] if chain.lines else None
    if last is None and chain.broken_at is None:
        # Killed before its first line: nothing was asked of ledger or tools yet.
        journal.discard(found.session_id)
        return 0
    if last is not None and isinstance(last.record, Closed | Recovered):
        journal.close(found.session_id)  # finished; only the move was missing
        return 0
    if keep_keyed and chain.broken_at is None and isinstance(first, Opened) and first.keyed:
        journal.abandon(found.session_id)
        return 0
    try:
        released = await ledger.release_session(found.session_id)
    except ContractViolation:
        journal.abandon(found.session_id)
        raise
    # Behind a damaged line it follows the last good one: whoever reads finds where the chain broke.
    head = CHAIN_START if last is None else last.digest
    journal.append(found.session_id, recovered_line(head, clock.now_ms(), released).data)
    journal.close(found.session_id)
    return 1
