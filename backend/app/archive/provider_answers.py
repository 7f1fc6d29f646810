"""How outside services answered when they were asked last, read from the record of sessions."""

from __future__ import annotations

from typing import Final

from ..kernel.journal_records import Called, Opening
from ..kernel.models import FrozenModel
from ..kernel.ports import Journal
from ..kernel.rungs import Fault, ProviderName
from ..research.record.opening import read_chain

__all__ = ["LastAnswer", "last_answers"]

_SESSIONS: Final = 200
# Says something about the settings or the question, and nothing about the service.
_NOT_ASKED: Final = (Fault.NOT_CONFIGURED, Fault.NOT_ROUTED, Fault.OVER_PRICE, Fault.UNSUPPORTED)


class LastAnswer(FrozenModel):
    """The last time that a provider's turn came: when its session began, and the fault if it gave no answer."""

    provider: ProviderName
    at_ms: int
    fault: Fault | None = None


def last_answers(journal: Journal) -> tuple[LastAnswer, ...]:
    """One entry for each provider that was asked in the newest sessions, by name; stored answers do not count."""
    found: dict[str, LastAnswer] = {}
    for number, session in enumerate(journal.closed_sessions()):
        if number == _SESSIONS:
            break
        read = journal.read(session)
        records = [] if read is None else [line.record for line in read_chain(read[1]).lines]
        at_ms = next((record.started_at_ms for record in records if isinstance(record, Opening)), 0)
        calls = [record.outcome for record in records if isinstance(record, Called)]
        for rung in (rung for call in reversed(calls) for rung in call.rungs):
            if rung.fault not in _NOT_ASKED and not rung.cached:
                found.setdefault(rung.provider, LastAnswer(provider=rung.provider, at_ms=at_ms, fault=rung.fault))
    return tuple(found[name] for name in sorted(found))
