"""Lints the structure of a Markdown report: markers without a source, sources without a marker, doubled sources."""

from __future__ import annotations

import re
from typing import Final, Literal

from ...kernel.models import FrozenModel, Text

__all__ = ["LintFinding", "LintedReport", "lint_report"]

_TITLES: Final = (
    r"sources?|references?|bibliography|works cited|citations?|literature|source list|list of sources|sources cited"
    r"|sources and references|references and sources|key sources|selected sources|quellen|r\u00e9f\u00e9rences"
    r"|\u53c2\u8003\u6587\u732e|\u53c2\u8003\u8d44\u6599|\u6765\u6e90|\u8d44\u6599\u6765\u6e90|\u5f15\u7528\u6765\u6e90"
    r"|\u4fe1\u606f\u6765\u6e90|\u53c2\u8003\u6765\u6e90|\u6570\u636e\u6765\u6e90"
)
_HEADING: Final = re.compile(
    rf"^\s{{0,3}}(?:#{{1,6}}\s*|\*\*|__)?(?:\d+[.)]\s*)?(?:{_TITLES})"
    r"(?:\s*[(\uff08][^)\uff09]{0,40}[)\uff09])?\s*(?:\*\*|__)?\s*[:\uff1a]?\s*(?:\*\*|__|#+)?\s*$",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"^\s{0,3}(?:#{1,6}\s|\*\*).*(?:\bsources\b|\breferences\b|\bcitations\b|\u53c2\u8003|\u6765\u6e90|\u6587\u732e|\u5f15\u7528)",
    re.IGNORECASE,
)
_ANY_HEADING: Final = re.compile(r"^\s{0,3}#{1,6}\s")
_ENTRY: Final = re.compile(r"^\s*(?:[-*+]\s+)?(?:\[\^?(\d{1,3})\][:.]?|(\d{1,3})[.)](?=\s))\s*(\S.*)?$")
_BRACKETS: Final = re.compile(r"\[\^?(\d{1,3}(?:\s*(?:,|;|-|\u2013|\u3001)\s*\^?\d{1,3})*)\](?!\()")
_LINKED: Final = re.compile(r"\[\[?\^?(\d{1,3})\]?\]\([^)\s]*\)")
_URL: Final = re.compile(r"https?://[^\s<>\"'\]|\u3000-\u303f\uff00-\uff65]+")
_FENCE: Final = re.compile(r"^\s{0,3}(```|~~~)")
_INLINE_CODE: Final = re.compile(r"`[^`\n]+`")
_WIDEST_RANGE: Final = 60
Kind = Literal["dangling_marker", "uncited_source", "duplicate_source", "numbering_gap"]


class LintFinding(FrozenModel):
    """One finding; `line` counts from 1, `start` and `end` are offsets into the text."""

    kind: Kind
    number: int
    line: int
    start: int
    end: int
    detail: Text


class LintedReport(FrozenModel):
    """What the structure of a report says: its markers, its sources, and what does not fit."""

    has_source_section: bool
    markers: int
    sources: int
    findings: tuple[LintFinding, ...]


class _Entry(FrozenModel):
    number: int
    line: int
    start: int
    end: int
    text: Text


def lint_report(text: str) -> LintedReport:
    """Lint one report. Markers are `[3]`, `[3, 4]`, `[3-5]`, `[^3]` and `[3](url)`; code is left alone."""
    rows = _rows(text)
    section = _section(rows)
    entries = _entries(rows[section[0] : section[1]]) if section else []
    inside = range(rows[section[0]][0], rows[section[1] - 1][0]) if section and section[1] > section[0] else range(0)
    markers = _markers(rows, inside)
    findings: list[LintFinding] = []
    if entries:
        known = {entry.number for entry in entries}
        cited = {number for number, *_ in markers}
        seen: set[int] = set()
        for number, line, start, end in markers:
            if number not in known and number not in seen:
                seen.add(number)
                findings.append(_finding("dangling_marker", number, line, start, end, "no source has this number"))
        findings += [
            _finding("uncited_source", one.number, one.line, one.start, one.end, "no marker in the text names it")
            for one in entries
            if one.number not in cited
        ]
        findings += _doubled(entries)
        findings += _numbering(entries)
    return LintedReport(
        has_source_section=bool(entries), markers=len(markers), sources=len(entries), findings=tuple(findings)
    )


def _rows(text: str) -> list[tuple[int, int, str, bool]]:
    """Line number, offset, text, and whether it is prose; lines of fenced code are not."""
    rows: list[tuple[int, int, str, bool]] = []
    at, fenced = 0, False
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        fence = _FENCE.match(line) is not None
        rows.append((number, at, line.rstrip("\r\n"), not fenced and not fence))
        fenced = fenced is not fence
        at += len(line)
    return rows


def _section(rows: list[tuple[int, int, str, bool]]) -> tuple[int, int] | None:
    """From the line behind the last heading of a list of sources to the next heading with another subject, as places in
    `rows`; the last one that has entries."""
    for place in range(len(rows) - 1, -1, -1):
        _, _, line, prose = rows[place]
        if not prose or not (_HEADING.match(line) or _NAMED.match(line)):
            continue
        end = place + 1
        while end < len(rows):
            # A list of sources may have headings of its own; it ends where a heading is followed by no entry.
            if rows[end][3] and _ANY_HEADING.match(rows[end][2]) and not _entry_follows(rows, end):
                break
            end += 1
        if any(_ENTRY.match(row[2]) for row in rows[place + 1 : end] if row[3]):
            return place + 1, end
    return None


def _entry_follows(rows: list[tuple[int, int, str, bool]], place: int) -> bool:
    following = [row[2] for row in rows[place + 1 : place + 5] if row[2].strip()]
    return bool(following) and _ENTRY.match(following[0]) is not None


def _entries(rows: list[tuple[int, int, str, bool]]) -> list[_Entry]:
    found: list[_Entry] = []
    for line, at, text, prose in rows:
        match = _ENTRY.match(text) if prose else None
        if match is not None and (match[3] or "").strip():
            number = int(match[1] or match[2])
            found.append(_Entry(number=number, line=line, start=at, end=at + len(text), text=match[3]))
        elif found and text.strip() and prose and not _ANY_HEADING.match(text):
            last = found[-1]
            more = f"{last.text} {text.strip()}"
            found[-1] = _Entry(number=last.number, line=last.line, start=last.start, end=at + len(text), text=more)
    return found


def _markers(rows: list[tuple[int, int, str, bool]], section: range) -> list[tuple[int, int, int, int]]:
    """Every number that a marker of the text names, with its place; the list of sources itself is left out."""
    found: list[tuple[int, int, int, int]] = []
    for line, at, text, prose in rows:
        if not prose or line in section or (section and line == section.stop):
            continue
        shown = _INLINE_CODE.sub(lambda code: " " * len(code[0]), text)
        for match in _LINKED.finditer(shown):
            found.append((int(match[1]), line, at + match.start(), at + match.end()))
        bare = _LINKED.sub(lambda link: " " * len(link[0]), shown)
        for match in _BRACKETS.finditer(bare):
            numbers = _numbers(match[1])
            found += [(number, line, at + match.start(), at + match.end()) for number in numbers]
    return found


def _numbers(inside: str) -> list[int]:
    found: list[int] = []
    for part in re.split(r"[,;\u3001]", inside.replace("^", "")):
        ends = [int(number) for number in re.findall(r"\d+", part)]
        if len(ends) == 2 and ends[0] < ends[1] <= ends[0] + _WIDEST_RANGE:
            found.extend(range(ends[0], ends[1] + 1))
        else:
            found.extend(ends)
    return found


def _doubled(entries: list[_Entry]) -> list[LintFinding]:
    """Sources with the URL of an earlier one, and numbers that stand twice."""
    findings: list[LintFinding] = []
    urls: dict[str, int] = {}
    numbers: set[int] = set()
    for one in entries:
        for url in dict.fromkeys(_same_page(found) for found in _URL.findall(one.text)):
            if url in urls and urls[url] != one.number:
                detail = f"the same URL as source {urls[url]}"
                findings.append(_finding("duplicate_source", one.number, one.line, one.start, one.end, detail))
                break
            urls.setdefault(url, one.number)
        if one.number in numbers:
            detail = "the number stands twice"
            findings.append(_finding("duplicate_source", one.number, one.line, one.start, one.end, detail))
        numbers.add(one.number)
    return findings


def _same_page(url: str) -> str:
    bare = url.rstrip(").,;*_").partition("#")[0].rstrip("/")
    scheme, _, rest = bare.partition("://")
    host, slash, path = rest.partition("/")
    return f"{host.lower().removeprefix('www.')}{slash}{path}" if scheme else bare


def _numbering(entries: list[_Entry]) -> list[LintFinding]:
    findings: list[LintFinding] = []
    numbers = {one.number for one in entries}
    before = min(numbers)
    for one in sorted(entries, key=lambda entry: entry.number):
        if one.number > before + 1:
            missing = f"{before + 1}" if one.number == before + 2 else f"{before + 1} to {one.number - 1}"
            detail = f"{missing} missing before it"
            findings.append(_finding("numbering_gap", one.number, one.line, one.start, one.end, detail))
        before = one.number
    return findings


def _finding(kind: Kind, number: int, line: int, start: int, end: int, detail: str) -> LintFinding:
    return LintFinding(kind=kind, number=number, line=line, start=start, end=end, detail=detail)
