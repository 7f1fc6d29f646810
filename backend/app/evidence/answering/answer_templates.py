"""The fixed texts of an answer: everything in it that is not a sentence of a source comes from this list."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ..grounding.facets import asks

__all__ = [
    "NOTHING_TO_CITE",
    "about",
    "columns",
    "differ",
    "fixed_texts",
    "is_template",
    "not_covered",
    "not_tried",
    "partly",
]

NOTHING_TO_CITE: Final = "No sources are available for this request."
"""The text of the contract for UNKNOWN: sources came, and no sentence of them can be cited."""
_ABOUT: Final = "About {}:"
_ASKED: Final = "{}?"
_COLUMNS: Final = "The columns of the table:"
_DIFFER: Final = "The sources differ here:"
_NOT_COVERED: Final = "Not found in the sources: {}."
_NOT_TRIED: Final = "Not looked up within the budget: {}."
_PARTLY: Final = "The answer rests on a single source."
_SLOT: Final = r"[^\n]{1,500}"  # a label is a part of the question, which has one line
_PATTERNS: Final = tuple(
    re.compile(r"\A" + re.escape(text).replace(r"\{\}", _SLOT) + r"\Z")
    for text in (_ABOUT, _ASKED, _COLUMNS, _DIFFER, _NOT_COVERED, _NOT_TRIED, _PARTLY)
)


def about(label: str) -> str:
    """A heading above the sentences of one facet."""
    plain = label.rstrip("?. ")
    if asks(plain):
        return _ASKED.format(plain[:1].upper() + plain[1:])
    return _ABOUT.format(plain)


def columns() -> str:
    """Stands above the headings of a table of which a row is quoted."""
    return _COLUMNS


def differ() -> str:
    """Stands above sentences that contradict each other."""
    return _DIFFER


def not_covered(label: str) -> str:
    """A facet that was looked for and not found."""
    return _NOT_COVERED.format(label.rstrip("?. "))


def not_tried(label: str) -> str:
    """A facet that was not looked for."""
    return _NOT_TRIED.format(label.rstrip("?. "))


def partly() -> str:
    """A caveat: nothing corroborates the answer."""
    return _PARTLY


def fixed_texts(labels: Iterable[str]) -> frozenset[str]:
    """Every fixed text that an answer about these facets can hold; nothing else stands in it without a citation."""
    bound = (text for label in labels for text in (about(label), not_covered(label), not_tried(label)))
    return frozenset((columns(), differ(), partly(), *bound))


def is_template(line: str) -> bool:
    """True if a line of an answer has the shape of a fixed text; what stands in its slot is not looked at."""
    return any(pattern.match(line) for pattern in _PATTERNS)
