"""Direct answers: what a question asks for stands in the quoted place, its heading or the columns of its table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from ...kernel.results import Source
from ...parsing.text.words.languages import ENGLISH
from ...parsing.text.words.sentences import SentenceSpan
from ...parsing.text.words.tokens import is_light_word, language_in, words_of
from ..grounding.asked_kinds import AskedKind, asked_kind, gives_asked_kind
from ..grounding.asked_names import last_words_of_names, speaks_of_another
from ..grounding.bearing import is_statement
from ..grounding.facets import Facet
from ..grounding.wanted_words import HALF_WEIGHT, WORD_WEIGHT, WantedWord, wanted_words
from ..selection.sentence_features import asked_question, read_text
from ..selection.sentence_scorer import SentenceScorer
from .negations import denies
from .picked_sentence import PickedSentence
from .statements import Statement, is_whole, statements_of, with_its_heading, with_more_before

__all__ = ["BESIDE", "answers_in"]

BESIDE: Final = 1200
"""How much less than the best another answer may score to stand beside it."""
_CHARS_MIN: Final = 8
_SHARE_MILLI: Final = 550
_LONG_SHARE_MILLI: Final = 500  # of a question with more than four words beside its names
_FEW: Final = 2
_SOME: Final = 3
_KIND_BONUS: Final = 1500
_OPENS_BONUS: Final = 800
_INSIDE: Final = 3  # thousandths of score per thousandth of the question that the quote itself holds
_AROUND: Final = 2  # the same where only its heading, its columns or its title hold it
_MISSING: Final = 2  # taken off for each thousandth that nothing holds
_PAIR_BONUS: Final = 250  # for two words that are neighbours in the question and in the answer
_SAID_BONUS: Final = 300  # for "long" beside a length
_REASON_BONUS: Final = 600
_LINE_PENALTY: Final = 300  # a line that is no sentence, where nothing tells that it is the answer
_DENIES_BONUS: Final = 900
_NEAR: Final = 2
_TOLD, _UNTOLD = 5, 3  # how little the fitted score counts where the kind is known, and where it is not
_LONGER: Final = 150  # for each sentence that has to be quoted with it
_YES_NO: Final = re.compile(
    r"(?:is|are|was|were|does|do|did|can|will|has|have|had|should|may|must|ist|sind|war|hat|haben"
    r"|kann|darf|wird|gibt|est-ce"
    r"|peut-on|es|est\u00e1|hay|puede)\b",
    re.IGNORECASE,
)


_CAPITAL: Final = r"[A-Z\u00c0-\u00de][\w-]*"
_AND: Final = r"(?:,| and| or| und| oder| et| ou| y| o)"
_WHY: Final = re.compile(r"\b(?:why|warum|wieso|weshalb|pourquoi|por qu\u00e9|perch\u00e9|waarom)\b", re.IGNORECASE)
_REASON: Final = re.compile(
    r"\b(?:because|so that|since|due to|therefore|otherwise|reasons?|lets|makes|keeps|helps"
    r"|prevents?|slows?|protects?|causes?"
    r"|to (?:prevent|avoid|keep|protect)|weil|denn|damit|da|wegen|sonst|parce|car|afin|puisque"
    r"|porque|para que|debido)\b",
    re.IGNORECASE,
)
_OF_BEFORE: Final = re.compile(r"(?:the|der|die|das|les?|la|el|los|las|all|both|most|some|other) ", re.IGNORECASE)
_WHICH: Final = re.compile(r"(?:which|what|who|welche[rs]?|wer|quel(?:le)?s?|qui|qu\u00e9|qui\u00e9n)\b", re.IGNORECASE)
_NAME_GROUP: Final = re.compile(rf"(?<!^)\b{_CAPITAL}(?:{_AND}? {_CAPITAL})*")
_JOINED: Final = re.compile(rf"{_AND} ")
_BOTH: Final = re.compile(r"\b(?:between|zwischen|entre|from|von|de) $", re.IGNORECASE)
_OWNER: Final = re.compile(r"\b(?:does|do|did|at|has|have) $")


def answers_in(facet: Facet, source: Source, rank: int) -> Iterator[PickedSentence]:
    """Every quotable place of a source that answers a facet; none where it does not."""
    language = language_in(source.text, language_in(facet.text))
    kind = asked_kind(facet.text)
    wanted = wanted_words(facet.text, language, kind)
    if not wanted:
        return
    heading = dict(source.metadata).get("heading", "")
    spans, statements = statements_of(source, language)
    scorer: SentenceScorer | None = None  # made for the first place that is an answer; most sources have none
    title = frozenset(words_of(f"{source.title}\n{heading}", language))
    passage = frozenset(words_of(source.text, language))
    rows = {one.low: _held_in_row(wanted, one, source.text, language) for one in statements if one.kind == "row"}
    most = max(rows.values(), default=0)
    for statement in statements:
        if rows.get(statement.low, most) < most:  # another row of the table is the one that is asked about
            continue
        best: PickedSentence | None = None
        core = source.text[statement.core : statement.high]
        if kind is not None and kind.may_stand_above and not gives_asked_kind(kind, core):
            statement = with_its_heading(statement, spans, source.text)
            if statement.headed and not gives_asked_kind(kind, source.text[statement.low : statement.core]):
                continue
        done = any(word.done and not word.stems.isdisjoint(words_of(core, language)) for word in wanted)
        # Who did it, and to what, stands beside the verb; "the chef" is the chef of what was said before.
        begins = words_of(" ".join(source.text[statement.low : statement.high].split()[:2]), language)
        may_join = not done and (
            _OF_BEFORE.match(source.text, statement.low)
            or any(not word.stems.isdisjoint(begins) and not word.named for word in wanted)
        )
        joined = with_more_before(statement, spans, source.text, language) if may_join else ()
        for one in (statement, *joined):
            quote = source.text[one.low : one.high]
            if not is_whole(quote, one.kind, language) or not len(quote) >= _CHARS_MIN:
                continue
            points = _points(
                facet.text, one, statement.low, source.text, wanted, kind, title, heading, passage, language, spans
            )
            if points is None or (not is_statement(facet.text) and speaks_of_another(quote, facet.text, ENGLISH)):
                continue
            if scorer is None:
                scorer = SentenceScorer(
                    asked_question(facet.text, language),
                    read_text(source.text, f"{source.title} {heading}", language, spans),
                )
            score = points + max(-1500, min(1500, scorer.score(one.number))) // (_TOLD if kind is not None else _UNTOLD)
            if best is None or score > best.score:
                best = PickedSentence(source, one.low, one.high, facet.number, score, rank, True, one.header)
        if best is not None:
            yield best


def _points(
    question: str,
    one: Statement,
    own_low: int,
    text: str,
    wanted: tuple[WantedWord, ...],
    kind: AskedKind | None,
    title: frozenset[str],
    heading: str,
    passage: frozenset[str],
    language: str,
    spans: tuple[SentenceSpan, ...],
) -> int | None:
    """How good an answer a place is; None where it is not one."""
    core = text[one.core : one.high]
    last = heading.rpartition(" > ")[2]
    within = frozenset(words_of(last, language))
    inside = frozenset(words_of(text[own_low : one.high], language))
    around = title | frozenset(words_of(f"{one.above}\n{text[one.low : own_low]}", language))
    own = [not word.stems.isdisjoint(inside) for word in wanted]
    held = [is_in or not word.stems.isdisjoint(around) for word, is_in in zip(wanted, own, strict=True)]
    total = sum(word.weight for word in wanted)
    elsewhere = kind is not None and kind.name != "person"  # who did one thing did not do the next one
    # A column "Temperature" says what the verb of the question would.
    in_column = one.kind == "row" and kind is not None and any(map(kind.stands_for, re.findall(r"\w+", one.above)))
    under = one.opens and all(not word.stems.isdisjoint(within) for word in wanted if word.weight > HALF_WEIGHT)
    if not (any(own) or under) or not _enough(
        question, wanted, held, passage if elsewhere else frozenset(), acts_elsewhere=in_column
    ):
        return None
    if not one.headed and not gives_asked_kind(kind, *_read_with(one, text, core)):
        return None  # asked last: patterns take longer than words
    own_milli = 1000 * sum(word.weight for word, is_in in zip(wanted, own, strict=True) if is_in) // total
    held_milli = 1000 * sum(word.weight for word, is_in in zip(wanted, held, strict=True) if is_in) // total
    quoted = sum(one.low <= span.start < one.high for span in spans)
    points = _INSIDE * own_milli + _AROUND * (held_milli - own_milli) - _MISSING * (1000 - held_milli)
    points += _PAIR_BONUS * _pairs(question, core, language) - _LONGER * (quoted - 1)
    if denies(question, language):
        if denies(core, language):
            points += _DENIES_BONUS
        elif kind is None and _WHICH.match(question):  # which has no salt: not any that has some
            return None
    if kind is None:
        points += _REASON_BONUS if _WHY.search(question) and _REASON.search(core) else 0
        points -= _LINE_PENALTY if one.kind == "line" else 0
    if kind is not None and any(kind.stands_for(word) and word in core for word in question.split()):
        points += _SAID_BONUS
    return points + (_KIND_BONUS if kind is not None else 0) + (_OPENS_BONUS if under else 0)


def _held_in_row(wanted: tuple[WantedWord, ...], one: Statement, text: str, language: str) -> int:
    """The weight of the wanted words that a row holds by itself."""
    words = frozenset(words_of(text[one.low : one.high], language))
    return sum(word.weight for word in wanted if not word.stems.isdisjoint(words))


def _read_with(one: Statement, text: str, core: str) -> tuple[str, str]:
    """What is judged, and the columns that it stands below: of a row all cells, the empty ones at its ends included."""
    if one.kind != "row":
        return core, ""
    end = text.find("\n", one.high)
    return text[text.rfind("\n", 0, one.low) + 1 : end if end >= 0 else len(text)], one.above.rpartition("\n")[2]


def _names_in(question: str) -> tuple[frozenset[str], ...]:
    """The names of a question, each with its words; not whose answer it is, as in "how many desks does Acme have".

    Of names that are joined, one is enough, but not of the two that something is between.
    """
    found: list[frozenset[str]] = []
    for match in _NAME_GROUP.finditer(question):
        before = question[: match.start()]
        if _OWNER.search(before):
            continue
        parts = _JOINED.split(match[0]) if _BOTH.search(before) else [_JOINED.sub(" ", match[0])]
        found.extend(frozenset(part.lower().split()) for part in parts)
    return tuple(found)


def _pairs(question: str, core: str, language: str) -> int:
    """How many neighbours of the question are neighbours in the answer, too; two at most."""
    said = words_of(core, language)
    places: dict[str, list[int]] = {}
    for at, stem in enumerate(said):
        places.setdefault(stem, []).append(at)
    found = 0
    for one, other in pairwise(words_of(question, language)):
        if not is_light_word(one, language) and not is_light_word(other, language):
            found += any(0 < b - a <= _NEAR for a in places.get(one, ()) for b in places.get(other, ()))
    return min(2, found)


def _enough(
    question: str, wanted: tuple[WantedWord, ...], held: list[bool], passage: frozenset[str], *, acts_elsewhere: bool
) -> bool:
    """True if a place holds what the question cannot do without: its numbers, half of its names, most of its words.

    Where the kind of the answer is known and stands there, one word may stand elsewhere in the passage; a verb may
    with `acts_elsewhere` alone.
    """
    if any(word.number and not is_held for word, is_held in zip(wanted, held, strict=True)):
        return False
    names = [is_held for word, is_held in zip(wanted, held, strict=True) if word.named]
    absent = frozenset(word.typed for word, is_held in zip(wanted, held, strict=True) if word.named and not is_held)
    lasts = frozenset[str]() if is_statement(question) else last_words_of_names(question, ENGLISH)
    if absent and (absent & lasts or any(one <= absent for one in _names_in(question))):
        return False
    words = [
        is_held for word, is_held in zip(wanted, held, strict=True) if not word.named and word.weight >= WORD_WEIGHT
    ]
    asks_whether = _YES_NO.match(question) is not None
    if names and (2 * sum(names) < len(names) or (asks_whether and not all(names))):
        return False
    missing = [word for word, is_held in zip(wanted, held, strict=True) if not is_held and not word.named]
    only = missing[0] if len(missing) == 1 else None
    if (
        only
        and any(held)
        and not (only.general or (only.done and not acts_elsewhere))
        and not only.stems.isdisjoint(passage)
    ):
        return True
    if any(word.subject for word in missing):
        return False
    if len(words) <= _FEW or (asks_whether and len(words) <= _SOME + 1):
        if not all(words):
            return False
    elif len(words) == _SOME and sum(words) < (_SOME - 1 if passage else _SOME):
        return False
    total = sum(word.weight for word in wanted)
    here = sum(word.weight for word, is_held in zip(wanted, held, strict=True) if is_held)
    return 1000 * here >= (_SHARE_MILLI if len(words) <= _SOME + 1 else _LONG_SHARE_MILLI) * total
