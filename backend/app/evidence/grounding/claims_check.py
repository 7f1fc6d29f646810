"""Checks a written text against its sources, claim by claim: coverage, markers, quotes, numbers and names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ...kernel.models import FrozenModel, Text
from ...parsing.text.words.sentences import sentences_of
from ...parsing.text.words.tokens import asked_words, is_light, language_in, stems_in
from .coverage import Coverage, coverage_of

__all__ = ["CheckedClaim", "GroundingFinding", "GroundingReport", "SourceText", "check_grounding"]

_MARKS: Final = re.compile(r"\s*\[(\d{1,3}(?:\s*[,;-]\s*\d{1,3})*)\]")
_QUOTE: Final = re.compile(r"[\"\u201c\u00ab]([^\"\u201c\u201d\u00ab\u00bb\n]{12,400})[\"\u201d\u00bb]")
_NUMBER: Final = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\w])")
_NAME: Final = re.compile(
    r"(?<=[a-z,;:)\u2019'\"] )(?:[A-Z][\w'\u2019-]*[a-z]\w*|[A-Z]{2,})(?: (?:[A-Z][\w'\u2019-]+))*"
)
_SPACES: Final = re.compile(r"\s+")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_CLAIM_CHARS_MIN: Final = 20
_LANGUAGE_CHARS: Final = 4_000
_NAME_WEIGHT, _PLAIN, _LIGHT = 15, 10, 1
Kind = Literal[
    "dangling_marker", "uncited_claim", "uncited_source", "quote_not_found", "number_not_found", "name_not_found"
]


class SourceText(FrozenModel):
    """One numbered source: its number in the text, and what it says."""

    number: int
    text: Text
    title: Text = ""


class GroundingFinding(FrozenModel):
    """Something that the cited sources do not hold, with its offsets in the text."""

    kind: Kind
    start: int
    end: int
    detail: Text


class CheckedClaim(FrozenModel):
    """One sentence of the text: where it stands, what it cites, and how much of it the cited sources hold."""

    start: int
    end: int
    citations: tuple[int, ...]
    coverage: Coverage
    held_milli: int


class GroundingReport(FrozenModel):
    """Coverage, never a verdict: a claim that is addressed may still be contradicted."""

    claims: tuple[CheckedClaim, ...]
    findings: tuple[GroundingFinding, ...]
    addressed: int
    partially_addressed: int
    not_addressed: int


def check_grounding(
    text: str, sources: Sequence[SourceText], *, fixed: Callable[[str], bool] = lambda _: False, lead: str = ""
) -> GroundingReport:
    """Check every sentence against the sources that it cites, or against all where it cites none. A sentence without a
    marker that is `fixed` (our own headings and notes) claims nothing, and `lead` may stand before a claim."""
    known = {source.number: _read(source) for source in sources}
    every = tuple(known.values())
    claims: list[CheckedClaim] = []
    findings: list[GroundingFinding] = []
    named: set[int] = set()
    for start, end, numbers in _claims(text, fixed, lead):
        claim = _MARKS.sub("", text[start:end]).strip()
        named.update(numbers)
        for number in numbers:
            if number not in known:
                findings.append(_found("dangling_marker", start, end, f"there is no source {number}"))
        if not numbers:
            findings.append(_found("uncited_claim", start, end, "the claim names no source"))
        cited = [known[number] for number in numbers if number in known]
        read = tuple(cited) if numbers else every
        held = _held(claim, read)
        claims.append(
            CheckedClaim(start=start, end=end, citations=numbers, coverage=coverage_of(held), held_milli=held or 0)
        )
        if read:
            findings.extend(_details(text, start, end, read))
    findings += [
        _found("uncited_source", 0, 0, f"no claim names source {number}") for number in known if number not in named
    ]
    words = [claim.coverage for claim in claims]
    return GroundingReport(
        claims=tuple(claims),
        findings=tuple(findings),
        addressed=words.count("addressed"),
        partially_addressed=words.count("partially_addressed"),
        not_addressed=words.count("not_addressed"),
    )


def _claims(text: str, fixed: Callable[[str], bool], lead_in: str) -> list[tuple[int, int, tuple[int, ...]]]:
    """The sentences with the numbers of their markers, which may stand before or behind the full stop."""
    found: list[tuple[int, int, tuple[int, ...]]] = []
    for span in sentences_of(text):
        if span.kind == "heading":
            continue
        start, end = span.start, span.end
        lead = _MARKS.match(text, start)
        while lead is not None and found:  # markers behind the full stop belong to the sentence before
            before = found[-1]
            found[-1] = (before[0], lead.end(), (*before[2], *_numbers(lead[1])))
            start = lead.end()
            lead = _MARKS.match(text, start)
        while start < end and text[start].isspace():
            start += 1
        if lead_in and text.startswith(lead_in, start):
            start += len(lead_in)
            while start < end and text[start].isspace():
                start += 1
        said = text[start:end]
        numbers = tuple(number for match in _MARKS.finditer(said) for number in _numbers(match[1]))
        ours = not numbers and fixed(said.strip()) and not _MARKS.match(text, end)
        if len(_MARKS.sub("", said).strip()) >= _CLAIM_CHARS_MIN and not ours:
            found.append((start, end, tuple(dict.fromkeys(numbers))))
    return found


def _numbers(inside: str) -> tuple[int, ...]:
    found: list[int] = []
    for part in re.split(r"[,;]", inside):
        ends = [int(number) for number in re.findall(r"\d+", part)]
        found.extend(range(ends[0], ends[1] + 1) if len(ends) == 2 and ends[0] < ends[1] <= ends[0] + 50 else ends)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _ReadSource:
    """A source as claims are held against it: read once, however many claims there are."""

    plain: str
    digits: frozenset[str]
    language: str
    stems: frozenset[str]
    """In its own language and in English."""


def _read(source: SourceText) -> _ReadSource:
    said = _SPACES.sub(" ", f"{source.title} {source.text}")
    own = language_in(said[:_LANGUAGE_CHARS])
    digits = frozenset(_NUMBER.findall(_THOUSANDS.sub("", said)))
    stems = stems_in(said, tuple(dict.fromkeys((own, "en"))))
    return _ReadSource(_straight(said).lower(), digits, own, stems)


def _held(claim: str, sources: Sequence[_ReadSource]) -> int | None:
    """How much of a claim the best of its sources holds, None without any: names and numbers count most, words like
    `usually` hardly."""
    numbers = _NUMBER.findall(_THOUSANDS.sub("", claim))
    weighed: dict[str, list[tuple[tuple[str, ...], int]]] = {}  # its words are the same for all sources of a language
    best: int | None = None
    for source in sources:
        words = weighed.get(source.language)
        if words is None:
            words = weighed[source.language] = _weighed(claim, source.language)
        total = held = _NAME_WEIGHT * len(numbers)
        held -= _NAME_WEIGHT * sum(number not in source.digits for number in numbers)
        for stems, weight in words:
            total += weight
            held += 0 if source.stems.isdisjoint(stems) else weight
        best = max(best or 0, 1000 * held // total if total else 0)
    return best


def _weighed(claim: str, language: str) -> list[tuple[tuple[str, ...], int]]:
    """The words of a claim with their weights, as they are read beside a source of this language."""
    languages = tuple(dict.fromkeys((language_in(claim, language), language)))
    return [
        (
            word.stems,
            _NAME_WEIGHT if word.marked else _LIGHT if is_light(word, languages[0], languages) else _PLAIN,
        )
        for word in asked_words(_NUMBER.sub(" ", claim), languages)
    ]


def _details(text: str, start: int, end: int, read: Sequence[_ReadSource]) -> list[GroundingFinding]:
    """Quotes, numbers and names of a claim that none of its sources holds."""
    found: list[GroundingFinding] = []
    claim = text[start:end]
    for quote in _QUOTE.finditer(claim):
        words = _straight(_SPACES.sub(" ", quote[1])).strip(" .,").lower()
        if not any(words in source.plain for source in read):
            at = start + quote.start(1)
            found.append(_found("quote_not_found", at, at + len(quote[1]), "no cited source says this word for word"))
    bare = _MARKS.sub(lambda mark: " " * len(mark[0]), claim)
    for number in _NUMBER.finditer(bare):
        plain = _THOUSANDS.sub("", number[0])
        if not any(plain in source.digits for source in read):
            at = start + number.start()
            found.append(_found("number_not_found", at, at + len(number[0]), "no cited source has this number"))
    for name in _NAME.finditer(bare):
        if not all(any(stem in source.stems for source in read) for stem in stems_in(name[0], ("en",))):
            at = start + name.start()
            found.append(_found("name_not_found", at, at + len(name[0]), "no cited source has this name"))
    return found


def _straight(text: str) -> str:
    return text.replace("\u2019", "'").replace("\u2018", "'").replace("\u201c", '"').replace("\u201d", '"')


def _found(kind: Kind, start: int, end: int, detail: str) -> GroundingFinding:
    return GroundingFinding(kind=kind, start=start, end=end, detail=detail)
