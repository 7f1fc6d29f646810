"""Audits a research result: citations are cut again from the record, sentences are looked for in their citations."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from pydantic import ValidationError

from ..capabilities.answers.research_models import NON_TEXT, ResearchResult, ResultCitation
from ..evidence.answering.answer_templates import is_template
from ..evidence.answering.composer import without_foreign_marks
from ..evidence.excerpts import without_marks
from ..kernel.journal_records import Called, Closed, Line, ending_of
from ..kernel.models import FrozenModel
from ..kernel.results import RawItem, RawResult
from ..kernel.stops import StopReason
from ..screen.carriers import strip_carriers

__all__ = ["AuditReport", "audit_result"]

_MARK: Final = re.compile(r"\s*\[(\d{1,3})\](?:\s+|$)")
_ANY_MARK: Final = re.compile(r"\[\s*\d{1,4}\s*\]")
Get = Callable[[str], bytes | None]


class AuditReport(FrozenModel):
    """What an audit counted; `faults` is empty where the result holds."""

    trace_id: str
    citations: int
    recut: int
    """Citations whose excerpt was cut again from the record, to the character."""
    sentences: int
    cited: int
    """Factual sentences that stand in the excerpt of the citation that they name."""
    urls_not_fetched: int
    faults: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """True if nothing was found."""
        return not self.faults


def audit_result(result: ResearchResult, lines: Sequence[Line], get: Get) -> AuditReport:
    """Hold a result against the record of its session: journal lines and content store."""
    faults: list[str] = []
    end = ending_of(lines)
    if not isinstance(end, Closed):
        faults.append("the session has no end of its own")
    elif result.citations and end.verdict.stop is not StopReason.SUCCESS_COMPLETED:
        faults.append("the session was stopped, and the result has citations")
    items = [item for line in lines for item in _items(line, get)]
    recut = absent = 0
    for number, citation in enumerate(result.citations, start=1):
        fault, unread = _citation_fault(citation, items)
        absent += unread
        if fault:
            faults.append(f"citation {number}: {fault}")
        else:
            recut += 1
    sentences = cited = 0
    for line in filter(None, (line.strip() for line in result.answer.split("\n"))) if result.citations else ():
        for sentence, mark in _sentences(line):
            if mark is None and is_template(sentence):
                continue
            sentences += 1
            if _ANY_MARK.search(sentence):
                faults.append(f"a sentence holds a marker that is not ours: {sentence[:60]}")
            elif mark is None:
                faults.append(f"a sentence has no citation: {sentence[:60]}")
            elif not _stands_in(sentence, mark, result.citations):
                faults.append(f"a sentence does not stand in citation {mark}: {sentence[:60]}")
            else:
                cited += 1
    return AuditReport(
        trace_id=result.trace_id,
        citations=len(result.citations),
        recut=recut,
        sentences=sentences,
        cited=cited,
        urls_not_fetched=absent,
        faults=tuple(faults),
    )


def _sentences(line: str) -> list[tuple[str, int | None]]:
    """The sentences of a line with the numbers that follow them; a fixed text may stand before the first."""
    found: list[tuple[str, int | None]] = []
    at = 0
    for match in _MARK.finditer(line):
        text = line[at : match.start()].strip()
        at = match.end()
        lead = re.match(r"The sources differ here: ", text)
        if lead is not None:
            found.append((lead[0].strip(), None))
            text = text[lead.end() :]
        found.append((text, int(match[1])))
    rest = line[at:].strip()
    return [*found, (rest, None)] if rest else found


def _stands_in(sentence: str, number: int, citations: Sequence[ResultCitation]) -> bool:
    if not 1 <= number <= len(citations):
        return False
    excerpt = " ".join(without_marks(citations[number - 1].raw_excerpt).split())
    return " ".join(sentence.split()) in without_foreign_marks(excerpt)


def _citation_fault(citation: ResultCitation, items: Sequence[RawItem]) -> tuple[str, bool]:
    """What is wrong with a citation, and whether its locator was never read."""
    read = [item for item in items if item.locator == citation.locator]
    if not read:
        return "its locator was not read in this session", True
    place = citation.evidence
    if place is None:
        return "it names no place", False
    same = [item for item in read if (item.content_hash, item.text_hash) == (place.content_hash, place.text_hash)]
    if not same:
        return "the source that was read has other hashes", False
    if citation.raw_excerpt == NON_TEXT:
        return "", False
    for item in same:
        if item.start <= place.start and place.end <= item.end:
            body = strip_carriers(item.body).text
            if body[place.start - item.start : place.end - item.start] == without_marks(citation.raw_excerpt):
                return "", False
    return "its excerpt cannot be cut from the source again", False


def _items(line: Line, get: Get) -> tuple[RawItem, ...]:
    if not isinstance(line.record, Called) or line.record.input.raw is None:
        return ()
    stored = get(line.record.input.raw)
    try:
        return () if stored is None else RawResult.model_validate_json(stored).items
    except ValidationError:
        return ()
