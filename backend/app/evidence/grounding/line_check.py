"""Holds a sentence that a model wrote against the evidence it names; what is not held there does not leave."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from .claim_clauses import (
    adds_nothing_at_its_end,
    is_negator,
    joins_nothing_new,
    keeps_clauses,
    keeps_numbers,
    keeps_subjects,
    negation_of,
    opens_with_preposition,
    pieces_of,
    stems_of,
)
from .claim_limits import keeps_limits
from .claim_opposites import OPPOSITES
from .claim_replacements import replaces_nothing
from .claim_roles import keeps_roles
from .claim_vocabulary import OPENERS, UNITS
from .claim_words import ReadClaim, read_claim
from .plain_amounts import with_plain_amounts
from .plain_writing import plainly_written

__all__ = ["LINE_CHARS_MAX", "LineVerdict", "Why", "check_line"]

LINE_CHARS_MAX: Final = 400
_RATES: Final = frozenset(("per", "each", "every", "pro", "par", "por", "al"))
_SHORT_UNIT: Final = 2  # shorter ones are units behind a number alone
_ALSO_WORDS: Final = frozenset(("foot", "second"))  # on foot, the second one
_UNIT_NAMES: Final = frozenset(UNITS.values())
_CHARS_MIN: Final = 10
_MINUS: Final = "\u2212"
_WITHOUT: Final = frozenset(("without", "ohne", "sans", "sin"))
_HELD_MILLI: Final = 600
_UNHELD_RUN: Final = 3
_TOKENS_MAX: Final = 600
"""Of all evidence of a line; six sentences seldom have half as many."""
_CLAUSE_HELD_MILLI: Final = 500
_NEGATED_WORDS: Final = 4
"""A negator reaches the words behind it, up to here."""
_ADDRESS: Final = re.compile(
    r"https?:|www\.|\b[\w-]+\.(?:com|org|net|edu|gov|io|info|co|de|fr|es|uk|eu|ai|dev|app|example|test)\b|\S@\S|://",
    re.I,
)
_DOTTED: Final = re.compile(r"[\w-]+(?:\.[^\W\d_]{2,})+")
_IDENTIFIER: Final = re.compile(r"(?<![\w.])[^\W_]+(?:[._]+[^\W_]+)+(?!\w)")
_MARKUP: Final = re.compile(r"[\[\]<>{}|`*_#\\^~]|^\s*(?:[-+\u2022]|\d{1,3}[.)])\s")
_BIBLIOGRAPHY: Final = re.compile(
    r"\b(?:references?|bibliography|sources?|further reading|works cited|quellen|literatur|bibliographie|bibliografía|"
    r"fuentes?)\s*:|\bet al\b|\(\s*[A-Z][\w-]+,? (?:et al\.?,? )?(?:1[5-9]|20)\d\d[a-z]?\s*\)"
    r"|\bdoi\b|\bisbn\b|\bpp?\. ?\d"
    r"|\bsee (?:also )?[A-Z][\w-]+ (?:et al|\()|\b(?:vol|no)\. ?\d",
    re.I,
)
_HIDDEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_START_ENDINGS: Final = ("ly", "ing")
Why = Literal[
    "shape",
    "address",
    "markup",
    "bibliography",
    "number",
    "unit",
    "name",
    "order",
    "negation",
    "opposite",
    "limit",
    "replaced",
    "coverage",
]


@dataclass(frozen=True, slots=True)
class LineVerdict:
    """Whether a sentence may leave, and if not, why."""

    why: Why | None

    @property
    def holds(self) -> bool:
        """True if it may leave."""
        return self.why is None


def check_line(said: str, evidence: Sequence[str]) -> LineVerdict:
    """Check one sentence against the evidence sentences that it names."""
    return LineVerdict(_fault(said.strip(), evidence) if len(said) <= 2 * LINE_CHARS_MAX else "shape")


def _fault(said: str, evidence: Sequence[str]) -> Why | None:
    if not _CHARS_MIN <= len(said) <= LINE_CHARS_MAX or _HIDDEN.search(said) or not evidence:
        return "shape"
    if _ADDRESS.search(said) or _foreign_dots(said, evidence):
        return "address"
    if _MARKUP.search(_without_identifiers(said, evidence)):
        return "markup"
    if _BIBLIOGRAPHY.search(said):
        return "bibliography"
    said, evidence = with_plain_amounts(said), [with_plain_amounts(text) for text in evidence]
    if not plainly_written(said, evidence):
        return "shape"
    line = read_claim(said)
    read = [read_claim(text, line.language) for text in evidence]
    held = frozenset[str]().union(*(one.stems for one in read))
    return _facts(line, read, held) or _opposite(line, read) or _coverage(line, held) or _turned(line, read)


def _without_identifiers(said: str, evidence: Sequence[str]) -> str:
    """The line without the names of programs that its evidence holds; their `_` inside a word is no markup."""
    known = {found[0] for text in evidence for found in _IDENTIFIER.finditer(text)}
    return _IDENTIFIER.sub(lambda found: "" if found[0] in known else found[0], said)


def _foreign_dots(said: str, evidence: Sequence[str]) -> bool:
    """True if a word with a dot inside, such as a domain, stands in no sentence of the evidence."""
    return any(not any(found[0] in text for text in evidence) for found in _DOTTED.finditer(said))


def _facts(line: ReadClaim, read: Sequence[ReadClaim], held: frozenset[str]) -> Why | None:
    """Every number with its unit and every name of the line stand in its evidence."""
    numbers = {(token.stem, token.unit) for one in read for token in one.of_kind("number")}
    values = {value for value, _ in numbers}
    units = {token.unit for one in read for token in one.tokens if token.unit} | {
        token.stem for one in read for token in one.tokens if token.kind == "light"
    }
    unsigned = frozenset[str]().union(*(_unsigned(one) for one in read))
    if any(value in values and value not in unsigned for value in _unsigned(line)):
        return "number"  # a minus was left out
    for token in line.of_kind("number"):
        if token.stem not in values:
            return "number"
        # A unit may be left to the other number of its sentence: from 31 to 26 million.
        known = {unit for value, unit in numbers if value == token.stem}
        if token.unit and token.unit not in known and not ("" in known and token.unit in units):
            return "unit"
    said = [token.stem for token in line.tokens if token.kind == "light" and len(token.text) > _SHORT_UNIT]
    if any(unit in _UNIT_NAMES and unit not in units and unit not in _ALSO_WORDS for unit in said):
        return "unit"
    rates = [token.stem for lead, token in pairwise(line.tokens) if lead.text.lower() in _RATES]
    if any(unit in _UNIT_NAMES and unit not in units for unit in rates):
        return "unit"
    if _foreign_behind_number(line, held):
        return "unit"
    for token in line.of_kind("name"):
        if token.stem not in held:
            return "name"
    if line.language == "de" and any(
        one.capital and other.capital and one.kind == other.kind == "word" and not {one.stem, other.stem} & held
        for one, other in pairwise(line.tokens)
    ):
        return "name"  # every noun has a capital; two in a row that nobody has said are a name
    begins = next((token for token in line.tokens if token.kind != "mark"), None)
    if begins is not None and begins.kind == "word" and begins.stem not in held and line.language != "de":
        low = begins.text.lower()
        if begins.capital and low not in OPENERS and not low.endswith(_START_ENDINGS):
            return "name"
    return None


def _unsigned(claim: ReadClaim) -> frozenset[str]:
    """Every number that stands without a minus."""
    texts = ("", *(token.text for token in claim.tokens))
    pairs = zip(texts, claim.tokens, strict=False)
    return frozenset(token.stem for before, token in pairs if token.kind == "number" and before != _MINUS)


def _foreign_behind_number(line: ReadClaim, held: frozenset[str]) -> bool:
    """True if the word that a number counts is one that the evidence does not hold: 3 oz, 30 working days."""
    return any(
        number.kind == "number"
        and token.kind in ("word", "light")
        and token.stem not in held
        and token.text.isalpha()
        and (not number.unit or (behind.kind == "light" and behind.stem == number.unit))
        and (len(token.text) <= _SHORT_UNIT or behind.stem in _UNIT_NAMES)
        for number, token, behind in zip(line.tokens, line.tokens[1:], line.tokens[2:], strict=False)
    )


def _opposite(line: ReadClaim, read: Sequence[ReadClaim]) -> Why | None:
    said, said_no = _forms(line)
    forms = [_forms(one) for one in read]
    there = frozenset[str]().union(*(held for held, _ in forms))
    there_no = frozenset[str]().union(*(negated for _, negated in forms))
    single = len(pieces_of(line)) == 1
    first = [_first_places(line), _first_places(*read)]
    for one, other in OPPOSITES:
        orders = [_order_of(one, other, places) for places in first]
        if single and 0 not in orders and orders[0] != orders[1]:
            return "opposite"  # the old and the new have changed places
        for here, turned in ((one, other), (other, one)):
            if said & here and not there & here and there & turned and not (said_no & here or there_no & turned):
                return "opposite"
    return None


def _first_places(*claims: ReadClaim) -> dict[str, int]:
    """Where each word stands first."""
    places: dict[str, int] = {}
    for token in (token for one in claims for token in one.tokens):
        places.setdefault(token.text.lower(), len(places))
    return places


def _order_of(one: frozenset[str], other: frozenset[str], places: dict[str, int]) -> int:
    """-1 if a word of the one side stands before one of the other, 1 if behind, 0 if a side is missing."""
    here = [places[low] for low in one & places.keys()]
    there = [places[low] for low in other & places.keys()]
    return 0 if not here or not there else -1 if min(here) < min(there) else 1


def _forms(claim: ReadClaim) -> tuple[frozenset[str], frozenset[str]]:
    """Every word as it stands there, and its stem; and those that a negator stands before."""
    found: set[str] = set()
    negated: set[str] = set()
    since = _NEGATED_WORDS
    for token in claim.tokens:
        low = token.text.lower()
        since = 0 if is_negator(low) else since + 1
        found.update((low, token.stem))
        if 0 < since <= _NEGATED_WORDS - 1:
            negated.update((low, token.stem))
    return frozenset(found), frozenset(negated)


def _coverage(line: ReadClaim, held: frozenset[str]) -> Why | None:
    """Three of five content words are those of the evidence, and no long stretch is without any of them."""
    content = line.of_kind("word", "name", "number")
    if not content:
        return "coverage"
    run = longest = 0
    for token in content:
        run = 0 if token.stem in held else run + 1
        longest = max(longest, run)
    share = 1000 * sum(token.stem in held for token in content) // len(content)
    if (
        share < _HELD_MILLI
        or longest > _UNHELD_RUN
        or not adds_nothing_at_its_end(line, held)
        or not joins_nothing_new(line, held)
    ):
        return "coverage"
    return "coverage" if any(stems.isdisjoint(held) for stems, _ in line.parts) else None


def _turned(line: ReadClaim, read: Sequence[ReadClaim]) -> Why | None:
    if sum(len(one.tokens) for one in read) > _TOKENS_MAX:
        return "order"  # what comes compares words with words
    return _negation(line, read) or _order(line, read)


def _order(line: ReadClaim, read: Sequence[ReadClaim]) -> Why | None:
    if not (keeps_roles(line, read) and keeps_clauses(line, read) and keeps_subjects(line, read)):
        return "order"
    if not keeps_numbers(line, read):
        return "order"
    if not replaces_nothing(line, read):
        return "replaced"
    return None if keeps_limits(line, read) else "limit"


def _negation(line: ReadClaim, read: Sequence[ReadClaim]) -> Why | None:
    """What is negated in the line is negated in its evidence, and the other way round, clause by clause."""
    plain = [(stems_of(piece), negation_of(piece)) for one in read for piece in pieces_of(one)]
    pieces = list(pieces_of(line))
    if len(pieces) > 1 and pieces[0] and pieces[0][0].text.lower() in _WITHOUT:
        pieces[:2] = [(*pieces[0], *pieces[1])]  # without a net, nobody jumps
    for place, piece in enumerate(pieces):
        stems, said = stems_of(piece), negation_of(piece)
        if not place and len(pieces) > 1 and opens_with_preposition(piece):
            continue  # a phrase of time or place before the clause that it belongs to
        alike = [
            (len(stems & other), there)
            for other, there in plain
            if len(stems & other) > 1
            or (stems & other and 1000 * len(stems & other) >= _CLAUSE_HELD_MILLI * min(len(stems), len(other)))
        ]
        best = max((shared for shared, _ in alike), default=0)
        nearest = [there for shared, there in alike if shared == best]
        # A plain `not` may stand for a weak word such as `refuse`, but not beside it.
        if said.negators and not any(there.negators or there.weak - said.weak for _, there in alike or plain):
            return "negation"
        if not (said.negators or said.weak) and nearest and all(there.negators for there in nearest):
            return "negation"
        if said.negators and nearest and all(there.negators > said.negators for there in nearest):
            return "negation"  # of two that cancel each other one was left out
    return None
