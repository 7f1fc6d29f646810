"""Reads Markdown: its source is its text, without the parts that a rendered page does not show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .passages import Heading
from .sketch import HiddenParts, Sketch

__all__ = ["read_markdown"]

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_FRONT_MATTER: Final = re.compile(r"---[ \t]*\n(?:(?:[\w-]+[ \t]*:.*|[ \t]+.*|-[ \t].*|#.*|)\n)*?---[ \t]*(?:\n|$)")
_FRONT_TITLE: Final = re.compile(r"^title[ \t]*:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
_REFERENCE_COMMENT: Final = re.compile(r" {0,3}\[[^\]\n]{0,80}\]:[ \t]*(?:#|<>)[ \t]+[\"'(](.*)[\"')][ \t]*$")
_HIDDEN_TAG: Final = re.compile(
    r"<([a-z][a-z0-9]{0,20})\b[^<>]{0,500}?"
    r"(?:\shidden(?=[\s>=/])|aria-hidden\s*=\s*[\"']?true|display\s*:\s*none|visibility\s*:\s*hidden)[^<>]{0,500}>",
    re.IGNORECASE,
)
_COMMENT: Final = re.compile("<!--")
_LOOK_BACK: Final = 500
_FRONT_LIMIT: Final = 20_000


def read_markdown(source: str) -> Sketch:
    """Text, headings and hidden parts of a Markdown source with normalised line ends."""
    hidden = HiddenParts()
    title = ""
    front = _FRONT_MATTER.match(source, 0, _FRONT_LIMIT)
    if front is not None:
        named = _FRONT_TITLE.search(front.group())
        title = named.group(1).strip().strip("\"'") if named else ""
        hidden.add(front.group().replace("---", " "))
        source = source[front.end() :]
    text = "".join(_visible(source, hidden))
    headings = tuple(_headings(text))
    if not title:
        title = min(headings, key=lambda heading: (heading.level, heading.start)).title if headings else ""
    return Sketch(title, text, headings, hidden.frozen())


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
    text = _without(text, hidden, _COMMENT)
    return _without(text, hidden, _HIDDEN_TAG)


def _without(text: str, hidden: HiddenParts, opening: re.Pattern[str]) -> str:
    """The text without every part from an opening to its closing; one that is never closed stays in sight."""
    kept: list[str] = []
    absent: set[str] = set()  # closings that do not come any more, so that no text is searched twice for them
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text
    done = at = 0
    while (match := opening.search(text, at)) is not None:
        at = match.end()
        closing = f"</{match.group(1).lower()}>" if match.re.groups else "-->"
        if closing in absent or _in_code_span(text, match.start()):
            continue
        end = lowered.find(closing, at)
        if end < 0:
            absent.add(closing)
            continue
        kept.append(text[done : match.start()])
        hidden.add(text[at:end])
        done = at = end + len(closing)
    kept.append(text[done:])
    return "".join(kept)


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
            title = re.sub(r"(?:^|[ \t]+)#+[ \t]*$", "", atx.group(2) or "").strip()
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
