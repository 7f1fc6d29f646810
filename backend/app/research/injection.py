"""The injection screen: strips carriers, finds directives in every part of a tool's output (§3.4, R7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from ..kernel.results import TRUST_MARKER, Finding, RawItem, RawResult, ScreenedItem, ScreenedResult
from ..parsing.carriers import Stripped, carrier_kinds, strip_carriers
from ..parsing.disguises import Disguises
from ..parsing.folding import Folded, fold
from .handover import HandoverScorer
from .mention import Mentions
from .rulebook import Gate, Rule, RuleSet, Severity, compiled
from .shadow import Shadow, Span

__all__ = ["Directive", "InjectionScreen", "Rule", "RuleSet", "Screening"]

_MOST: Final = 100  # places of one rule in one text; more of the same tell nothing new
_NEAR: Final = 80  # bytes in which a rule's exceptions may stand
_QUOTABLE: Final = "body"
_MAIN: Final = ("any", "en")


@dataclass(frozen=True, slots=True)
class Directive:
    """What a rule found: where it stands in which part, and whether it is used or only mentioned."""

    rule_id: str
    family: str
    severity: Severity
    part: str
    start: int
    end: int
    disguised: bool
    mentioned: bool


@dataclass(frozen=True, slots=True)
class Screening:
    """The whole answer about one text; no word of the text is in it."""

    directives: tuple[Directive, ...]
    carriers: tuple[tuple[str, int], ...]

    @property
    def flagged(self) -> bool:
        """Whether a directive is used."""
        return any(not directive.mentioned for directive in self.directives)


class InjectionScreen:
    """Compiled once; every text is looked at in one pass, and only rules that hit are searched for their spans."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules.rules
        written = tuple(rules.written(rule.pattern) for rule in rules.rules)
        self._spans = tuple(compiled(pattern) for pattern in written)
        self._before = tuple(compiled(f"(?:{rules.written(rule.unless_before)})$") for rule in rules.rules)
        self._after = tuple(compiled(f"^(?:{rules.written(rule.unless_after)})") for rule in rules.rules)
        self._handover = HandoverScorer(rules)
        kinds = ("main" if rule.languages[0] in _MAIN else "others" for rule in rules.rules)
        self._gate = Gate((*written, self._handover.anchor), (*kinds, "others"))
        self._handed = rules.handover
        self._mentions = Mentions(rules)
        self._disguises = Disguises(rules.words())

    def __call__(self, call_id: str, raw: RawResult) -> ScreenedResult:
        """Screen a whole result; an item with a finding is left out of it (R8)."""
        items: list[ScreenedItem] = []
        findings: list[Finding] = []
        removed = 0
        for position, item in enumerate(raw.items):
            parts = tuple(_parts(item))
            folds = [fold(text) for _, text in parts]
            here = tuple(found for found in self._directives(parts, folds) if not found.mentioned)
            stripped = {
                name: strip_carriers(text) if folded.carries else Stripped(text, 0)
                for (name, text), folded in zip(parts, folds, strict=True)
            }
            gone = item.carriers_removed + sum(part.removed for part in stripped.values())
            removed += gone
            findings.extend(_finding(f"items.{position}.{found.part}", found) for found in here)
            if not here:
                items.append(_screened(item, stripped, gone))
        return ScreenedResult(call_id=call_id, items=tuple(items), findings=tuple(findings), carriers_removed=removed)

    def screen(self, text: str) -> Screening:
        """Everything about one text, with offsets into it."""
        folded = fold(text)
        return Screening(
            self._directives(((_QUOTABLE, text),), [folded]), carrier_kinds(text) if folded.carries else ()
        )

    def find(self, text: str) -> tuple[Finding, ...]:
        """The directives that one text uses, with offsets into it."""
        return tuple(_finding("text", found) for found in self.screen(text).directives if not found.mentioned)

    def _directives(self, parts: Sequence[tuple[str, str]], all_folds: Sequence[Folded]) -> tuple[Directive, ...]:
        """Parts are read as one text, so that a directive cut in two by an edge is found, too."""
        named = [part for part in parts if part[1]]
        folds = [folded for folded, (_, text) in zip(all_folds, parts, strict=True) if text]
        shown = Shadow(folds)
        known = {(number, at) for number, start, end in self.matches(shown.data) for at in shown.places(start, end)}
        quoted = self._quoted(named, folds, sorted(known))
        found = {key: key in quoted for key in known}
        hidden = self._undisguised(named, folds, frozenset(known))
        directives = [
            self._directive(number, named[at.piece][0], at, disguised=False, mentioned=mentioned)
            for (number, at), mentioned in found.items()
        ]
        directives += [
            self._directive(number, named[at.piece][0], at, disguised=True, mentioned=False) for number, at in hidden
        ]
        order = {name: place for place, (name, _) in enumerate(named)}
        return tuple(sorted(directives, key=lambda one: (order[one.part], one.start, one.end, one.rule_id)))

    def matches(self, data: bytes) -> list[tuple[int, int, int]]:
        """Rule and place in bytes of everything that one shadow copy shows."""
        found: list[tuple[int, int, int]] = []
        for number in self._gate.hits(data):
            spans = self._handover.find(data) if number == len(self._rules) else self._spans_of(number, data)
            found.extend((number, start, end) for start, end in islice(spans, _MOST))
        return found

    def _spans_of(self, number: int, data: bytes) -> Iterator[tuple[int, int]]:
        for match in self._spans[number].finditer(data):
            if not self._excepted(number, data, match.start(), match.end()):
                yield match.start(), match.end()

    def _excepted(self, number: int, data: bytes, start: int, end: int) -> bool:
        rule = self._rules[number]
        if rule.unless_before and self._before[number].search(data[max(0, start - _NEAR) : start]):
            return True
        return bool(rule.unless_after) and self._after[number].search(data[end : end + _NEAR]) is not None

    def _quoted(
        self, named: Sequence[tuple[str, str]], folds: Sequence[Folded], found: Sequence[tuple[int, Span]]
    ) -> frozenset[tuple[int, Span]]:
        """Those that the body of a page about attacks only quotes; what stands elsewhere is always used."""
        at_body = [(number, at) for number, at in found if named[at.piece][0] == _QUOTABLE]
        if not at_body:
            return frozenset()
        body = folds[at_body[0][1].piece].text
        if not self._mentions.about(body):
            return frozenset()
        marks = self._mentions.quoted(body, tuple((at.low, at.high) for _, at in at_body))
        return frozenset(one for one, quoted in zip(at_body, marks, strict=True) if quoted)

    def _undisguised(
        self, named: Sequence[tuple[str, str]], folds: Sequence[Folded], known: frozenset[tuple[int, Span]]
    ) -> Iterator[tuple[int, Span]]:
        suspects = [self._disguises.suspects(folded.data) for folded in folds]
        plain = [self._disguises.undone(*pair) for pair in zip(folds, suspects, strict=True)]
        seen = {(number, at.piece, at.start, at.end) for number, at in known}
        if any(one is not folded for one, folded in zip(plain, folds, strict=True)):
            bare = Shadow(plain)
            for number, start, end in self.matches(bare.data):
                for at in bare.places(start, end):
                    if not _overlaps(number, at, seen):
                        yield number, at
        for piece, (_, text) in enumerate(named):
            decoded = self._disguises.decoded(text, folds[piece], plain[piece], suspects[piece])
            if decoded is not None:
                data = decoded.folded.data
                done: set[tuple[int, int]] = set()
                for number, start, _ in self.matches(data):
                    low, high = decoded.span(len(data[:start].decode("utf-8")))
                    if (number, low) not in done:
                        done.add((number, low))
                        yield number, Span(piece, low, high, low, high)

    def _directive(self, number: int, part: str, at: Span, *, disguised: bool, mentioned: bool) -> Directive:
        rule = self._rules[number] if number < len(self._rules) else self._handed
        return Directive(rule.id, rule.family, rule.severity, part, at.start, at.end, disguised, mentioned)


def _overlaps(number: int, at: Span, seen: set[tuple[int, int, int, int]]) -> bool:
    return any(
        number == known and at.piece == piece and at.start < end and start < at.end for known, piece, start, end in seen
    )


def _finding(part: str, found: Directive) -> Finding:
    return Finding(rule_id=found.rule_id, part=part, start=found.start, end=found.end)


def _parts(item: RawItem) -> Iterator[tuple[str, str]]:
    """Every text of a candidate under its name; what a reader would not see is screened like the rest."""
    yield "locator", item.locator
    yield "requested", item.requested
    yield "title", item.title
    yield "snippet", item.snippet
    yield "body", item.body
    for number, (name, value) in enumerate(item.metadata):
        yield f"metadata.{number}.name", name
        yield f"metadata.{number}.value", value
    for number, text in enumerate(item.hidden):
        yield f"hidden.{number}", text


def _screened(item: RawItem, stripped: dict[str, Stripped], removed: int) -> ScreenedItem:
    metadata = tuple(
        (stripped[f"metadata.{number}.name"].text, stripped[f"metadata.{number}.value"].text)
        for number in range(len(item.metadata))
    )
    return ScreenedItem(
        kind=item.kind,
        payload=item.payload,
        locator=stripped["locator"].text,
        requested=stripped["requested"].text,
        title=stripped["title"].text,
        snippet=stripped["snippet"].text,
        body=item.body if item.verbatim else stripped["body"].text,
        metadata=metadata,
        content_hash=item.content_hash,
        text_hash=item.text_hash,
        start=item.start,
        end=item.end,
        relevance_milli=item.relevance_milli,
        trust=TRUST_MARKER,
        carriers_removed=removed,
    )
