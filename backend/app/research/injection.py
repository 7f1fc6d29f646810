"""The injection screen: strips carriers, finds directives in every part of a tool's output (§3.4, R7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from ..kernel.results import TRUST_MARKER, Finding, RawItem, RawResult, ScreenedItem, ScreenedResult
from ..screen.carriers import Stripped, carrier_kinds, strip_carriers
from ..screen.disguises import Decoded, Disguises
from ..screen.fold import Folded, fold
from ..screen.handover import HandoverScorer
from ..screen.mention import Mentions, Quotations
from ..screen.rulebook import Gate, Rule, RuleSet, boundary_after, boundary_before, late_patterns, spans
from ..screen.shadow import Shadow, Span, Taken
from ..screen.weights import Severity
from ..screen.window_scorer import Share, WindowScorer

__all__ = ["Directive", "InjectionScreen", "Rule", "RuleSet", "Screening", "Share"]

_ENOUGH: Final = 100  # places of one rule in one text; once one is used, more of the same tell nothing new
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


class _Copies(NamedTuple):
    """The shadow copies of one item: as it shows, without disguises, and what its encoded runs say."""

    shown: Shadow
    bare: Shadow | None
    quotations: Mapping[int, Quotations]
    bare_quotations: Mapping[int, Quotations]
    decoded: Sequence[Decoded | None]


class InjectionScreen:
    """Compiled once; every text is looked at in one pass, and only rules that hit are searched for their spans."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules.rules
        written = tuple(rules.written(rule.pattern) for rule in rules.rules)
        self._spans = late_patterns(written)
        self._before = late_patterns([f"(?:{rules.written(rule.unless_before)})$" for rule in rules.rules])
        self._after = late_patterns([f"^(?:{rules.written(rule.unless_after)})" for rule in rules.rules])
        self._handover = HandoverScorer(rules)
        kinds = ("main" if rule.languages[0] in _MAIN else "others" for rule in rules.rules)
        self._gate = Gate((*written, self._handover.anchor), (*kinds, "others"))
        self._handed = rules.handover
        self._windows = (
            WindowScorer(rules.lexicon, rules.window, lambda data: bool(self.matches(data)))
            if rules.lexicon and rules.window
            else None
        )
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
        quotations = self._quotations(named, folds)
        known = {number: self._known(number, shown, quotations) for number in self._gate.hits(shown.data)}
        suspects = [self._disguises.suspects(folded.data) for folded in folds]
        plain = [self._disguises.undone(*pair) for pair in zip(folds, suspects, strict=True)]
        decoded = [
            self._disguises.decoded(named[piece][1], folds[piece], plain[piece], suspects[piece])
            for piece in range(len(named))
        ]
        bare = Shadow(plain) if any(one is not folded for one, folded in zip(plain, folds, strict=True)) else None
        hidden = tuple(self._undisguised(bare, decoded, known))
        directives = [
            self._directive(number, named[at.piece][0], at, disguised=False, mentioned=mentioned)
            for number, found in known.items()
            for count, (at, mentioned) in enumerate(found.items())
            if count < _ENOUGH or not mentioned
        ]
        directives += [
            self._directive(number, named[at.piece][0], at, disguised=True, mentioned=False) for number, at in hidden
        ]
        judged = [*(at for found in known.values() for at in found), *(at for _, at in hidden)]
        known_enough = len(judged) >= _ENOUGH and any(not one.mentioned for one in directives)
        if self._windows is not None and not known_enough:
            copies = _Copies(shown, bare, quotations, self._quotations(named, plain), decoded)
            directives += [
                Directive(*self._windows.named, named[at.piece][0], at.start, at.end, disguised, mentioned)
                for at, disguised, mentioned in _windows_of(self._windows, copies, judged)
            ]
        order = {name: place for place, (name, _) in enumerate(named)}
        return tuple(sorted(directives, key=lambda one: (order[one.part], one.start, one.end, one.rule_id)))

    def matches(self, data: bytes) -> list[tuple[int, int, int]]:
        """Rule and place in bytes of what one shadow copy shows; of each rule the first places."""
        return [
            (number, start, end)
            for number in self._gate.hits(data)
            for start, end in islice(self._places(number, data), _ENOUGH)
        ]

    def _places(self, number: int, data: bytes) -> Iterator[tuple[int, int]]:
        """Every place of a rule in order, in bytes that begin and end between two characters."""
        if number == len(self._rules):
            yield from self._handover.find(data)
            return
        for start, end in spans(self._spans[number].compiled, data):
            if not self._excepted(number, data, start, end):
                yield start, end

    def _excepted(self, number: int, data: bytes, start: int, end: int) -> bool:
        rule = self._rules[number]
        low = boundary_after(data, max(0, start - _NEAR))
        high = boundary_before(data, min(len(data), end + _NEAR))
        if rule.unless_before and self._before[number].compiled.search(data[low:start]):
            return True
        return bool(rule.unless_after) and self._after[number].compiled.search(data[end:high]) is not None

    def _known(self, number: int, shown: Shadow, quotations: Mapping[int, Quotations]) -> dict[Span, bool]:
        """Where a rule hits what is plain to see, and whether a page about attacks only quotes it there.

        Quoted places must not hide a used one behind them, so the search goes on until there is one. What stands
        outside the body is always used.
        """
        found: dict[Span, bool] = {}
        used = False
        for count, (start, end) in enumerate(self._places(number, shown.data)):
            if used and count >= _ENOUGH:
                break
            for at in shown.places(start, end):
                found[at] = at.piece in quotations and quotations[at.piece].quoted(at.low, at.high)
                used = used or not found[at]
        return found

    def _quotations(self, named: Sequence[tuple[str, str]], folds: Sequence[Folded]) -> dict[int, Quotations]:
        return {
            piece: Quotations(self._mentions, folds[piece])
            for piece, (name, _) in enumerate(named)
            if name == _QUOTABLE
        }

    def _undisguised(
        self, bare: Shadow | None, decoded: Sequence[Decoded | None], known: Mapping[int, Mapping[Span, bool]]
    ) -> Iterator[tuple[int, Span]]:
        if bare is not None:
            for number in self._gate.hits(bare.data):
                for at in self._hidden(number, bare, known.get(number, {})):
                    yield number, at
        for piece, runs in enumerate(decoded):
            if runs is not None:
                said = Shadow([runs.folded])
                hits = self.matches(said.data)
                yield from _once(
                    (number, at) for number, start, end in hits for at in _origins(piece, runs, said, start, end)
                )

    def _hidden(self, number: int, bare: Shadow, known: Mapping[Span, bool]) -> Iterator[Span]:
        """Where a rule hits without disguises and did not before; quoted places hide none behind them here, either."""
        taken = Taken(known)
        used = not all(known.values())
        for count, (start, end) in enumerate(self._places(number, bare.data)):
            if used and count >= _ENOUGH:
                break
            for at in bare.places(start, end):
                if not taken.overlaps(at):
                    used = True
                    yield at

    def _directive(self, number: int, part: str, at: Span, *, disguised: bool, mentioned: bool) -> Directive:
        rule = self._rules[number] if number < len(self._rules) else self._handed
        return Directive(rule.id, rule.family, rule.severity, part, at.start, at.end, disguised, mentioned)

    def explain(self, text: str) -> tuple[Share, ...]:
        """What each concept and each mark adds to the score of one text; empty without a window scorer."""
        if self._windows is None:
            return ()
        return self._windows.shares(self._plain(text))

    def mended(self, text: str) -> str | None:
        """One text as it was meant, in small letters, where a word has a slip and a rule finds a directive then."""
        return self._windows.mended(self._plain(text)) if self._windows is not None else None

    def _plain(self, text: str) -> str:
        folded = fold(text)
        return self._disguises.undone(folded, self._disguises.suspects(folded.data)).text


def _windows_of(scorer: WindowScorer, copies: _Copies, judged: Sequence[Span]) -> Iterator[tuple[Span, bool, bool]]:
    """Flagged windows in which no rule has judged a place already; disguised, and only mentioned."""
    found = list(judged)
    for at, mentioned in _windows_in(scorer, copies.shown, copies.quotations, Taken(found)):
        found.append(at)
        yield at, False, mentioned
    if copies.bare is not None:
        for at, mentioned in _windows_in(scorer, copies.bare, copies.bare_quotations, Taken(found)):
            yield at, True, mentioned
    taken = Taken(judged)
    for piece, runs in enumerate(copies.decoded):
        if runs is not None:
            said = Shadow([runs.folded])
            spans = (at for place in scorer.find(said.data) for at in _origins(piece, runs, said, *place))
            yield from ((at, True, False) for _, at in _once((0, at) for at in spans) if not taken.overlaps(at))


def _windows_in(
    scorer: WindowScorer, shadow: Shadow, quotations: Mapping[int, Quotations], taken: Taken
) -> Iterator[tuple[Span, bool]]:
    """Quoted windows must not hide a used one behind them, so the search goes on until there is one."""
    used = False
    for count, (start, end) in enumerate(scorer.find(shadow.data)):
        if used and count >= _ENOUGH:
            break
        spans = tuple(shadow.places(start, end))
        if any(map(taken.overlaps, spans)):
            continue
        for at in spans:
            own = quotations[at.piece].own_words(at.low, at.high) if at.piece in quotations else None
            mentioned = own is not None and not scorer.flags(own)
            used = used or not mentioned
            if count < _ENOUGH or not mentioned:
                yield at, mentioned


def _origins(piece: int, runs: Decoded, said: Shadow, start: int, end: int) -> Iterator[Span]:
    """Where in the original the encoded runs stand that say something."""
    for at in said.places(start, end):
        low, high = runs.span(at.low)
        yield Span(piece, low, high, low, high)


def _once(found: Iterable[tuple[int, Span]]) -> Iterator[tuple[int, Span]]:
    """Each rule once for each run."""
    done: set[tuple[int, int]] = set()
    for number, at in found:
        if (number, at.start) not in done:
            done.add((number, at.start))
            yield number, at


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
        respelled=item.respelled,
        trust=TRUST_MARKER,
        carriers_removed=removed,
    )
