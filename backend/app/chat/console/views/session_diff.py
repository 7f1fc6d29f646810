"""Two requests side by side: what their plans asked, their sources, their stops and what they spent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....archive.recut import RecutSource
from .request_page import RecordedParts, RequestPage
from .shown_words import millis, param_text, short, visible

__all__ = ["DiffRow", "SessionDiff", "diff_of"]


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One thing in both; `change` is `same`, `changed`, `gone` or `added`."""

    name: str
    before: str
    after: str
    change: str


@dataclass(frozen=True, slots=True)
class SessionDiff:
    """Everything on the page."""

    one: RequestPage
    other: RequestPage
    facts: tuple[DiffRow, ...]
    plan: tuple[DiffRow, ...]
    sources: tuple[DiffRow, ...]
    summary: str


def diff_of(one: RequestPage, first: RecordedParts, other: RequestPage, second: RecordedParts) -> SessionDiff:
    """The changes from one to the other."""
    plan, sources = tuple(_plan(first, second)), tuple(_sources(first.recut, second.recut))
    facts = tuple(_facts(one, first, other, second))
    changed = sum(row.change != "same" for row in sources)
    calls = sum(row.change != "same" for row in plan)
    stop = "the same stop" if one.stop == other.stop else f"{one.stop} became {other.stop}"
    summary = f"{stop}; {calls} of {len(plan)} calls and {changed} of {len(sources)} sources differ"
    return SessionDiff(one, other, facts, plan, sources, summary)


def _facts(one: RequestPage, first: RecordedParts, other: RequestPage, second: RecordedParts) -> Iterator[DiffRow]:
    here, there = first.history.summary, second.history.summary
    yield _row("stop", one.stop, other.stop)
    yield _row("action", one.action or "-", other.action or "-")
    yield _row("question", one.question, other.question)
    yield _row("capability", one.capability, other.capability)
    yield _row("calls", str(here.calls), str(there.calls))
    yield _row("units", f"{here.spent_units:,}", f"{there.spent_units:,}")
    yield _row("time", millis(here.elapsed_ms), millis(there.elapsed_ms))
    yield _row("sources", str(here.sources), str(there.sources))
    if first.receipt is not None and second.receipt is not None:
        yield _row("rules", short(first.receipt.rules), short(second.receipt.rules))
        yield _row("caps", short(first.receipt.caps or ""), short(second.receipt.caps or ""))
        yield _row("plan source", short(first.receipt.plan_source or ""), short(second.receipt.plan_source or ""))


def _plan(first: RecordedParts, second: RecordedParts) -> Iterator[DiffRow]:
    here, there = _calls(first), _calls(second)
    for call_id in dict.fromkeys((*here, *there)):
        before, after = here.get(call_id), there.get(call_id)
        yield DiffRow(call_id, before or "", after or "", _change(before, after))


def _calls(parts: RecordedParts) -> dict[str, str]:
    """What each call asked; where the plan is not known, the tool alone."""
    asked = {
        call.call_id: ", ".join((call.tool, *(f"{name} {param_text(value)}" for name, value in call.params)))
        for batch in parts.again.batches
        for call in batch.calls
    }
    if asked:
        return asked
    return {step.facts.partition(" ")[0]: step.facts for step in parts.history.timeline if step.kind == "Called"}


def _sources(first: Sequence[RecutSource], second: Sequence[RecutSource]) -> Iterator[DiffRow]:
    here, there = _by_place(first), _by_place(second)
    for place in sorted(here.keys() | there.keys()):
        before, after = here.get(place), there.get(place)
        yield DiffRow(visible(place), short(before or ""), short(after or ""), _change(before, after))


def _by_place(sources: Sequence[RecutSource]) -> dict[str, str]:
    """The content hash by document or page; a passage that moved within an unchanged document is no change."""
    found: dict[str, str] = {}
    for one in sources:
        if one.kind == "hit":
            continue
        place = one.locator.partition("#")[0] if one.locator.startswith("doc:") else one.locator
        found.setdefault(place or f"source {short(one.source_id)}", one.content_hash or one.source_id)
    return found


def _row(name: str, before: str, after: str) -> DiffRow:
    return DiffRow(name, before, after, "same" if before == after else "changed")


def _change(before: str | None, after: str | None) -> str:
    if before is None:
        return "added"
    if after is None:
        return "gone"
    return "same" if before == after else "changed"
