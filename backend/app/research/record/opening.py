"""The gate's memory: opens the log of a session, anew, from a key used before, or from a record alone (R19)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import Final, NamedTuple

from ...kernel.canonical import canonical_bytes, digest_of, sha256_hex
from ...kernel.capability import AnyCapability
from ...kernel.catalog import ToolTable
from ...kernel.errors import RequestInvalid, StoreUnusable
from ...kernel.journal_records import (
    CHAIN_START,
    Called,
    Closed,
    Erased,
    Line,
    OpenedV1,
    Opening,
    Resumed,
    ending_of,
    read_line,
)
from ...kernel.models import Digest
from ...kernel.outcome import ResearchOutcome
from ...kernel.ports import Clock, ContentStore, Ids, Journal
from ...kernel.request import Principal, ResearchRequest
from ...kernel.tripwire import NO_TRIPWIRE, Tripwire
from .blocked_sources import blocked_of
from .recording import Past
from .session_log import SessionLog
from .session_writers import NoWriter, StoreWriter
from .terms import Terms, agreed_terms

__all__ = [
    "KEY_CHARS_MAX",
    "Chain",
    "Memory",
    "check_key",
    "contents_of",
    "kept_outcome",
    "keyed_session",
    "objects_of",
    "read_chain",
    "session_of",
    "terms_for",
]

KEY_CHARS_MAX: Final = 200


class Chain(NamedTuple):
    """The lines of a journal up to the first that is damaged; `broken_at` counts from 1."""

    lines: tuple[Line, ...]
    broken_at: int | None


def read_chain(data: Sequence[bytes]) -> Chain:
    """Read lines and follow their hashes."""
    lines: list[Line] = []
    head = CHAIN_START
    for place, line_bytes in enumerate(data):
        line = read_line(line_bytes)
        if line is None or line.prev != head:
            return Chain(tuple(lines), place + 1)
        lines.append(line)
        head = line.digest
    return Chain(tuple(lines), None)


def objects_of(lines: Sequence[Line], *, fetched: bool = True) -> tuple[Digest, ...]:
    """The digests of all stored objects that a session names, in order; `fetched`: also those its tools have kept."""
    found: dict[str, None] = {}
    for line in lines:
        match line.record:
            case Opening() as opened:
                found[opened.request] = None
                found[opened.principal] = None
            case Called() as called if called.input.raw is not None:
                found[called.input.raw] = None
                found.update(dict.fromkeys(called.input.fetched if fetched else ()))
            case Closed() as closed if closed.kept is not None:
                found[closed.kept] = None
    return tuple(found)


def contents_of(lines: Sequence[Line], get: Callable[[str], bytes | None]) -> dict[str, bytes]:
    """Every object that the rooms need to run a session again.

    Raises:
        StoreUnusable: one of them is erased, missing or damaged.
    """
    if any(isinstance(line.record, Erased) for line in lines):
        raise StoreUnusable("the content of this session was erased")
    found: dict[str, bytes] = {}
    for digest in objects_of(lines, fetched=False):
        data = get(digest)
        if data is None:
            raise StoreUnusable(f"object {digest[:12]} of this session is missing")
        found[digest] = data
    return found


def kept_outcome(data: bytes) -> ResearchOutcome:
    """The outcome of a keyed session, as it was kept."""
    return ResearchOutcome.model_validate_json(data)


def check_key(key: str) -> None:
    """Raise if this is not a valid session key.

    Raises:
        RequestInvalid: it is no text, empty, too long or not printable.
    """
    if not isinstance(key, str) or not 0 < len(key) <= KEY_CHARS_MAX or not key.isprintable():
        raise RequestInvalid(f"a session key has 1 to {KEY_CHARS_MAX} printable characters")


def session_of(principal: Principal, key: str) -> str:
    """The session id of a principal's key."""
    return keyed_session(principal.tenant, principal.user, key)


def keyed_session(tenant: str, user: str, key: str) -> str:
    """The session id of a key: derived, so that no index has to be kept beside the journal."""
    mark = sha256_hex(canonical_bytes([tenant, user, key]))
    return f"{mark[:8]}-{mark[8:12]}-8{mark[13:16]}-8{mark[17:20]}-{mark[20:32]}"


def terms_for(
    capability: AnyCapability, table: ToolTable, hosted: Iterable[str], source: Digest | None, log: SessionLog
) -> Terms:
    """The entries of the tools that a plan may ask for and this host has; on record, what both say (R22)."""
    here = tuple(hosted)
    named = ((name, table.entry(name)) for name in capability.tools if name in here)
    present = {name: entry for name, entry in named if entry is not None}
    opened = log.past.opened
    if opened is None:
        return Terms(present)
    recorded = log.past.tools_at_end
    terms = agreed_terms(recorded, present)
    log.resumes_with = Resumed(
        away_ms=1,
        plan_source=None if source == opened.plan_source else source,
        tools=() if terms.entries == recorded else tuple(terms.entries.values()),
    )
    return terms


def _digests_of(request: ResearchRequest, principal: Principal, opened: Opening) -> tuple[Digest, Digest]:
    """What was asked and by whom, as a record of this format names it; format 1 hashed every field."""
    if isinstance(opened, OpenedV1):
        return digest_of(request.model_dump(mode="json")), digest_of(principal.model_dump(mode="json"))
    return digest_of(request), digest_of(principal)


class Memory:
    """Clock, ids, journal and content store, as one session sees them."""

    def __init__(
        self, clock: Clock, ids: Ids, journal: Journal, store: ContentStore, tripwire: Tripwire = NO_TRIPWIRE
    ) -> None:
        self._clock = clock
        self._ids = ids
        self._journal = tripwire.outside(journal)
        self._store = tripwire.outside(store)

    def begin(self, principal: Principal, cancellation: asyncio.Future[None]) -> SessionLog:
        """The log of a new session."""
        return self._log(self._ids.session_id(), principal, cancellation)

    async def recall(
        self, request: ResearchRequest, principal: Principal, key: str, cancellation: asyncio.Future[None]
    ) -> SessionLog | ResearchOutcome:
        """The outcome of a key's finished session, or the log of one that begins or goes on.

        Raises:
            RequestInvalid: the key is none, belongs to another request, or its session cannot be had again.
            StoreUnusable: the record is damaged, or none can be begun.
            StoreBusy: the session runs at this moment.
        """
        check_key(key)
        session_id = session_of(principal, key)
        recalled = await self._journal.recall(principal.tenant, session_id)
        if recalled is None:
            return await self._anew(session_id, principal, cancellation)
        with ExitStack() as held:
            held.callback(self._journal.abandon, session_id)
            chain = read_chain(recalled.lines)
            if chain.broken_at is not None:
                raise StoreUnusable(f"the journal of session `{session_id}` is damaged at step {chain.broken_at}")
            ended = recalled.closed or ending_of(chain.lines) is not None
            opened = chain.lines[0].record if chain.lines else None
            if not ended and not isinstance(opened, Opening):
                # It ended before it was opened, so it asked nothing of anybody, and nobody knows what was wanted.
                held.pop_all()
                await self._journal.discard(session_id)
                return await self._anew(session_id, principal, cancellation)
            if isinstance(opened, Opening):
                if (opened.request, opened.principal) != _digests_of(request, principal, opened):
                    raise RequestInvalid("the session key was used for another request")
                if isinstance(opened, OpenedV1) and not ended:
                    raise RequestInvalid("the session of this key is recorded in an older format and cannot go on")
            past = Past(chain.lines, contents_of(chain.lines, lambda d: self._store.get(principal.tenant, d)))
            if ended:
                if not recalled.closed:
                    self._journal.close(session_id)  # its last line is written; whoever wrote it died over the rest
                return self._finished(past)
            held.pop_all()
        return self._log(session_id, principal, cancellation, past)

    def repeat(self, past: Past, session_id: str, cancellation: asyncio.Future[None]) -> SessionLog:
        """The log of a session that is only looked at again."""
        return SessionLog(session_id, self._clock, NoWriter(), cancellation, past, goes_on=False)

    async def _anew(self, session_id: str, principal: Principal, cancellation: asyncio.Future[None]) -> SessionLog:
        # Begun at once, so that a second run with this key finds it taken.
        await self._journal.begin(principal.tenant, session_id, keyed=True)
        return self._log(session_id, principal, cancellation, Past())

    def _log(
        self, session_id: str, principal: Principal, cancellation: asyncio.Future[None], past: Past | None = None
    ) -> SessionLog:
        writer = StoreWriter(self._journal, self._store, principal.tenant, session_id, held=past is not None)
        return SessionLog(session_id, self._clock, writer, cancellation, past)

    def _finished(self, past: Past) -> ResearchOutcome:
        closed = ending_of(past.lines)
        if not isinstance(closed, Closed) or closed.kept is None:
            raise RequestInvalid("the session of this key was given up and cannot be had again")
        outcome = kept_outcome(past.contents[closed.kept])
        # A session that fell names no finding, whatever its calls found before.
        blocked = blocked_of(past.lines, past.contents.get) if outcome.findings else ()
        return ResearchOutcome.model_validate({**dict(outcome), "blocked": blocked})
