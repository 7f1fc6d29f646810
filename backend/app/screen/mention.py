"""Use and mention: tells a directive that a passage about attacks quotes from one that a page gives."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Final

from .fold import Folded
from .rulebook import RuleSet, automaton_of

__all__ = ["Mentions", "Quotations"]

_NEAR: Final = 600  # how far a quotation may reach to either side of the directive
# Places looked at in one text. Honest pages have a few dozen; each costs a look at two neighbourhoods of `_NEAR`.
_MOST_PLACES: Final = 10_000
_BLOCK: Final = 256  # characters whose vocabulary is looked up together, once
_FENCE: Final = re.compile(r"^[ \t>*-]*(?:```+|~~~+)", re.MULTILINE)
# As text: the expression is compiled with the first place that is judged, and the module `re` keeps it.
_LABEL: Final = (
    r"\b(?:examples?|attacks?|payloads?|inputs?|prompts?|injections?|injected content|instructions?|attempts?"
    r"|quer(?:y|ies)|web ?pages?|contents?|texts?|users?|messages?|strings?|e-?mails?|descriptions?|raw)[*_`\"']{0,3}"
    r"[ ]?:[ ]?[|>*_`\"'(\[ \n]{0,12}$"
)
_REPORTED: Final = (
    r"\b(?:like|such as|says?|called|titled|attempts? to|tr(?:y|ies|ying|ied) to|phrases?"
    r"|(?:ask|tell|instruct|order|forc|trick|caus|mak|manipulat|convinc|get|lead)\w* (?:it|them|(?:the |an? )?(?:\w+ )?"
    r"(?:models?|llms?|ais?|assistants?|agents?|systems?|chatbots?)) (?:to|into)|and|or|can|could|may|might"
    r"|designed to|used to|asked to|told to|means?)[ ]?[\"'`*_(\[]{0,3}$"
)
_QUOTED: Final = re.compile(
    r"\"[^\"]{3,600}\"|\x60{1,2}[^\x60]{3,600}\x60|(?:^|(?<=[\s(:=\[,]))'[^'\n]{3,400}(?:'[a-z][^'\n]{0,400})?'(?![A-Za-z])"
)
# A quoted line, a row of a table, code by its margin, an item of a list, a value under its key.
_LISTED: Final = re.compile(
    r"^(?:[ \t]*[>|]|  |\t|[ ]?[-*+] |[ ]?[0-9]{1,2}[.)] |\*\*[^*\n]{2,60}\*\*).*$", re.MULTILINE
)
_SIGNS: Final = " \t\r\n.,;:!?\"'\x60*_()[]{}<>|-"
_SENTENCE: Final = re.compile(r"(?<=[.?!:])\s+|\n\s*\n")


class Mentions:
    """Compiled once from the vocabulary of pages about attacks."""

    def __init__(self, rules: RuleSet) -> None:
        data = rules.mention
        self._terms = automaton_of([rules.written(rf"\b(?:{term})") for term in (*data.attack_terms, *data.terms)])
        self.core = frozenset(range(len(data.attack_terms)))
        self.distinct = data.distinct_terms
        self.reach = data.reach

    def describes(self, sentence: str) -> bool:
        """Whether a sentence names an attack."""
        return not self.core.isdisjoint(self.terms(sentence))

    def terms(self, text: str) -> frozenset[int]:
        """Which terms of the vocabulary a piece of text has."""
        return frozenset(self._terms.Match(text.encode("utf-8")) or ())


class Quotations:
    """Tells which places of one text are quoted by a passage about attacks.

    Both are judged where the place stands, never by page: vocabulary far away or a quotation elsewhere excuses
    nothing.
    """

    def __init__(self, mentions: Mentions, folded: Folded) -> None:
        self._mentions = mentions
        self._folded = folded
        self._left = _MOST_PLACES
        self._blocks_of_terms: dict[int, frozenset[int]] = {}

    def quoted(self, start: int, end: int) -> bool:
        """Whether the text marks a place as somebody's words and not its own; a place too many counts as used."""
        return self._asked() and self._speaks_of_attacks(start, end) and self._set_apart(start, end)

    def own_words(self, start: int, end: int) -> str | None:
        """What a passage about attacks says itself at a place: without what it sets apart, and without descriptions.

        None where the passage is not about attacks.
        """
        if not self._asked() or not self._speaks_of_attacks(start, end):
            return None
        left = self._without_apart(start, end)
        return " ".join(part for part in _SENTENCE.split(left) if not self._mentions.describes(part))

    def _asked(self) -> bool:
        self._left -= 1
        return self._left >= 0

    def _set_apart(self, start: int, end: int) -> bool:
        return not self._without_apart(start, end).strip(_SIGNS) or _introduced(self._text, start)

    def _without_apart(self, start: int, end: int) -> str:
        """A place without fenced code, quotations, and lines that are quoted, indented, listed or of a table."""
        text = self._text
        blank = text.rfind("\n\n", max(0, start - _NEAR), start)
        low = blank + 2 if blank >= 0 else max(0, start - _NEAR)
        blank = text.find("\n\n", end, end + _NEAR)
        high = blank if blank >= 0 else min(len(text), end + _NEAR)
        apart = [(low + m.start(), low + m.end()) for m in _QUOTED.finditer(text[low:high])]
        line = max(text.rfind("\n", low, start) + 1, low)
        apart += [(line + m.start(), line + m.end()) for m in _LISTED.finditer(text[line:end])]
        k = bisect_right(self._starts, start) - 1
        apart += [span for span in self._fenced[max(0, k) : k + 3] if span[0] < end]
        left: list[str] = []
        done = start
        for begin, stop in sorted(apart):
            if begin < end and stop > done:
                left.append(text[done : max(done, begin)])
                done = stop
        left.append(text[done:end])
        return "".join(left)

    def _speaks_of_attacks(self, start: int, end: int) -> bool:
        """Whether enough of the vocabulary stands round the place; the other words of the place itself do not count."""
        reach = self._mentions.reach
        first, last = max(0, start - reach) // _BLOCK, (end + reach) // _BLOCK
        found: set[int] = set()
        for block in range(first, last + 1):
            if block not in self._blocks_of_terms:
                piece = self._text[max(0, block * _BLOCK - 16) : (block + 1) * _BLOCK]
                self._blocks_of_terms[block] = self._mentions.terms(piece)
            found |= self._blocks_of_terms[block]
        here = self._mentions.terms(self._text[start : min(end, start + _NEAR)])
        return len(found - (here - self._mentions.core)) >= self._mentions.distinct

    @cached_property
    def _text(self) -> str:
        return self._folded.text

    @cached_property
    def _fenced(self) -> list[tuple[int, int]]:
        return _fences(self._text)

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _ in self._fenced]


def _fences(text: str) -> list[tuple[int, int]]:
    """Blocks of code, from fence to fence; one that is never closed is none."""
    marks = [match.span() for match in _FENCE.finditer(text)]
    return [(marks[k][1], marks[k + 1][0]) for k in range(0, len(marks) - 1, 2)]


def _introduced(text: str, start: int) -> bool:
    """Whether a label or a verb of reporting stands right before a place."""
    before = text[max(0, start - _NEAR) : start]
    blank = before.rfind("\n\n")
    before = before[blank + 2 :] if blank >= 0 else before
    if re.search(_LABEL, before[-80:], re.IGNORECASE):
        return True
    return re.search(_REPORTED, before[-60:], re.IGNORECASE) is not None
