"""Markers in a line of a report: the forms in which writers name a numbered source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

__all__ = ["MARKER_STYLES", "MarkerStyle", "markers_in", "numbers_of"]

MarkerStyle = Literal["bracket", "raised", "round"]
MARKER_STYLES: Final[tuple[MarkerStyle, ...]] = ("bracket", "raised", "round")
"""A report has one style: raised and round numbers mean other things, too, so they are read where no bracket is; a
`<sup>` behind a word counts as a bracket."""
_OPEN: Final = r"[\[\u3010\uff3b\u3014]"
_CLOSE: Final = r"[\]\u3011\uff3d\u3015]"
_LIST: Final = r"\d{1,3}(?:\s{0,3}[,;\u3001\uff0c\uff1b~\uff5e\u2010-\u2015-]\s{0,3}\^?\d{1,3}){0,60}"
_AS: Final = r"(?:(?:sources?|refs?\.?|references?|quellen?|\u6765\u6e90|\u6587\u732e|\u8d44\u6599)\s{0,3})?"
_BRACKET: Final = re.compile(
    rf"{_OPEN}\s{{0,3}}{_AS}\^?({_LIST})\s{{0,3}}(?:[\u2020\u2021][^\]\u3011\n]{{0,80}})?{_CLOSE}(?!\()", re.IGNORECASE
)
_LINKED: Final = re.compile(r"\[\[?\^?(\d{1,3})\]?\]\([^)\s]{0,2000}\)")
_MATRIX: Final = re.compile(r"\[\[\s{0,3}\d[\d\s,;.-]{0,80},[\d\s,;.-]{0,80}\]\](?!\()")
_UP: Final = "\u00b9\u00b2\u00b3\u2070\u2074-\u2079"
# Behind a word or a mark: a power stands behind a short unit or a number, as in m and 10.
_BEHIND: Final = r"(?:(?<=[^\W\d_a-zA-Z])|(?<=[.,;:!?)\]\"'\u2019\u201d])|(?<=[a-zA-Z]{4}))"
_TAG: Final = re.compile(rf"{_BEHIND}<sup>\s{{0,3}}[\[(]?({_LIST})[\])]?\s{{0,3}}</sup>", re.IGNORECASE)
_RAISED: Final = re.compile(rf"{_BEHIND}[{_UP}][{_UP}\u207b\u02d2,]{{0,40}}")
_ROUND: Final = re.compile(
    rf"(?<=[^\s\d])\s?[(\uff08]({_LIST})[)\uff09](?=\s{{0,3}}(?:[.,;:!?\u3002\uff0c\uff1b]|[(\uff08]\d|$))"
)
_PLAIN: Final = str.maketrans(
    "\u00b9\u00b2\u00b3\u2070\u2074\u2075\u2076\u2077\u2078\u2079\u207b\u02d2", "1230456789-,"
)
_PARTS: Final = re.compile(r"[,;\u3001\uff0c\uff1b]")
_NUMBER: Final = re.compile(r"\d+")
_WIDEST_RANGE: Final = 60


def markers_in(line: str, style: MarkerStyle) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """The markers of one line in one style: from where to where, and the numbers that they name."""
    if style == "bracket":
        for match in _LINKED.finditer(line):
            yield match.start(), match.end(), (int(match[1]),)
        for match in _TAG.finditer(line):
            yield match.start(), match.end(), numbers_of(match[1])
        bare = _TAG.sub(_blank, _MATRIX.sub(_blank, _LINKED.sub(_blank, line)))
        for match in _BRACKET.finditer(bare):
            yield match.start(), match.end(), numbers_of(match[1])
    elif style == "round":
        for match in _ROUND.finditer(line):
            yield match.start(), match.end(), numbers_of(match[1])
    else:
        for match in _RAISED.finditer(line):
            yield match.start(), match.end(), numbers_of(match[0].translate(_PLAIN))


def numbers_of(inside: str) -> tuple[int, ...]:
    """The numbers of a list such as `1, 3-5`."""
    found: list[int] = []
    for part in _PARTS.split(inside.replace("^", "")):
        ends = [int(number[:4]) for number in _NUMBER.findall(part)]
        if len(ends) == 2 and ends[0] < ends[1] <= ends[0] + _WIDEST_RANGE:
            found.extend(range(ends[0], ends[1] + 1))
        else:
            found.extend(ends)
    return tuple(found)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])
