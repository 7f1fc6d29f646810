"""Clauses of a sentence beside the clauses of its evidence: what a preposition holds, what belongs to which clause,
which step comes first, and what a sentence adds at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from .claim_vocabulary import (
    ARTICLES,
    CONTRASTS,
    NEGATORS,
    OPENERS,
    PREPOSITIONS,
    PRONOUNS,
    ROLE_WORDS,
    STEP_WORDS,
    SUBORDINATORS,
    VERB_LEADS,
    WEAK_NEGATORS,
)
from .claim_words import ClaimToken, ReadClaim

__all__ = [
    "Negation",
    "adds_nothing_at_its_end",
    "clauses_of",
    "is_negator",
    "joins_nothing_new",
    "keeps_clauses",
    "keeps_numbers",
    "keeps_subjects",
    "negation_of",
    "opens_with_preposition",
    "pieces_of",
    "says_something",
    "stems_of",
]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_CONTENT: Final = ("word", "name", "number")
_SMALL_WORD: Final = 3
_FUNCTION: Final = VERB_LEADS | NEGATORS | WEAK_NEGATORS | SUBORDINATORS | CONTRASTS
_PAIRED: Final = frozenset(("ne", "n"))
_JOINING: Final = frozenset(("and", "or", "und", "oder", "sowie", "et", "ou", "y", "e", "o"))
_ENDS: Final = frozenset(",;:()")
_ALIKE_MIN: Final = 3
"""Words in common from which on two clauses are about the same."""
_TAIL: Final = 2
_TAKEN_MIN: Final = 2
"""Words of one sentence alone, from which on a line is seen to say what that sentence says."""
_OF: Final = "of"
"""A genitive may stand before its noun or behind it."""
_STEPS_MIN: Final = 2
_Clause = tuple[ClaimToken, ...]


def keeps_clauses(line: ReadClaim, evidence: Sequence[ReadClaim]) -> bool:
    """True if no clause takes what another one says, or turns round what a preposition holds."""
    said = clauses_of(line)
    there = [clause for one in evidence for clause in clauses_of(one)]
    if any(_turned(_frames(line.tokens), _frames(one.tokens)) for one in evidence):
        return False
    if any(_turned(_frames(clause), _frames(other)) for clause in said for other in _alike(clause, there)):
        return False
    wholes = [stems_of(one.tokens) for one in evidence]
    return not (
        _crossed(said, wholes) or _crossed(said, [stems_of(one) for one in there]) or _steps_turned(line, evidence)
    )


def keeps_subjects(line: ReadClaim, evidence: Sequence[ReadClaim]) -> bool:
    """True if what a sentence says comes with the subject that its evidence has for it; `it` and the like have none."""
    if len(evidence) == 1:
        return True
    present = stems_of(line.tokens)
    wholes = [stems_of(one.tokens) for one in evidence]
    for at, one in enumerate(evidence):
        others = frozenset[str]().union(*(whole for place, whole in enumerate(wholes) if place != at))
        subject = _subject(one)
        if len(present & (wholes[at] - others)) >= _TAKEN_MIN and subject and subject.isdisjoint(present):
            return False
    return True


def keeps_numbers(line: ReadClaim, evidence: Sequence[ReadClaim]) -> bool:
    """True if no clause takes a number of one sentence and all its words from another."""
    for clause in clauses_of(line):
        words = frozenset(token.stem for token in clause if token.kind in ("word", "name"))
        small = frozenset(token.stem for token in clause if token.kind == "light" and len(token.text) > _SMALL_WORD)
        for number in (token.stem for token in clause if token.kind == "number"):
            homes = [one.stems for one in evidence if number in one.stems]
            alone = bool(homes) and all((words | small).isdisjoint(home) for home in homes)
            if alone and any(len(words & one.stems) >= _TAKEN_MIN for one in evidence):
                return False
    return True


def _subject(claim: ReadClaim) -> frozenset[str]:
    """The first words that say something, up to the first small word behind them; none where a pronoun begins."""
    found: list[str] = []
    for token in claim.tokens:
        if not found and token.text.lower() in PRONOUNS:
            return frozenset()
        if token.kind in _CONTENT:
            found.append(token.stem)
        elif found:
            break
    return frozenset(found)


def adds_nothing_at_its_end(line: ReadClaim, held: frozenset[str]) -> bool:
    """True unless the last words of a sentence are all its own: a reason, a purpose or a result that nobody named."""
    content = [token for token in line.tokens if says_something(token)]
    return len(content) < _TAIL or any(token.stem in held for token in content[-_TAIL:])


def joins_nothing_new(line: ReadClaim, held: frozenset[str]) -> bool:
    """True unless `and` joins a thing of the sentence's own to what its evidence names: `a witness and a notary`."""
    for at, token in enumerate(line.tokens):
        if token.text.lower() not in _JOINING:
            continue
        behind = line.tokens[at + 1 : at + 4]
        article = bool(behind) and behind[0].text.lower() in ARTICLES
        thing = behind[1:] if article else behind
        if thing and says_something(thing[0]) and thing[0].stem not in held:
            ends = len(thing) == 1 or thing[1].kind == "mark" or thing[1].text.lower() in PREPOSITIONS
            if article or ends:
                return False
    return True


def clauses_of(claim: ReadClaim) -> list[_Clause]:
    """The clauses of a sentence, cut at marks, contrasts and subordinators; a fragment goes with what stands before."""
    found: list[_Clause] = []
    for part in pieces_of(claim):
        if found and len(stems_of(part)) < _ALIKE_MIN - 1:
            found[-1] += part
        else:
            found.append(part)
    return found


def pieces_of(claim: ReadClaim) -> list[_Clause]:
    """The same with fragments by themselves; what leads a piece is not part of it."""
    parts: list[list[ClaimToken]] = [[]]
    for token in claim.tokens:
        low = token.text.lower()
        if token.text in _ENDS or low in CONTRASTS or low in SUBORDINATORS:
            parts.append([])
        else:
            parts[-1].append(token)
    return [tuple(part) for part in parts if stems_of(part)]


def stems_of(tokens: Sequence[ClaimToken]) -> frozenset[str]:
    """Every word that says something, also a common one."""
    return frozenset(token.stem for token in tokens if says_something(token))


def says_something(token: ClaimToken) -> bool:
    """True for a word, a name, a number, and a common word that is more than grammar."""
    return token.kind in _CONTENT or (token.kind == "light" and len(token.text) > _SMALL_WORD and not _small(token))


def _small(token: ClaimToken) -> bool:
    low = token.text.lower()
    return any(low in words for words in (ARTICLES, PREPOSITIONS, PRONOUNS, ROLE_WORDS, OPENERS, _FUNCTION))


def is_negator(low: str) -> bool:
    """True for a word that says no."""
    return low in NEGATORS or low.replace("\u2019", "'").endswith("n't")


@dataclass(frozen=True, slots=True)
class Negation:
    """How a clause says no."""

    negators: int
    """How many of its words say no; `ne` does so together with another one."""
    weak: frozenset[str]
    """Its words that say so weakly, such as `rarely` or `refuse`."""


def negation_of(tokens: Sequence[ClaimToken]) -> Negation:
    """How a clause says no."""
    lows = [token.text.lower() for token in tokens]
    paired = any(low in _PAIRED for low in lows) and not any(is_negator(low) and low not in _PAIRED for low in lows)
    negators = sum(is_negator(low) and low not in _PAIRED for low in lows)
    return Negation(negators + paired, frozenset(lows) & WEAK_NEGATORS)


def opens_with_preposition(tokens: Sequence[ClaimToken]) -> bool:
    """True for a phrase such as `in the morning`."""
    return tokens[0].text.lower() in PREPOSITIONS and negation_of(tokens) == Negation(0, frozenset())


def _alike(clause: _Clause, there: Sequence[_Clause]) -> list[_Clause]:
    """The clauses of the evidence that have most in common with a clause."""
    counts = [len(stems_of(clause) & stems_of(other)) for other in there]
    best = max(counts, default=0)
    return [] if best < _ALIKE_MIN else [other for other, count in zip(there, counts, strict=True) if count == best]


def _frames(tokens: Sequence[ClaimToken]) -> dict[str, str]:
    """Which preposition holds each word; of a word that stands twice nothing is known."""
    found: dict[str, str] = {}
    twice: set[str] = set()
    lead, named = "", False
    for token in tokens:
        low = token.text.lower()
        if low in PREPOSITIONS:
            lead, named = PREPOSITIONS[low], False
        elif token.kind in _CONTENT:
            named = True
            if token.kind != "number":  # numbers have an order of their own
                twice.update({token.stem} & found.keys())
                found[token.stem] = lead
        elif named or low not in ARTICLES:  # behind its noun a phrase has ended
            lead = ""
    return {stem: lead for stem, lead in found.items() if stem not in twice and lead != _OF}


def _turned(said: dict[str, str], there: dict[str, str]) -> bool:
    """True if two words have exchanged their prepositions."""
    moved = [(stem, there[stem], lead) for stem, lead in said.items() if there.get(stem, lead) != lead]
    return any(one[1:] == (other[2], other[1]) for one, other in combinations(moved, 2))


def _crossed(said: Sequence[_Clause], wholes: Sequence[frozenset[str]]) -> bool:
    """True if two clauses each take words that only one part of the evidence has, and words that only another has."""
    for one, other in combinations(wholes, 2):
        here, there = one - other, other - one
        both = [clause for clause in said if stems_of(clause) & here and stems_of(clause) & there]
        if len(both) > 1:
            return True
    return False


def _steps_turned(line: ReadClaim, evidence: Sequence[ReadClaim]) -> bool:
    """True if a sentence that counts steps names them in another order than its evidence."""
    begins = [
        next(token for token in clause if says_something(token) or token.kind == "light") for clause in pieces_of(line)
    ]
    if not any(token.text.lower() in STEP_WORDS for token in begins):
        return False
    places: dict[str, int] = {}
    for token in (token for one in evidence for token in one.tokens if says_something(token)):
        places.setdefault(token.stem, len(places))
    starts = [
        min(places[stem] for stem in stems_of(clause) & places.keys())
        for clause in clauses_of(line)
        if stems_of(clause) & places.keys()
    ]
    return len(starts) >= _STEPS_MIN and starts != sorted(starts)
