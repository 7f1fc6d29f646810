"""Recovery: a start closes the sessions that a dead process left open (R12)."""

from __future__ import annotations

from ..kernel.journal_records import CHAIN_START, Closed, Opening, Recovered
from ..kernel.ports import Clock, FoundSession, Journal, Ledger
from ..research.record.history import recovered_line
from ..research.record.opening import read_chain

__all__ = ["give_up", "recover"]


async def recover(journal: Journal, ledger: Ledger, clock: Clock) -> int:
    """Close what is open and has no writer; sessions with a key stay, for whoever comes back with it (R19).

    Raises:
        StoreUnusable: journal or ledger cannot be used.
    """
    closed = 0
    for found in journal.open_sessions():
        if journal.hold(found):
            closed += await _settled(journal, ledger, clock, found, keep_keyed=True)
    return closed


async def give_up(journal: Journal, ledger: Ledger, clock: Clock, found: FoundSession) -> bool:
    """Close one open session for good, key or not; False where its writer lives."""
    if not journal.hold(found):
        return False
    await _settled(journal, ledger, clock, found, keep_keyed=False)
    return True


async def _settled(journal: Journal, ledger: Ledger, clock: Clock, found: FoundSession, *, keep_keyed: bool) -> int:
    try:
        read = journal.read(found)
        chain = read_chain(() if read is None else read[1])
        last = chain.lines[-1] if chain.lines else None
        if last is not None and isinstance(last.record, Closed | Recovered):
            journal.close(found.session_id)  # finished; only the move was missing
            return 0
        if chain.broken_at is None:
            first = chain.lines[0].record if chain.lines else None
            if not isinstance(first, Opening):
                # It died before it was opened: nothing was asked of ledger or tools, and a key is as good as new.
                await journal.discard(found.session_id)
                return 0
            if keep_keyed and first.keyed:
                return 0
        released = await ledger.release_session(found.session_id)
        # Behind a damaged line it follows the last good one: whoever reads finds where the chain broke.
        head = CHAIN_START if last is None else last.digest
        journal.append(found.session_id, recovered_line(head, clock.now_ms(), released).data)
        await journal.flush(found.session_id)
        journal.close(found.session_id)
        return 1
    finally:
        journal.abandon(found.session_id)  # where it is not closed, whoever comes next may take it
