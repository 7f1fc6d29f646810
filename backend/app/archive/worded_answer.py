"""Holds an answer that a model worded against the citations that its sentences name; by words, as when it left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, product
from typing import Final

from ..capabilities.answers.research_models import ResearchResult
from ..evidence.answering.composer import without_foreign_marks
from ..evidence.excerpts import without_marks
from ..evidence.grounding.line_check import check_line
from ..parsing.text.words.sentences import sentences_of

__all__ = ["faults_of_wording"]

_MARKS: Final = re.compile(r"(?:\[\d{1,3}\]){1,9}(?=\s|$)")
_NUMBER: Final = re.compile(r"\[(\d{1,3})\]")
_TRIED: Final = 64
"""Choices of one sentence per citation that are tried: the model named sentences, the answer names citations."""


def faults_of_wording(result: ResearchResult) -> tuple[int, int, list[str]]:
    """How many sentences there are, how many of them their citations hold, and what is wrong."""
    faults: list[str] = []
    sentences = cited = at = 0
    for match in _MARKS.finditer(result.answer):
        said = result.answer[at : match.start()].strip()
        at = match.end()
        sentences += 1
        numbers = [int(number) for number in _NUMBER.findall(match[0])]
        if any(not 1 <= number <= len(result.citations) for number in numbers):
            faults.append(f"a sentence names a citation that is not there: {said[:60]}")
        elif not _held(said, [_said_by(result, number) for number in numbers]):
            faults.append(f"a sentence is not held by what it cites: {said[:60]}")
        else:
            cited += 1
    if result.answer[at:].strip() or not sentences:
        faults.append(f"a sentence has no citation: {result.answer[at:].strip()[:60]}")
    return sentences, cited, faults


def _said_by(result: ResearchResult, number: int) -> list[str]:
    excerpt = without_marks(result.citations[number - 1].raw_excerpt)
    spans = [span for span in sentences_of(excerpt) if span.kind != "heading"]
    return [" ".join(without_foreign_marks(excerpt[span.start : span.end]).split()) for span in spans]


def _held(said: str, cited: Sequence[list[str]]) -> bool:
    every = [sentence for one in cited for sentence in one]
    if check_line(said, every).holds:
        return True
    return any(check_line(said, choice).holds for choice in islice(product(*cited), _TRIED))
