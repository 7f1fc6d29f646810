"""Lines for the operator on the logger `portcullis`: what was refused, and which documents stopped a session."""

from __future__ import annotations

import logging
from typing import Final

from ..kernel.results import LocatedFinding

__all__ = ["LOGGER", "LogNotices"]

LOGGER: Final = "portcullis"
_MARK: Final = {"notice": True}  # for a door that tells its user the same, and drops the line
_NAMED: Final = 5
_OWN_DOCUMENTS: Final = "doc:"


class LogNotices:
    """Writes to Python's logging, so that a host routes it as it routes its other logs."""

    def __init__(self) -> None:
        self._log = logging.getLogger(LOGGER)

    def refused(self, reason: str, *, callers_mistake: bool) -> None:
        """One line; what a caller can bring about at will is no warning."""
        level = logging.INFO if callers_mistake else logging.WARNING
        self._log.log(level, "request refused: %s", reason, extra=_MARK)

    def blocked(self, session_id: str, findings: tuple[LocatedFinding, ...]) -> None:
        """One line: which documents silenced a session. A page is not named: its address may be a user's own words."""
        found = list(dict.fromkeys(f"{_named(finding)} ({finding.rule_id})" for finding in findings))
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        told = ", ".join(found[:_NAMED])
        self._log.warning(
            "session %s was stopped by injected instructions in %s%s", session_id, told, more, extra=_MARK
        )

    def gate_refused(self, reason: str) -> None:
        """One line: there is no gate, so nothing will be answered."""
        self._log.error("gate not opened: %s", reason, extra=_MARK)


def _named(finding: LocatedFinding) -> str:
    """A document by its locator, which is percent-encoded and holds a collection and a path."""
    known = finding.locator.startswith(_OWN_DOCUMENTS) and finding.locator.isascii() and finding.locator.isprintable()
    return f"`{finding.locator}`" if known else "a page"
