"""Picks the sentences of an answer: relevant by the fitted scorer, new, complete, and able to be cited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...kernel.results import Source
from ...parsing.text.words.tokens import asked_words, is_light, language_in, words_of
from ..excerpts import can_be_cited
from ..grounding.bearing import ENOUGH_MILLI, is_order, is_statement
from ..grounding.coverage import bearing_on
from ..grounding.facets import Facet, asks
from ..grounding.spelled import as_spelled
from ..selection.sentence_features import asked_question, read_text
from ..selection.sentence_scorer import GOOD_ENOUGH, scores_of
from .direct_answers import BESIDE, answers_in
from .picked_sentence import PickedSentence
from .statements import is_whole, leans

__all__ = ["PickedSentence", "facts_in", "pick_sentences", "similar_milli"]

_CHARS_MIN: Final = 25
_CHARS_MAX: Final = 480
_SAME_MILLI: Final = 650
_SPEAKS_BONUS: Final = 600
_TITLE_BONUS: Final = 1500
_PER_DOCUMENT: Final = 2
_LONG_QUESTION: Final = 5
_STATEMENT_WORDS: Final = 6


def pick_sentences(facet: Facet, sources: Sequence[Source], most: int) -> tuple[PickedSentence, ...]:
    """The best sentence of each document in the order of their rank, then further ones, best first; none says the
    same as another."""
    ranks: dict[str, int] = {}
    for source in sources:
        ranks.setdefault(source.text_hash, len(ranks))
    found: list[PickedSentence] = []
    stated = is_statement(facet.text) or _tells(facet.text)
    for source in sources:
        if can_be_cited(source):
            rank = ranks[source.text_hash]
            asked = _as_spelled(facet, source)
            found.extend(_looked_up(asked, source, rank) if stated else answers_in(asked, source, rank))
    found.sort(key=lambda one: (-one.score, one.rank, one.low))
    if not any(one.speaks for one in found):
        return ()
    first: dict[int, PickedSentence] = {}
    for one in found:
        first.setdefault(one.rank, one)
    heads = [first[rank] for rank in sorted(first)]
    if not stated:
        # The direct answer is there, however far behind its document ranks.
        heads = [found[0], *(one for one in heads if one is not found[0] and one.score >= found[0].score - BESIDE)]
    least = GOOD_ENOUGH + _SPEAKS_BONUS if stated else found[0].score - BESIDE
    chosen: list[PickedSentence] = []
    per_document: dict[int, int] = {}
    for one in (*heads[:most], *(one for one in found if one.score >= least)):
        if len(chosen) >= most:
            break
        if one in chosen or per_document.get(one.rank, 0) >= _PER_DOCUMENT:
            continue
        if any(_repeats(one, other) for other in chosen):
            continue
        chosen.append(one)
        per_document[one.rank] = per_document.get(one.rank, 0) + 1
    return tuple(chosen)


def _as_spelled(facet: Facet, source: Source) -> Facet:
    text = as_spelled(facet.text, source)
    return facet if text == facet.text else Facet.model_validate({**dict(facet), "text": text})


def _tells(text: str) -> bool:
    """True for a statement without its full stop; shorter ones are topics."""
    return text[:1].isupper() and len(text.split()) >= _STATEMENT_WORDS and not asks(text) and not is_order(text)


def _repeats(one: PickedSentence, other: PickedSentence) -> bool:
    """True if a sentence adds nothing to another; a second document that says the same with other words or numbers
    agrees with the first, or contradicts it."""
    if one.source.text_hash != other.source.text_hash:
        return one.text == other.text
    return similar_milli(one.text, other.text) >= _SAME_MILLI


def similar_milli(one: str, other: str) -> int:
    """How many of the words of the shorter of two sentences the other one holds, in thousandths."""
    a, b = facts_in(one), facts_in(other)
    return 1000 * len(a & b) // max(1, min(len(a), len(b)))


def facts_in(text: str) -> frozenset[str]:
    """The stems of the content words of a sentence."""
    own = language_in(text)
    return frozenset(
        stem for word in asked_words(text, (own,)) if not is_light(word, own, (own,)) for stem in word.stems
    )


def _looked_up(facet: Facet, source: Source, rank: int) -> Iterator[PickedSentence]:
    """What a source says to a statement: words in common, weighed by the fitted scorer."""
    heading = dict(source.metadata).get("heading", "")
    language = language_in(source.text)
    asked = asked_question(facet.text, language)
    read = read_text(source.text, f"{source.title} {heading}", language)
    speaks = bearing_on(facet.text, source).milli >= ENOUGH_MILLI
    wanted = [set(word.stems) for word, weight in zip(asked.words, asked.weights, strict=True) if weight > 1]
    # A source that does not answer by itself stands beside one that does only where there is much to hold.
    if not speaks and len(wanted) < _LONG_QUESTION:
        return
    above = set(read.title_stems)
    titled = sum(not stems.isdisjoint(above) for stems in wanted)
    least = 1 if len(wanted) < 2 or (speaks and titled) else 2 if speaks else max(2, len(wanted) // 3)
    scores = scores_of(asked, read)
    for place, (span, score) in enumerate(zip(read.sentences, scores, strict=True)):
        if span.kind in ("heading", "row"):
            continue
        low, high = span.start, span.end
        text = source.text[low:high]
        if leans(text, language) and place and read.sentences[place - 1].kind == span.kind:
            low = read.sentences[place - 1].start  # completed by its neighbour
            text = source.text[low:high]
            score = max(score, scores[place - 1])
        if not is_whole(text, span.kind, language) or not _CHARS_MIN <= len(text) <= _CHARS_MAX:
            continue
        here = set(words_of(text, language))
        held = sum(not stems.isdisjoint(here) for stems in wanted)
        if held < least:
            continue
        bonus = (_SPEAKS_BONUS if speaks else 0) + _TITLE_BONUS * titled // max(1, len(wanted))
        yield PickedSentence(source, low, high, facet.number, score + bonus, rank, speaks)
