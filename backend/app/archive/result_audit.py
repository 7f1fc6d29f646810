"""Audits a research result: held against the store piece by piece, and against what its session yields once more."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from pydantic import ValidationError

from ..capabilities.answers.research import RESEARCH
from ..capabilities.answers.research_input import ResearchInput
from ..capabilities.answers.research_models import NON_TEXT, ResearchResult, ResultCitation
from ..evidence.answering.answer_templates import NOTHING_TO_CITE, fixed_texts, is_template
from ..evidence.answering.composer import COMPOSER, without_foreign_marks
from ..evidence.excerpts import without_marks
from ..kernel.contract import ActionTexts
from ..kernel.errors import RequestInvalid, StoreUnusable
from ..kernel.journal_records import Closed, Line, Opened, ending_of
from ..kernel.models import FrozenModel
from ..kernel.request import ResearchRequest
from ..kernel.results import SourceKind
from ..kernel.stops import StopReason
from .recut import RecutSource, recut_sources
from .result_differences import differences_between
from .worded_answer import faults_of_wording

__all__ = ["AuditReport", "audit_alone", "audit_result"]

_MARK: Final = re.compile(r"\[(\d{1,3})\](?=\s|$)")
_ANY_MARK: Final = re.compile(r"\[\s{0,9}\d{1,4}\s{0,9}\]")
_OURS: Final = COMPOSER.partition("/")[0] + "/"
_READ: Final = (SourceKind.PASSAGE.value, SourceKind.FETCHED.value)
Get = Callable[[str], bytes | None]


class AuditReport(FrozenModel):
    """What an audit counted; `faults` is empty where nothing is wrong, `unchecked` where everything could be looked
    at."""

    trace_id: str
    citations: int
    recut: int
    """Citations whose excerpt was cut again from the record, to the character."""
    sentences: int
    cited: int
    """Factual sentences that stand in the excerpt of the citation that they name."""
    urls_not_fetched: int
    compared: bool
    """Whether the session was run again and every field held against what it yields."""
    faults: tuple[str, ...]
    unchecked: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """True if everything was checked and nothing was found."""
        return not self.faults and not self.unchecked


def audit_alone(result: ResearchResult, why: str) -> AuditReport:
    """What can be said of a result whose session is not there: whether it agrees with itself."""
    sentences, cited, faults = _answer_faults(result, None)
    unchecked = (
        f"{why}: whether its sources were read and say this could not be checked",
        "headings, notes, confidence, titles, gaps, discoveries, open questions and cost could not be compared",
    )
    return _report(result, 0, (sentences, cited), 0, False, faults, unchecked)


def audit_result(
    result: ResearchResult, lines: Sequence[Line], get: Get, texts: ActionTexts, again: Callable[[], ResearchResult]
) -> AuditReport:
    """Hold a result against the record of its session (journal lines and content store), then against the result that
    `again` makes of that record."""
    opened = next((line.record for line in lines if isinstance(line.record, Opened)), None)
    if opened is None or opened.capability != RESEARCH.name:
        fault = "the session that it names is not a research session"
        return _report(result, 0, (0, 0), 0, False, [fault], ())
    faults: list[str] = []
    unchecked: list[str] = []
    end = ending_of(lines)
    stop = None if end is None else end.verdict.stop
    if end is None:
        faults.append("the session has not ended")
    elif not isinstance(end, Closed):
        faults.append("the session has no end of its own")
    if result.citations and stop is not StopReason.SUCCESS_COMPLETED:
        faults.append("the session was stopped, and the result has citations")
    sources = recut_sources(lines, get)
    lost = [one.why_not for one in sources if one.why_not]
    if lost:
        unchecked.append(f"sources cannot be cut from the store again: {lost[0]}")
    recut = absent = 0
    for number, citation in enumerate(result.citations, start=1):
        fault, unread = _citation_fault(citation, sources)
        if fault and lost:
            continue  # it may rest on what was erased
        absent += unread
        recut += not fault
        faults += [f"citation {number}: {fault}"] if fault else []
    labels = _labels(opened, get)
    if labels is None:
        unchecked.append("headings and notes could not be bound to the question: it was erased")
    sentences, cited, wrong = _answer_faults(result, labels)
    faults += wrong
    if not result.citations and end is not None:
        said = NOTHING_TO_CITE if stop is StopReason.SUCCESS_COMPLETED else texts.of(end.verdict.action)
        if result.answer != said:
            faults.append("without citations the answer is not the fixed text of the session's end")
        if result.confidence or result.discovery_events or result.open_questions:
            faults.append("without citations there is no confidence, no discovery and no open question")
    compared = False
    try:
        yields = again()
    except (RequestInvalid, StoreUnusable) as exc:
        unchecked.append(f"{exc}: no field could be compared with what it yields")
    else:
        compared = True
        faults += differences_between(result, yields, worded=_by_model(result))
    if _by_model(result):
        unchecked.append("the answer is worded by a model: held against its citations by words, not made again")
    return _report(result, recut, (sentences, cited), absent, compared, faults, unchecked)


def _report(
    result: ResearchResult,
    recut: int,
    counted: tuple[int, int],
    absent: int,
    compared: bool,
    faults: Sequence[str],
    unchecked: Sequence[str],
) -> AuditReport:
    return AuditReport(
        trace_id=result.trace_id,
        citations=len(result.citations),
        recut=recut,
        sentences=counted[0],
        cited=counted[1],
        urls_not_fetched=absent,
        compared=compared,
        faults=tuple(dict.fromkeys(faults)),
        unchecked=tuple(unchecked),
    )


def _by_model(result: ResearchResult) -> bool:
    return bool(result.citations) and not result.cost_metadata.model_id.startswith(_OURS)


def _labels(opened: Opened, get: Get) -> tuple[str, ...] | None:
    """How the facets of the session's question are called; None where the question is not there any more."""
    stored = get(opened.request)
    if stored is None:
        return None
    try:
        request = ResearchRequest.model_validate_json(stored)
        given = RESEARCH.input_of(request)
    except (ValidationError, RequestInvalid):
        return None
    return tuple(facet.label for facet in given.plan().facets) if isinstance(given, ResearchInput) else None


def _answer_faults(result: ResearchResult, labels: Sequence[str] | None) -> tuple[int, int, list[str]]:
    """How many sentences were counted, how many of them stand where they say, and what is wrong."""
    if not result.citations:
        return 0, 0, []
    if _by_model(result):
        return faults_of_wording(result)
    allowed = None if labels is None else fixed_texts(labels)
    faults: list[str] = []
    named: set[int] = set()
    sentences = cited = 0
    for line in filter(None, (line.strip() for line in result.answer.split("\n"))):
        for sentence, mark in _sentences(line):
            if mark is None and (is_template(sentence) if allowed is None else sentence in allowed):
                continue
            sentences += 1
            named.add(mark or 0)
            if _ANY_MARK.search(sentence):
                faults.append(f"a sentence holds a marker that is not ours: {sentence[:60]}")
            elif mark is None:
                faults.append(f"a sentence has no citation: {sentence[:60]}")
            elif not _stands_in(sentence, mark, result.citations):
                faults.append(f"a sentence does not stand in citation {mark}: {sentence[:60]}")
            else:
                cited += 1
    for number in range(1, len(result.citations) + 1):
        if number not in named:
            faults.append(f"citation {number}: no sentence names it")
    return sentences, cited, faults


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
    if not sentence or not 1 <= number <= len(citations):
        return False
    excerpt = " ".join(without_marks(citations[number - 1].raw_excerpt).split())
    return " ".join(sentence.split()) in without_foreign_marks(excerpt)


def _citation_fault(citation: ResultCitation, sources: Sequence[RecutSource]) -> tuple[str, bool]:
    """What is wrong with a citation, and whether its locator was never read."""
    read = [one for one in sources if one.locator == citation.locator and one.kind in _READ and not one.withheld]
    if not read:
        return "its locator was not read in this session", True
    if citation.source != ("file" if citation.locator.startswith("doc:") else "web"):
        return "its kind of source is not that of its locator", False
    place = citation.evidence
    if place is None:
        return "it names no place", False
    same = [one for one in read if (one.content_hash, one.text_hash) == (place.content_hash, place.text_hash)]
    if not same:
        return "the source that was read has other hashes", False
    if all(citation.title != (one.title or None) for one in same):
        return "its title is not that of the source", False
    if citation.raw_excerpt == NON_TEXT:
        return ("its source has a text, and no excerpt is shown" if any(one.text for one in same) else ""), False
    for one in same:
        if one.start <= place.start and place.end <= one.end:
            cut = one.text[place.start - one.start : place.end - one.start]
            if cut == without_marks(citation.raw_excerpt):
                return _snippet_fault(citation, one), False
    return "its excerpt cannot be cut from the source again", False


def _snippet_fault(citation: ResultCitation, source: RecutSource) -> str:
    if citation.snippet is None:
        return ""
    said = " ".join(citation.snippet.removesuffix(" ...").split())
    return "" if said and said in " ".join(source.text.split()) else "its snippet does not stand in the source"
