"""Use and mention: tells a directive that a page about attacks quotes from one that a page gives."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Final

from .fold import Folded
from .rulebook import RuleSet, late_patterns

__all__ = ["Mentions", "Quotations"]

_NEAR: Final = 600  # how far a quotation may reach to either side of the directive
# Places looked at in one text. Honest pages have a few dozen; each costs a look at two neighbourhoods of `_NEAR`.
_MOST_PLACES: Final = 10_000
_FENCE: Final = re.compile(r"^[ \t>*-]*(?:```+|~~~+)", re.MULTILINE)
_WORD: Final = re.compile(r"\w+")
# As text: the expression is compiled with the first place that is judged, and the module `re` keeps it.
_LABEL: Final = (
    r"\b(?:examples?|attacks?|payloads?|inputs?|prompts?|injections?|injected content|instructions?|attempts?"
    r"|quer(?:y|ies)|web ?pages?|contents?|texts?|users?|messages?|strings?|e-?mails?|descriptions?|raw)[*_`\"']{0,3}"
    r"[ ]?:[ ]?[|>*_`\"'(\[ \n]{0,12}$"
)
_REPORTED: Final = (
    r"\b(?:like|such as|says?|called|titled|attempts? to|tr(?:y|ies|ying|ied) to|phrases?"
    r"|(?:ask|tell|instruct|order|forc)\w* (?:it|them|the (?:model|llm|ai|assistant|agent|system|chatbot)) to"
    r"|designed to|used to|asked to|told to|means?)[ ]?[\"'`*_(\[]{0,3}$"
)
_CLOSERS: Final = {"'": re.compile(r"(?:^|[\s:(=\[,])'"), "`": re.compile(r"`"), '"': re.compile(r'"')}


class Mentions:
    """Compiled once from the vocabulary of pages about attacks."""

    def __init__(self, rules: RuleSet) -> None:
        data = rules.mention
        self._terms = late_patterns([rules.written(rf"\b(?:{term})") for term in data.terms])
        self._distinct = data.distinct_terms
        self._per_mille = data.per_mille
        self._shortest = data.shortest

    def about(self, text: str) -> bool:
        """Whether a text is about attacks on models or about prompting, by the words outside its code."""
        if len(text) < self._shortest:
            return False
        prose = _outside(text)
        data = prose.encode("utf-8")
        counts = [sum(1 for _ in term.compiled.finditer(data)) for term in self._terms]
        words = sum(1 for _ in _WORD.finditer(prose))
        return sum(map(bool, counts)) >= self._distinct and sum(counts) * 1000 >= self._per_mille * words


class Quotations:
    """Tells which places of one text are quoted; whether the text may quote at all is found out when first asked."""

    def __init__(self, mentions: Mentions, folded: Folded) -> None:
        self._mentions = mentions
        self._folded = folded
        self._left = _MOST_PLACES

    def quoted(self, start: int, end: int) -> bool:
        """Whether the text marks a place as somebody's words and not its own; a place too many counts as used."""
        if self._left == 0 or not self._quotable:
            return False
        self._left -= 1
        k = bisect_right(self._starts, start) - 1
        return (k >= 0 and end <= self._blocks[k][1]) or _marked(self._text, start, end)

    @cached_property
    def _text(self) -> str:
        return self._folded.text

    @cached_property
    def _quotable(self) -> bool:
        return self._mentions.about(self._text)

    @cached_property
    def _blocks(self) -> list[tuple[int, int]]:
        return _fences(self._text)

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _ in self._blocks]


def _fences(text: str) -> list[tuple[int, int]]:
    """Blocks of code, from fence to fence; one that is never closed is none."""
    marks = [match.span() for match in _FENCE.finditer(text)]
    return [(marks[k][1], marks[k + 1][0]) for k in range(0, len(marks) - 1, 2)]


def _outside(text: str) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in _fences(text):
        pieces.append(text[done:start])
        done = end
    return "".join((*pieces, text[done:]))


def _marked(text: str, start: int, end: int) -> bool:
    low, high = max(0, start - _NEAR), min(len(text), end + _NEAR)
    before, after = text[low:start], text[end:high]
    blank = before.rfind("\n\n")
    before = before[blank + 2 :] if blank >= 0 else before
    blank = after.find("\n\n")
    after = after[:blank] if blank >= 0 else after
    line = before[before.rfind("\n") + 1 :]
    if line.lstrip().startswith((">", "|", "    ", "\t")) or line.startswith(("    ", "\t")):
        return True
    if re.search(_LABEL, before[-80:], re.IGNORECASE) or re.search(_REPORTED, before[-60:], re.IGNORECASE):
        return True
    return any(sum(1 for _ in opener.finditer(before)) % 2 == 1 and mark in after for mark, opener in _CLOSERS.items())
