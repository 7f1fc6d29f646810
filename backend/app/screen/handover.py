"""The second stage: scores sentences that turn from the document to their reader as to an assistant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from .rulebook import Gate, RuleSet, boundary_after, boundary_before, late_patterns, spans

__all__ = ["HandoverScorer"]

_BEFORE: Final = 240  # bytes that a sentence may begin before its anchor
_BEHIND: Final = 320
_SHORTEST: Final = 48  # what ends sooner is a heading or a cry, and belongs to what follows
_END: Final = re.compile(rb"[.?!][\"')\]]*\s|\n")


class HandoverScorer:
    """Compiled once; every anchor's sentences are scored once, so the work is linear in the text."""

    def __init__(self, rules: RuleSet) -> None:
        data = rules.handover
        self.anchor = "|".join(rules.written(anchor) for anchor in data.anchors)
        (self._anchor,) = late_patterns([self.anchor])
        self._signals = data.signals
        self._patterns = tuple(rules.written(signal.pattern) for signal in data.signals)
        late_patterns(self._patterns)  # one that cannot be read is refused now
        self._bias = data.bias
        self._threshold = data.threshold

    @cached_property
    def _gate(self) -> Gate:
        """Compiled with the first anchor that is met."""
        return Gate(self._patterns)

    def windows(self, data: bytes) -> Iterator[tuple[int, int]]:
        """The sentences round every anchor: those it stands in, and the one that follows."""
        done = 0
        for first, last in spans(self._anchor.compiled, data):
            if first < done:
                continue
            start = _begin(data, first)
            done = _finish(data, last)
            yield start, done

    def signals(self, window: bytes) -> tuple[int, ...]:
        """Which signals a piece of text shows, by position."""
        return tuple(self._gate.hits(window))

    def score(self, window: bytes) -> int:
        """The sum of the weights of the signals that a piece of text shows."""
        return self._bias + sum(self._signals[number].weight for number in self.signals(window))

    def find(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Every group of sentences that scores at least the threshold."""
        return (span for span in self.windows(data) if self.score(data[span[0] : span[1]]) >= self._threshold)


def _begin(data: bytes, anchor: int) -> int:
    """Where the sentence before the anchor's own begins, on the same line."""
    low = boundary_after(data, max(0, anchor - _BEFORE))
    before = start = low
    for match in _END.finditer(data, low, anchor):
        if match[0].endswith(b"\n"):
            before = start = match.end()
        elif match.end() - start >= _SHORTEST:
            before, start = start, match.end()
    return before


def _finish(data: bytes, anchor: int) -> int:
    high = boundary_before(data, min(len(data), anchor + _BEHIND))
    for ends, match in enumerate(_END.finditer(data, anchor, high), start=1):
        if ends == 2 or match[0].endswith(b"\n"):
            return match.end()
    return high
