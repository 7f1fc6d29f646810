"""Who does what to whom: whether a sentence keeps the roles that its words have in its evidence, without a parser.

Four looks, each blind to most honest rewording: names and numbers keep their order; the sentence is not nearer to its
evidence with two words exchanged than to the evidence itself; of two contrasting clauses it does not mix the subject of
one with what the other says; and what stands on either side of `than`, `because`, `before` stays on its side.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from .claim_vocabulary import BE_FORMS, CONTRASTS, RELATIONS, ROLE_WORDS
from .claim_words import ClaimToken, ReadClaim

__all__ = ["keeps_roles"]

_CONTENT: Final = ("word", "name", "number")
_NEAR: Final = 4
_SMALL_WORD: Final = 3
_WEIGHTS: Final = (12, 6, 4, 3)
"""Of two words at a distance of one to four."""
_MARGIN: Final = 9
_APART: Final = 2
"""Neighbours that change places, such as an adverb and its verb, exchange no roles."""
_CLAUSE_WORDS_MIN: Final = 3
_THAN: Final = frozenset(("que", "als", "dan", "che"))
_COMPARING: Final = frozenset(
    ("plus", "moins", "más", "menos", "più", "meno", "mais", "mehr", "weniger", "meer", "minder", "größer", "höher")
)
_BY: Final = frozenset(("by", "von", "par", "por"))
_Pairs = dict[tuple[str, str], int]


def keeps_roles(line: ReadClaim, evidence: Sequence[ReadClaim]) -> bool:
    """True if nothing is seen to have changed its role."""
    if any(not _names_in_order(line, one) or _crossed(line, one) for one in evidence):
        return False
    return not _mixed(line, evidence) and not _exchanged(line, evidence)


def _names_in_order(line: ReadClaim, one: ReadClaim) -> bool:
    """Names and numbers follow one another as they do in the evidence; phrases of time and place may stand anywhere."""
    units = {token.unit for token in one.of_kind("number") if _together(token.unit, one)}
    free = {token.stem for token in one.tokens if token.oblique}
    begins = [{token.stem for token in claim.of_kind("word") if token.first and token.capital} for claim in (line, one)]
    # The first word may be a name, too; where both begin with it, only `X is done by Y` puts it elsewhere.
    named = {token.stem for token in (*one.of_kind("name", "number"), *line.of_kind("name"))} & one.content
    named |= begins[0] & begins[1]
    taken = [
        token
        for token in _active(line)
        if token.stem in named
        and not (token.unit in units if token.kind == "number" else token.oblique and token.stem in free)
    ]
    ranges = [
        [token for token in line.of_kind("number") if token.unit == unit and token.stem in named] for unit in units
    ]
    places = _places(one)
    beside = one.joined & line.joined
    return _follow(taken, places, beside) and all(_follow(numbers, places, frozenset()) for numbers in ranges)


def _together(unit: str, one: ReadClaim) -> bool:
    """True if the numbers of a unit stand side by side, as in a range: nothing else can take one of them."""
    numbers = [(place, token) for place, token in enumerate(one.of_kind(*_CONTENT)) if token.kind == "number"]
    at = [place for place, token in numbers if token.unit == unit]
    return at[-1] - at[0] == len(at) - 1


def _places(one: ReadClaim) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for place, token in enumerate(token for token in _active(one) if token.kind in _CONTENT):
        found.setdefault(token.stem, []).append(place)
    return {stem: tuple(places) for stem, places in found.items()}


def _follow(
    tokens: Sequence[ClaimToken], places: dict[str, tuple[int, ...]], beside: frozenset[frozenset[str]]
) -> bool:
    """True if the tokens can be found one behind the other; two that `and` joins in both may change places."""
    last, before = -1, ""
    for token in tokens:
        behind = next((place for place in places[token.stem] if place >= last), None)
        if behind is None and frozenset((before, token.stem)) not in beside:
            return False
        last, before = last if behind is None else behind, token.stem
    return True


def _crossed(line: ReadClaim, one: ReadClaim) -> bool:
    """True if what stood on one side of a comparison, a cause or a moment stands on the other side now."""
    said, there = _sides(line), _sides(one)
    if said is None or there is None or said[0] != there[0]:
        return False
    (relation, first, second), (_, left, right) = said, there
    left, right, first, second = left - right, right - left, first - second, second - first
    straight = len(first & left) + len(second & right)
    across = len(first & right) + len(second & left)
    return across > straight or (relation == "than" and 0 < across == straight)


def _sides(claim: ReadClaim) -> tuple[str, frozenset[str], frozenset[str]] | None:
    """The relation that a sentence states, and the words on either side; `after` is `before` turned round."""
    compares = any(token.text.lower() in _COMPARING for token in claim.tokens)
    for at, token in enumerate(claim.tokens):
        low = token.text.lower()
        relation = "than" if compares and low in _THAN else RELATIONS.get(low)
        following = claim.tokens[at + 1 : at + 2]
        if relation is None or any(one.kind == "number" for one in following):
            continue
        before, behind = list(claim.tokens[:at]), list(claim.tokens[at + 1 :])
        if not any(one.kind in _CONTENT for one in before):
            end = next((place for place, one in enumerate(behind) if one.text == ","), None)
            if end is None:
                return None
            before, behind = behind[end:], behind[:end]
        left, right = _stems(before), _stems(behind)
        return ("before", right, left) if relation == "after" else (relation, left, right)
    return None


def _stems(tokens: Sequence[ClaimToken]) -> frozenset[str]:
    return frozenset(token.stem for token in tokens if token.kind in _CONTENT)


def _mixed(line: ReadClaim, evidence: Sequence[ReadClaim]) -> bool:
    """True if a clause takes words that only one of two contrasting clauses has, and others that only the other has."""
    clauses = [clause for one in evidence for clause in _clauses(one)]
    said = _clauses(line)
    for one, other in combinations(clauses, 2):
        if one & other:
            here, there = one - other, other - one
            for clause in said:
                taken = clause & (here | there)
                if clause & here and clause & there and not any(taken <= whole for whole in clauses):
                    return True
    return False


def _clauses(claim: ReadClaim) -> list[frozenset[str]]:
    parts: list[list[ClaimToken]] = [[]]
    for token in claim.tokens:
        if token.text in ",;:()" or token.text.lower() in CONTRASTS:
            parts.append([])
        elif token.kind in _CONTENT:
            parts[-1].append(token)
    found: list[frozenset[str]] = []
    for part in filter(None, parts):
        if found and len(part) < _CLAUSE_WORDS_MIN:
            found[-1] |= _stems(part)
        else:
            found.append(_stems(part))
    return found


def _exchanged(line: ReadClaim, evidence: Sequence[ReadClaim]) -> bool:
    """True if the line is nearer to its evidence with two words in each other's place than to the evidence itself."""
    there = [token for one in evidence for token in _active(one)]
    known = {token.stem for token in there}
    said = [token for token in _active(line) if token.stem in known]
    present = {token.stem for token in said}
    pairs = _pairs([token.stem for token in said])
    known_pairs = _pairs([token.stem for token in there])
    content = [token for token in there if token.kind in _CONTENT and token.stem in present]
    place = {token.stem: at for at, token in reversed(list(enumerate(one for one in there if one.kind in _CONTENT)))}
    where = {token.stem: at for at, token in reversed(list(enumerate(t for e in evidence for t in e.tokens)))}
    seen: set[tuple[str, str]] = set()
    for one, other in combinations(content, 2):
        key = (one.stem, other.stem)
        if key in seen or one.stem == other.stem or not _apart(one.stem, other.stem, place, where):
            continue
        seen.add(key)
        if line.language == "de" and one.capital != other.capital and not (one.first or other.first):
            continue  # nouns have capitals there: a noun and a verb exchange no roles
        if _alike(one, other) and _nearer_by(pairs, known_pairs, one.stem, other.stem) >= _MARGIN:
            return True
    return False


def _apart(one: str, other: str, place: dict[str, int], where: dict[str, int]) -> bool:
    """True if two words are no neighbours, such as an adverb and its verb; a common verb may stand between them."""
    far = abs(where.get(one, 0) - where.get(other, 0))
    return abs(place[one] - place[other]) >= _APART or far > _APART


def _alike(one: ClaimToken, other: ClaimToken) -> bool:
    """True if two words could change places: of one kind, numbers of one unit; a first word may be a name or not."""
    if one.kind == "number" or other.kind == "number":
        return one.kind == other.kind and one.unit == other.unit
    return one.kind == other.kind or (one.first and one.capital) or (other.first and other.capital)


def _nearer_by(pairs: _Pairs, known: _Pairs, one: str, other: str) -> int:
    """By how much the line is nearer to its evidence if two words of that are exchanged."""
    turned = {one: other, other: one}
    gained = 0
    for (first, second), weight in sorted(pairs.items()):
        if first in turned or second in turned:
            as_is = known.get((first, second), 0)
            exchanged = known.get((turned.get(first, first), turned.get(second, second)), 0)
            gained += min(weight, exchanged) - min(weight, as_is)
    return gained


def _active(claim: ReadClaim) -> list[ClaimToken]:
    """The words that show roles; `X is done by Y` as `Y does X`."""
    words = [
        token
        for token in claim.tokens
        if token.kind in _CONTENT
        or token.text in (",", ";", ":")
        or token.text.lower() in ROLE_WORDS
        or (token.kind == "light" and len(token.text) > _SMALL_WORD)
    ]
    for at, token in enumerate(words):
        if token.text.lower() not in _BY:
            continue
        be = next(
            (place for place in range(at - 1, max(-1, at - 5), -1) if words[place].text.lower() in BE_FORMS), None
        )
        if be is None:
            continue
        start = be
        while start and words[start - 1].text not in ",;:":
            start -= 1
        end = at + 1
        while end < len(words) and words[end].kind in _CONTENT:
            end += 1
        if end > at + 1:
            words = [*words[:start], *words[at + 1 : end], *words[be + 1 : at], *words[start:be], *words[end:]]
            break
    return [token for token in words if token.kind != "mark"]


def _pairs(stems: Sequence[str]) -> _Pairs:
    found: _Pairs = {}
    for at, stem in enumerate(stems):
        for far, other in enumerate(stems[at + 1 : at + 1 + _NEAR]):
            found[stem, other] = found.get((stem, other), 0) + _WEIGHTS[far]
    return found
