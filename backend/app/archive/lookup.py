"""Finds recorded sessions: by id, by tenant, the newest first; a damaged one is found as well."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import TypeAdapter, ValidationError

from ..kernel.errors import RequestInvalid, StoreUnusable
from ..kernel.journal_records import Closed, Erased, Recovered
from ..kernel.models import Identifier
from ..kernel.ports import FoundSession, Journal
from ..research.record.history import SessionSummary, history_of
from ..research.record.opening import Chain, objects_of, read_chain

__all__ = ["SessionLookup", "chain_of", "is_erased", "is_plain_name"]

_IDENTIFIER = TypeAdapter[str](Identifier)


class SessionLookup:
    """The sessions of one journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def newest(self, limit: int, tenant: str | None = None) -> Iterator[SessionSummary]:
        """The newest sessions first; open ones before all others."""
        shown: set[str] = set()  # one that closes meanwhile is met twice
        for sources in (self._journal.open_sessions(), self._journal.closed_sessions()):
            for found in sources:
                if len(shown) >= limit:
                    return
                if tenant not in (None, found.tenant) or found.session_id in shown:
                    continue
                read = self._journal.read(found)
                if read is not None:
                    shown.add(found.session_id)
                    yield _summary_of(*read)

    def session(self, session_id: str) -> tuple[FoundSession, Chain]:
        """One session with its lines.

        Raises:
            RequestInvalid: there is no such session.
        """
        found = self._journal.find(session_id) if is_plain_name(session_id) else None
        read = None if found is None else self._journal.read(found)
        if read is None:
            raise RequestInvalid(f"there is no session `{session_id}` in this data folder")
        return read[0], chain_of(*read)

    def closed_of(self, tenant: str) -> Iterator[FoundSession]:
        """The finished sessions of a tenant."""
        return (found for found in self._journal.closed_sessions() if found.tenant == tenant)

    def chain(self, found: FoundSession) -> Chain | None:
        """The lines of a session that was found; None where it was removed since."""
        read = self._journal.read(found)
        return None if read is None else read_chain(read[1])

    def objects(self, found: FoundSession) -> frozenset[str]:
        """The stored objects that a session names."""
        chain = self.chain(found)
        return frozenset() if chain is None else frozenset(objects_of(chain.lines))


def is_plain_name(name: str) -> bool:
    """True if a store can use it as a name: it must not lead anywhere else."""
    try:
        _IDENTIFIER.validate_python(name, strict=True)
    except ValidationError:
        return False
    return True


def chain_of(found: FoundSession, lines: tuple[bytes, ...]) -> Chain:
    """The lines of a session; one that was closed and has no end has lost it."""
    chain = read_chain(lines)
    ended = any(isinstance(line.record, Closed | Recovered) for line in chain.lines)
    if found.closed and not ended and chain.broken_at is None:
        return Chain(chain.lines, len(chain.lines) + 1)
    return chain


def is_erased(chain: Chain) -> bool:
    """True if the content of this session was erased."""
    return any(isinstance(line.record, Erased) for line in chain.lines)


def _summary_of(found: FoundSession, lines: tuple[bytes, ...]) -> SessionSummary:
    """A row for every file, also for one of which nothing can be read."""
    chain = chain_of(found, lines)
    try:
        return history_of(chain.lines, chain.broken_at).summary
    except StoreUnusable:
        return SessionSummary(
            session_id=found.session_id,
            tenant=found.tenant,
            state="damaged" if found.closed or chain.broken_at else "open",
            erased=False,
            stop=None,
            action=None,
            capability="unknown",
            environment="",
            started_at_ms=0,
            elapsed_ms=0,
            calls=0,
            spent_units=0,
            sources=0,
        )
