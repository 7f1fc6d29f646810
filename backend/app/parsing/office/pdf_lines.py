"""Lines of a PDF become paragraphs and headings: a PDF only knows where letters stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

__all__ = ["PdfBlock", "PdfLine", "blocks_of", "usual_height", "without_running_lines"]

_APART: Final = 1.35  # of the usual distance of two lines: a paragraph ends
_INDENTED: Final = 0.8  # of a line's height, to the right of the lines round it
_TALL: Final = 1.15  # of the usual height: a heading
_VERY_TALL: Final = 1.5
_LONGEST_HEADING: Final = 150
_REACHES: Final = 0.75  # of the widest line: the next line goes on with the same sentence
_RUNNING_PAGES: Final = 3  # pages with the same first or last line, at least
_RUNNING_SHARE: Final = 0.5
_TIGHT: Final = 0.25
_LONGEST_RUNNING: Final = 80
_DIGITS: Final = re.compile(r"\d{1,6}")
_NUMBER: Final = "#"


@dataclass(frozen=True, slots=True)
class PdfLine:
    """A line of a page, and where it stands: points from the left and from the bottom."""

    text: str
    left: float
    right: float
    top: float
    height: float


@dataclass(frozen=True, slots=True)
class PdfBlock:
    """A paragraph, or a heading of a level."""

    text: str
    level: int = 0


def without_running_lines(pages: Sequence[Sequence[PdfLine]]) -> list[list[PdfLine]]:
    """The pages without their running heads, feet and numbers.

    Such a line is short, stands apart from the text at the edge of its page, and comes again: the same on half of the
    pages, or with a number that goes up with them. What stands in line with the text is text, however often it comes.
    """
    edges: dict[str, list[tuple[int, PdfLine]]] = {}
    for number, page in enumerate(pages):
        for line in _edges(page):
            edges.setdefault(_shape(line), []).append((number, line))
    running = {shape for shape, found in edges.items() if _runs(found, len(pages))}
    return [[line for line in page if line not in _edges(page) or _shape(line) not in running] for page in pages]


def usual_height(pages: Sequence[Sequence[PdfLine]]) -> float:
    """The height of most letters of a document."""
    return _middle([line.height for page in pages for line in page for _ in range(0, len(line.text), 10)])


def blocks_of(lines: Sequence[PdfLine], usual: float) -> Iterator[PdfBlock]:
    """The paragraphs and headings of a page, in order; `usual` is the height of the document's letters."""
    if not lines:
        return
    widest = max(line.right - line.left for line in lines)
    pitch = _pitch(lines) or usual
    run: list[PdfLine] = []
    for line in lines:
        if run and _ends(run, line, pitch, usual):
            yield _block(run, usual, widest)
            run = []
        run.append(line)
    yield _block(run, usual, widest)


def _ends(run: Sequence[PdfLine], line: PdfLine, pitch: float, usual: float) -> bool:
    """Whether a line begins something new: apart, in other letters, indented, or in another column."""
    last = run[-1]
    distance = last.top - line.top
    if distance > _APART * pitch or distance < -usual:
        return True
    if _level(last, usual) != _level(line, usual):
        return True
    left = min(one.left for one in run[-2:])
    return line.left - left > _INDENTED * usual and last.text[-1:] in ".!?:"


def _block(run: Sequence[PdfLine], usual: float, widest: float) -> PdfBlock:
    text = run[0].text
    for above, line in pairwise(run):
        # Lines of a table or of code end early; those of a sentence reach the margin.
        text += (" " if above.right - above.left >= _REACHES * widest else "\n") + line.text
    level = min(_level(line, usual) for line in run)
    return PdfBlock(text, level if len(text) <= _LONGEST_HEADING else 0)


def _level(line: PdfLine, usual: float) -> int:
    if line.height < _TALL * usual:
        return 0
    return 1 if line.height >= _VERY_TALL * usual else 2


def _edges(page: Sequence[PdfLine]) -> list[PdfLine]:
    """The first and the last line of a page, where they are short and stand apart."""
    pitch = _pitch(page, _TIGHT)  # a page of few lines has wide gaps only round its edges
    found = []
    for line, neighbour in ((page[:1], page[1:2]), (page[-1:], page[-2:-1])):
        if line and neighbour and len(line[0].text) <= _LONGEST_RUNNING:
            distance = abs(line[0].top - neighbour[0].top)
            if len(page) == 2 or distance > _APART * pitch:
                found.append(line[0])
    return found


def _runs(found: Sequence[tuple[int, PdfLine]], pages: int) -> bool:
    if len(found) < _RUNNING_PAGES:
        return False
    if len({line.text for _, line in found}) == 1:
        return len(found) >= _RUNNING_SHARE * pages
    offsets = [{int(number) - page for number in _DIGITS.findall(line.text)} for page, line in found]
    return bool(set.intersection(*offsets))


def _pitch(lines: Sequence[PdfLine], share: float = 0.5) -> float:
    """The distance of two lines that this share of them keeps."""
    gaps = sorted(above.top - below.top for above, below in pairwise(lines) if above.top > below.top)
    return gaps[int((len(gaps) - 1) * share)] if gaps else 0.0


def _shape(line: PdfLine) -> str:
    return _DIGITS.sub(_NUMBER, line.text)


def _middle(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2] if values else 0.0
