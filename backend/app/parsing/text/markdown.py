"""Reads Markdown: its source is its text, without the parts that a rendered page does not show."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from .document_parts import DocumentParts, HiddenParts
from .passages import Heading

__all__ = ["read_markdown"]

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_FRONT_EDGE: Final = re.compile(r"---[ \t]*$")
_FRONT_LINE: Final = re.compile(r"[\w-]+[ \t]*:|[ \t]|-[ \t]|#|$")
_FRONT_TITLE: Final = re.compile(r"^title[ \t]*:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
_REFERENCE_COMMENT: Final = re.compile(r" {0,3}\[[^\]\n]{0,80}\]:[ \t]*(?:#|<>)[ \t]+[\"'(](.*)[\"')][ \t]*$")
_TAG: Final = re.compile(r"<([a-z][a-z0-9]{0,20})\b([^<>]{0,1000})>", re.IGNORECASE)
_HIDING: Final = re.compile(
    r"\shidden(?=[\s=/]|$)|aria-hidden\s*=\s*[\"']?true|display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE
)
_CLOSING: Final = re.compile(r"</([a-z][a-z0-9]{0,20})>")
_COMMENT: Final = re.compile(r" {0,3}\[[^\]\n]{0,80}\]:[ \t]*(?:#|<>)[ \t]+[\"'(](.*)[\"')][ \t]*$")
_HIDDEN_TAG: Final = re.compile(
    r"<([a-z][a-z0-9]{0,20})\b[^<>]{0,500}?"
    r"(?:\shidden(?=[\s>=/])|aria-hidden\s*=\s*[\"']?true|display\s*:\s*none|visibility\s*:\s*hidden)[^<>]{0,500}>",
    re.IGNORECASE,
)
_LOOK_BACK: Final = 500
_FRONT_LIMIT: Final = 20_000


def read_markdown(source: str) -> DocumentParts:
    """Text, headings and hidden parts of a Markdown source with normalised line ends."""
    hidden = HiddenParts()
    title = ""
    if front := _front_matter(source):
        named = _FRONT_TITLE.search(front)
        title = named.group(1).strip().strip("\"'") if named else ""
        hidden.add(front.replace("---", " "))
        source = source[len(front) :]
    text = "".join(_visible(source, hidden))
    headings = tuple(_headings(text))
    if not title:
        title = min(headings, key=lambda heading: (heading.level, heading.start)).title if headings else ""
    return DocumentParts(title, text, headings, hidden.frozen(), hidden.too_much)


def _front_matter(source: str) -> str:
    """The block of fields that a file may open with, its edges included; empty where there is none."""
    end = 0
    for line in _split(source[:_FRONT_LIMIT]):
        bare = line.rstrip("\n")
        end += len(line)
        if _FRONT_EDGE.match(bare) is not None:
            if end > len(line):
                return source[:end]
        elif end == len(line) or _FRONT_LINE.match(bare) is None:
            break
    return ""


def _visible(source: str, hidden: HiddenParts) -> Iterator[str]:
    """The source outside comments and hidden elements; code blocks are shown as they are."""
    run: list[str] = []
    for line, in_code in _lines(source):
        if not in_code:
            comment = _REFERENCE_COMMENT.match(line.rstrip("\n"))
            if comment is None:
                run.append(line)
            else:
                hidden.add(comment.group(1))
            continue
        yield _shown("".join(run), hidden)
        run = []
        yield line
    yield _shown("".join(run), hidden)


def _shown(text: str, hidden: HiddenParts) -> str:
    if "<" not in text:
        return text
    text = _cut_out(text, hidden, _comments(text))
    return _cut_out(text, hidden, _hidden_elements(text))


def _cut_out(text: str, hidden: HiddenParts, parts: Iterator[tuple[int, int, int, int]]) -> str:
    """The text without its hidden parts, each given by its outer and inner bounds."""
    kept: list[str] = []
    done = 0
    for start, inner_start, inner_end, end in parts:
        kept.append(text[done:start])
        hidden.add(text[inner_start:inner_end])
        done = end
    kept.append(text[done:])
    return "".join(kept)


def _comments(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Comments in order; one that is never closed stays in sight."""
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        at = start + 4
        if not _in_code_span(text, start):
            end = text.find("-->", at)
            if end < 0:
                return
            yield start, at, end, end + 3
            at = end + 3


def _hidden_elements(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Elements that say that they are hidden, in order; one that is never closed stays in sight."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text
    closings: dict[str, list[int]] = {}  # found in one pass: a search per element would read the text again and again
    for match in _CLOSING.finditer(lowered):
        closings.setdefault(match.group(1), []).append(match.start())
    at = 0
    while (opening := _TAG.search(text, at)) is not None:
        at = opening.end()
        places = closings.get(opening.group(1).lower(), [])
        place = bisect_left(places, at)
        if place == len(places) or _HIDING.search(opening.group(2)) is None or _in_code_span(text, opening.start()):
            continue
        end = places[place]
        yield opening.start(), at, end, end + len(opening.group(1)) + 3
        at = end + len(opening.group(1)) + 3


def _in_code_span(text: str, at: int) -> bool:
    low = max(text.rfind("\n", max(0, at - _LOOK_BACK), at) + 1, at - _LOOK_BACK, 0)
    return text.count("`", low, at) % 2 == 1


def _headings(text: str) -> Iterator[Heading]:
    at = 0
    before: tuple[int, str] | None = None  # the line above, where it may become a heading
    blank = True  # whether the line above is blank: a paragraph's last line is no heading
    for line, in_code in _lines(text):
        bare = line.rstrip("\n")
        end = at + len(bare)
        if in_code:
            before = None
        elif (atx := _ATX.match(bare)) is not None:
            title = _without_closing(atx.group(2) or "")
            if title:
                yield Heading(len(atx.group(1)), title, at, end)
            before = None
        elif before is not None and (rule := _UNDERLINE.match(bare)) is not None:
            yield Heading(1 if rule.group(1)[0] == "=" else 2, before[1], before[0], end)
            before = None
        else:
            plain = bare.strip()
            before = (at, plain) if blank and plain and plain[0] not in "-*+>|#=`" else None
        blank = not bare.strip()
        at += len(line)


def _without_closing(title: str) -> str:
    """A heading without the number signs that may close it."""
    bare = title.rstrip(" \t")
    opened = bare.rstrip("#")
    return (opened if not opened or opened[-1] in " \t" else bare).strip()


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Every line with its end, and whether it stands in a fenced code block (its fences included)."""
    fence = ""
    for line in _split(text):
        match = _FENCE.match(line)
        if fence:
            if match is not None and match.group(1).startswith(fence) and not line[match.end() :].strip():
                fence = ""
            yield line, True
        elif match is not None:
            fence = match.group(1)
            yield line, True
        else:
            yield line, False


def _split(text: str) -> Iterator[str]:
    """Lines by line feed alone: other separators were normalised before."""
    at = 0
    while (end := text.find("\n", at)) >= 0:
        yield text[at : end + 1]
        at = end + 1
    if at < len(text):
        yield text[at:]
