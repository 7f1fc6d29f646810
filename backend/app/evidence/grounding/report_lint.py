"""Lints the structure of a Markdown report: markers without a source, sources without a marker, doubled sources."""

from __future__ import annotations

import re
from typing import Final, Literal

from ...kernel.models import FrozenModel, Text
from .report_markers import MARKER_STYLES, MarkerStyle, markers_in

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
_ENTRY: Final = re.compile(
    r"^\s*(?:[-*+]\s+)?(?:[\[\u3010\uff3b\u3014]\^?(\d{1,3})[\]\u3011\uff3d\u3015][:.\uff1a]?|(\d{1,3})[.)\uff0e](?=\s))"
    r"\s*(\S.*)?$"
)
_URL: Final = re.compile(r"https?://[^\s<>\"'\]|\u3000-\u303f\uff00-\uff65]+")
_FENCE: Final = re.compile(r"^\s{0,3}(```|~~~)")
_INLINE_CODE: Final = re.compile(r"`[^`\n]+`")
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
    """Lint one report. Markers are `[3]`, `[3, 4]`, `[3-5]`, `[^3]`, `[3](url)` and the same in full width; in a report
    without any bracket raised numbers, or numbers in parentheses. A link to a source names it, too. Code is left alone.
    """
    rows = _rows(text)
    section = _section(rows)
    entries = _entries(rows[section[0] : section[1]]) if section else []
    inside = range(rows[section[0]][0], rows[section[1] - 1][0]) if section and section[1] > section[0] else range(0)
    prose = [row for row in _shown(rows) if not inside or (row[0] not in inside and row[0] != inside.stop)]
    markers = _markers(prose, {entry.number for entry in entries})
    findings: list[LintFinding] = []
    if entries:
        known = {entry.number for entry in entries}
        linked = {_same_page(url) for _, _, line in prose for url in _URL.findall(line)}
        cited = {number for number, *_ in markers}
        cited |= {one.number for one in entries if any(_same_page(url) in linked for url in _URL.findall(one.text))}
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
    end = len(rows)  # of what begins behind this line
    entry = len(rows)  # the first entry behind it
    for place in range(len(rows) - 1, -1, -1):
        _, _, line, prose = rows[place]
        if prose and entry < end and (_HEADING.match(line) or _NAMED.match(line)):
            return place + 1, end
        # A list of sources may have headings of its own; it ends where a heading is followed by no entry.
        if prose and _ANY_HEADING.match(line) and not _entry_follows(rows, place):
            end = place
        if prose and _ENTRY.match(line):
            entry = place
    return None


def _entry_follows(rows: list[tuple[int, int, str, bool]], place: int) -> bool:
    following = [row[2] for row in rows[place + 1 : place + 5] if row[2].strip()]
    return bool(following) and _ENTRY.match(following[0]) is not None


def _entries(rows: list[tuple[int, int, str, bool]]) -> list[_Entry]:
    """The numbered sources, each with the lines that go on with it."""
    found: list[tuple[int, int, int, int, list[str]]] = []
    for line, at, text, prose in rows:
        match = _ENTRY.match(text) if prose else None
        if match is not None and (match[3] or "").strip():
            found.append((int(match[1] or match[2]), line, at, at + len(text), [match[3]]))
        elif found and text.strip() and prose and not _ANY_HEADING.match(text):
            number, first, start, _, parts = found[-1]
            parts.append(text.strip())
            found[-1] = (number, first, start, at + len(text), parts)
    return [
        _Entry(number=number, line=line, start=start, end=end, text=" ".join(parts))
        for number, line, start, end, parts in found
    ]


def _shown(rows: list[tuple[int, int, str, bool]]) -> list[tuple[int, int, str]]:
    """The lines of prose, with code inside of them blanked."""
    return [
        (line, at, _INLINE_CODE.sub(lambda code: " " * len(code[0]), text)) for line, at, text, prose in rows if prose
    ]


def _markers(prose: list[tuple[int, int, str]], known: set[int]) -> list[tuple[int, int, int, int]]:
    """Every number that a marker of the text names, with its place, in the first style that the text has."""
    for style in MARKER_STYLES:
        found = _markers_of(prose, style, known)
        named = sum(number in known for number, *_ in found)
        # Raised and round numbers are markers only where most of them are numbers of sources.
        if found and (style == "bracket" or 2 * named > len(found)):
            return found
    return []


def _markers_of(
    prose: list[tuple[int, int, str]], style: MarkerStyle, known: set[int]
) -> list[tuple[int, int, int, int]]:
    found: list[tuple[int, int, int, int]] = []
    for line, at, text in prose:
        for start, end, numbers in markers_in(text, style):
            if 0 not in numbers or 0 in known:  # [0, 1] is an interval
                found += [(number, line, at + start, at + end) for number in numbers]
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
