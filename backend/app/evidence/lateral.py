"""What was read beside the answer: references to other collections, and statements that something is not known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..kernel.results import Source, SourceKind
from ..parsing.text.words.sentences import sentences_of
from .answering.picked_sentences import facts_in
from .excerpts import can_be_cited
from .grounding.coverage import bearing_on

__all__ = ["Reference", "Unread", "Unsettled", "references_in", "unread_in", "unsettled_in"]

_MOST: Final = 3
_SHARED_MIN: Final = 2
_LONGEST: Final = 300  # characters of a sentence that is told
_DOI: Final = re.compile(r"\b10\.\d{4,9}/[-._;()/:A-Za-z0-9]*[A-Za-z0-9]")
_ARXIV: Final = re.compile(r"\barXiv:\s?(\d{4}\.\d{4,5})", re.IGNORECASE)
_TRIAL: Final = re.compile(r"\bNCT\d{8}\b")
_CASE: Final = re.compile(r"\b\d{1,3} U\.S\. \d{1,4}\b|\bCase C-\d+/\d\d\b")
_KINDS: Final = ((_ARXIV, "arxiv"), (_TRIAL, "database"), (_CASE, "legal"), (_DOI, "papers"))
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'\]|{}\\^`\u3000-\u303f\uff00-\uff65]{4,2000}")
_NEAR_MILLI: Final = 500
_UNSETTLED: Final = re.compile(
    r"\b(?:remains? (?:unclear|unknown|unresolved|open|to be (?:seen|determined|shown))|is (?:still )?(?:not (?:yet )?"
    r"(?:known|clear|understood|settled)|unclear|unknown|debated|disputed)|no (?:one|data|studies|evidence) (?:knows?|"
    r"exists?|on|about|for)|(?:further|more|future) (?:research|studies|study|work|data|trials)\b|poorly understood)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reference:
    """An identifier that a source names and that another researcher could follow."""

    researcher: str
    identifier: str
    source: Source


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A sentence of a source that says something is not known."""

    text: str
    source: Source


@dataclass(frozen=True, slots=True)
class Unread:
    """A place that was met and not read."""

    locator: str
    facet: int
    reason: str


def references_in(sources: Sequence[Source], own: frozenset[str] = frozenset()) -> tuple[Reference, ...]:
    """The first few identifiers in what was read, each once; `own` are identifiers of the sources themselves."""
    found: dict[str, Reference] = {}
    for source in sources:
        if not can_be_cited(source):
            continue
        for pattern, researcher in _KINDS:
            for match in pattern.finditer(source.text):
                identifier = match[0]
                if identifier not in own and identifier not in source.locator:
                    found.setdefault(identifier.lower(), Reference(researcher, identifier, source))
    return tuple(found.values())[:_MOST]


def unsettled_in(question: str, sources: Sequence[Source]) -> tuple[Unsettled, ...]:
    """The first few sentences that leave something open about the question itself."""
    wanted = facts_in(question)
    found: list[Unsettled] = []
    for source in sources:
        if not can_be_cited(source):
            continue
        for span in sentences_of(source.text):
            text = " ".join(source.text[span.start : span.end].split())
            if len(text) > _LONGEST or not _UNSETTLED.search(text):
                continue
            if len(facts_in(text) & wanted) >= min(_SHARED_MIN, max(1, len(wanted))):
                found.append(Unsettled(text, source))
    return tuple(found[:_MOST])


def unread_in(asked: Mapping[int, str], found: Sequence[Source], cited: Sequence[Source]) -> tuple[Unread, ...]:
    """The first few places that nobody has read: hits of a search that hold half of a part of the question, then
    addresses in sentences of cited sources that do; `asked` are those parts by number."""
    read = {_plain(one.locator) for one in found if one.kind is not SourceKind.HIT}
    told: dict[str, Unread] = {}
    for hit in found:
        if hit.kind is SourceKind.HIT and (number := _nearest(asked, hit)):
            told.setdefault(_plain(hit.locator), Unread(hit.locator, number, "a search found it and it was not read"))
    wanted = {number: facts_in(text) for number, text in asked.items()}
    for source in cited:
        for span in sentences_of(source.text) if can_be_cited(source) else ():
            sentence = source.text[span.start : span.end]
            for match in _ADDRESS.finditer(sentence):
                held = facts_in(sentence)
                near = [number for number, facts in wanted.items() if 2 * len(facts & held) >= len(facts) > 0]
                url = match[0].rstrip(").,;:!?*_")
                if near:
                    reason = "a cited source names it and it was not read"
                    told.setdefault(_plain(url), Unread(url, near[0], reason))
    return tuple(one for place, one in told.items() if place not in read)[:_MOST]


def _nearest(asked: Mapping[int, str], hit: Source) -> int:
    """The part of the question that a hit holds most of; 0 where it holds less than half of each."""
    held = {number: bearing_on(text, hit).held_milli for number, text in asked.items()}
    best = max(held, key=lambda number: held[number], default=0)
    return best if held.get(best, 0) >= _NEAR_MILLI else 0


def _plain(locator: str) -> str:
    return locator.partition("#")[0].rstrip("/").removeprefix("https://").removeprefix("http://").removeprefix("www.")
