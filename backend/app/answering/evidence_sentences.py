"""The numbered sentences that a model may use: exact slices of the excerpts of a grounded result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..capabilities.answers.research_models import NON_TEXT, ResearchResult
from ..evidence.answering.composer import without_foreign_marks
from ..evidence.excerpts import without_marks
from ..parsing.text.words.sentences import sentences_of

__all__ = ["EvidenceSentence", "evidence_of"]

_MOST: Final = 40
_CHARS_MIN: Final = 12


@dataclass(frozen=True, slots=True)
class EvidenceSentence:
    """One sentence of a citation."""

    number: int
    """Under which the model names it: `e3`."""
    text: str
    citation: int
    """The number of its citation in the answer."""
    title: str


def evidence_of(result: ResearchResult) -> tuple[EvidenceSentence, ...]:
    """The sentences of a result's citations in their order, at most 40; none of a result without citations."""
    found: list[EvidenceSentence] = []
    for citation, cited in enumerate(result.citations, start=1):
        if cited.raw_excerpt == NON_TEXT:
            continue
        excerpt = without_marks(cited.raw_excerpt)
        for span in sentences_of(excerpt):
            text = " ".join(without_foreign_marks(excerpt[span.start : span.end]).split())
            if span.kind != "heading" and len(text) >= _CHARS_MIN and len(found) < _MOST:
                found.append(EvidenceSentence(len(found) + 1, text, citation, cited.title or ""))
    return tuple(found)
