"""The terms of one session: the entries of its tools, as recorded and as they are in the catalogue now (R22)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...kernel.catalog import ToolEntry, stricter

__all__ = ["Terms", "agreed_terms", "by_name"]


@dataclass(frozen=True, slots=True)
class Terms:
    """What a session may call from here on, and on which terms."""

    entries: Mapping[str, ToolEntry]
    withdrawn: frozenset[str] = frozenset()
    """Tools that the record knows and the catalogue no longer does: they keep their entry and are not called."""

    def entry(self, name: str, recorded: Mapping[str, ToolEntry] | None) -> ToolEntry | None:
        """The entry that rules a batch: the recorded one where the batch is on record."""
        return (self.entries if recorded is None else recorded).get(name)


def agreed_terms(recorded: Mapping[str, ToolEntry], present: Mapping[str, ToolEntry]) -> Terms:
    """The terms of a session that goes on behind its record: of each tool the stricter entry, recorded or present."""
    entries, withdrawn = {}, set()
    for name, then in recorded.items():
        now = present.get(name)
        agreed = None if now is None else stricter(then, now)
        if agreed is None:
            withdrawn.add(name)
        entries[name] = agreed or then
    return Terms(entries, frozenset(withdrawn))


def by_name(entries: Iterable[ToolEntry]) -> dict[str, ToolEntry]:
    """Entries under their names."""
    return {entry.name: entry for entry in entries}
