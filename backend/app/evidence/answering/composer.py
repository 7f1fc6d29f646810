"""The extractive composer: a readable text out of sentences of the sources, each with the number of its citation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ...kernel.results import Source
from ...parsing.text.text_cuts import cut_text
from ..excerpts import CUT_MARK, EXCERPT_CHARS_MAX, Excerpt
from ..grounding.facets import Facet
from . import answer_templates as templates
from .contradictions import Contradiction, contradictions_in
from .picked_sentence import PickedSentence
from .picked_sentences import pick_sentences

__all__ = ["COMPOSER", "AnswerPart", "ComposedAnswer", "compose", "without_foreign_marks"]

COMPOSER: Final = "portcullis-extractive/1"
_ONE_FACET: Final = 6
_SEVERAL_FACETS: Final = 3
_FOREIGN_MARK: Final = re.compile(r"\s*\[\s*(?:\d{1,4}(?:\s*[,;\u2013-]\s*\d{1,4})*|citation needed|note \d+)\s*\]")
_ROOM: Final = EXCERPT_CHARS_MAX - 2 * (len(CUT_MARK) + 1)
Kind = Literal["sentence", "heading", "caveat", "gap_note"]
_Numbers = dict[tuple[str, int, int], int]


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """One piece of an answer: a sentence of a source with its citation, or a fixed text."""

    kind: Kind
    text: str
    citation: int = 0
    facet: int = 0

    @property
    def shown(self) -> str:
        """As it stands in the answer."""
        return f"{self.text} [{self.citation}]" if self.kind == "sentence" else self.text


@dataclass(frozen=True, slots=True)
class ComposedAnswer:
    """The paragraphs of an answer, its excerpts in the order of their numbers, and what was seen on the way."""

    paragraphs: tuple[tuple[AnswerPart, ...], ...]
    excerpts: tuple[Excerpt, ...]
    sentences: tuple[PickedSentence, ...]
    contradictions: tuple[Contradiction, ...]
    covered: tuple[int, ...]
    """The numbers of the facets that have sentences."""

    def numbered_by(self, sources: Sequence[Source]) -> str:
        """The answer with the places of these sources as its numbers, for whoever shows them whole; without caveats."""
        places = {source.source_id: place for place, source in enumerate(sources, start=1)}
        groups = []
        for parts in self.paragraphs:
            shown = [
                f"{part.text} [{places[self.excerpts[part.citation - 1].source.source_id]}]"
                if part.kind == "sentence"
                else part.text
                for part in parts
            ]
            if any(part.kind in ("sentence", "heading") for part in parts):
                groups.append(" ".join(shown))
        return "\n\n".join(groups)

    @property
    def text(self) -> str:
        """The answer as one text."""
        return "\n\n".join(" ".join(part.shown for part in parts) for parts in self.paragraphs)


def compose(
    facets: Sequence[Facet], sources: Sequence[Source], missing: Sequence[tuple[Facet, bool]] = ()
) -> ComposedAnswer:
    """An answer out of the sources; `missing` are facets without one, and whether they were looked for."""
    asked = [facet for facet in facets if not facet.known]
    most = _ONE_FACET if len(asked) == 1 else _SEVERAL_FACETS
    picked: dict[int, tuple[PickedSentence, ...]] = {}
    for facet in asked:
        found = pick_sentences(facet, sources, most)
        if found:
            picked[facet.number] = found
    sentences = _each_once(picked)
    excerpts, numbers = _excerpts([*sentences, *filter(None, map(_columns_of, sentences))])
    contradictions = contradictions_in(sentences, {facet.number: facet.text for facet in asked})
    paragraphs: list[tuple[AnswerPart, ...]] = []
    for facet in asked:
        here = [one for one in sentences if one.facet == facet.number]
        if not here:
            continue
        if len(asked) > 1:
            paragraphs.append((AnswerPart("heading", templates.about(facet.label), facet=facet.number),))
        paragraphs.extend(_grouped(here, contradictions, numbers))
    if len(excerpts) == 1:
        paragraphs.append((AnswerPart("caveat", templates.partly()),))
    for facet, tried in missing:
        note = templates.not_covered(facet.label) if tried else templates.not_tried(facet.label)
        paragraphs.append((AnswerPart("gap_note", note, facet=facet.number),))
    covered = tuple(number for number in picked if any(one.facet == number for one in sentences))
    return ComposedAnswer(tuple(paragraphs), excerpts, sentences, contradictions, covered)


def without_foreign_marks(text: str) -> str:
    """A sentence without the citation marks of its own source, which would read as ours."""
    bare, count = _FOREIGN_MARK.subn("", text)
    while count:  # marks inside of marks would become ours
        bare, count = _FOREIGN_MARK.subn("", bare)
    return bare


def _each_once(picked: dict[int, tuple[PickedSentence, ...]]) -> tuple[PickedSentence, ...]:
    """Every sentence once, at the facet that it says most to; a facet keeps its best where it would be left empty."""
    best: dict[tuple[str, int], PickedSentence] = {}
    for found in picked.values():
        for one in found:
            key = (one.source.source_id, one.high)
            if key not in best or one.score > best[key].score:
                best[key] = one
    kept: list[PickedSentence] = []
    for found in picked.values():
        own = [one for one in found if best[one.source.source_id, one.high] is one]
        kept.extend(own or found[:1])
    return tuple(kept)


def _grouped(
    here: list[PickedSentence], contradictions: tuple[Contradiction, ...], numbers: _Numbers
) -> list[tuple[AnswerPart, ...]]:
    """The direct answer first, then what agrees with it, then what contradicts, side by side."""
    pairs = [pair for pair in contradictions if pair.one in here and pair.other in here]
    apart = [one for pair in pairs for one in pair.members]
    lead = max(here, key=lambda one: (one.speaks, one.score, -one.rank))
    rest = [one for one in here if one is not lead and one not in apart]
    groups: list[tuple[AnswerPart, ...]] = []
    if lead not in apart:
        groups.append((_part(lead, numbers),))
    if rest:
        groups.append(tuple(_part(one, numbers) for one in rest))
    if pairs:
        told = tuple(_part(one, numbers) for one in dict.fromkeys(apart))
        differ = (AnswerPart("caveat", templates.differ(), facet=lead.facet), *told)
        groups.insert(0 if lead in apart else len(groups), differ)
    headers = tuple(dict.fromkeys(filter(None, map(_columns_of, here))))
    if headers:
        groups.append((AnswerPart("heading", templates.columns(), facet=lead.facet),))
        groups.append(tuple(_part(one, numbers) for one in headers))
    return groups


def _columns_of(one: PickedSentence) -> PickedSentence | None:
    """The row with the headings of the table that a row stands in."""
    low, high = one.columns
    return PickedSentence(one.source, low, high, one.facet, 0, one.rank, one.speaks) if low < high else None


def _part(one: PickedSentence, numbers: _Numbers) -> AnswerPart:
    return AnswerPart("sentence", without_foreign_marks(one.text), numbers[_key(one)], one.facet)


def _excerpts(sentences: Sequence[PickedSentence]) -> tuple[tuple[Excerpt, ...], _Numbers]:
    """One excerpt per passage as long as its sentences fit into it; numbered by the rank of their documents."""
    groups: list[list[PickedSentence]] = []
    for one in sorted(sentences, key=lambda one: (one.rank, one.source.start, one.low, one.high)):
        last = groups[-1] if groups else []
        if last and last[0].source.source_id == one.source.source_id:
            low, high = min(x.low for x in last), max(one.high, *(x.high for x in last))
            if high - low <= _ROOM:
                last.append(one)
                continue
        groups.append([one])
    # The first excerpt of every document before the second of any.
    seen: dict[str, int] = {}
    order: list[tuple[int, int, int]] = []
    for place, group in enumerate(groups):
        document = group[0].source.text_hash
        order.append((seen.get(document, 0), group[0].rank, place))
        seen[document] = seen.get(document, 0) + 1
    excerpts: list[Excerpt] = []
    numbers: _Numbers = {}
    for _, _, place in sorted(order):
        excerpts.append(_excerpt(groups[place]))
        numbers.update({_key(one): len(excerpts) for one in groups[place]})
    return tuple(excerpts), numbers


def _key(one: PickedSentence) -> tuple[str, int, int]:
    return one.source.source_id, one.low, one.high


def _excerpt(group: Sequence[PickedSentence]) -> Excerpt:
    source = group[0].source
    low, high = min(one.low for one in group), max(one.high for one in group)
    if high - low <= _ROOM:
        return Excerpt(source, low, high)
    shown, _ = cut_text(source.text[low:high], _ROOM)
    return Excerpt(source, low, low + len(shown), cut_after=True)
