"""Which document or page a finding stands in: told to operators alone, from what the tool answered (R14)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...kernel.journal_records import Called, Line
from ...kernel.results import Finding, LocatedFinding, RawResult

__all__ = ["blocked_of", "located"]


def located(call_id: str, findings: Sequence[Finding], raw: RawResult) -> tuple[LocatedFinding, ...]:
    """The findings of one call, each with the locator of its item; `part` is then a part of that item."""
    found = []
    for finding in findings:
        position, _, part = finding.part.removeprefix("items.").partition(".")
        if position.isdecimal() and int(position) < len(raw.items):
            locator = raw.items[int(position)].locator
            found.append(LocatedFinding(**{**dict(finding), "part": part}, call_id=call_id, locator=locator))
    return tuple(found)


def blocked_of(lines: Sequence[Line], get: Callable[[str], bytes | None]) -> tuple[LocatedFinding, ...]:
    """The same of a recorded session; of an answer that was erased or is missing, nothing can be told."""
    found: list[LocatedFinding] = []
    for line in lines:
        called = line.record
        if isinstance(called, Called) and called.findings and called.input.raw is not None:
            data = get(called.input.raw)
            if data is not None:
                raw = RawResult.model_validate_json(data)
                found.extend(located(called.outcome.call_id, called.findings, raw))
    return tuple(found)
