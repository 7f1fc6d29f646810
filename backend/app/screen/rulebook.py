"""The rules as data: directives, signals of a hand-over, and how a pattern is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, Self

import re2
from pydantic import Field, ValidationError

from ..kernel.canonical import digest_of
from ..kernel.errors import ContractViolation
from ..kernel.models import FrozenModel, Identifier
from .concepts import Lexicon
from .fold import folded_pattern
from .weights import Severity, WindowWeights

__all__ = [
    "Gate",
    "Handover",
    "LatePattern",
    "Mention",
    "Rule",
    "RuleSet",
    "RuleSignal",
    "Severity",
    "automaton_of",
    "boundary_after",
    "boundary_before",
    "compiled",
    "late_patterns",
    "opening",
    "spans",
]

_MEMORY_BYTES: Final = 256 * 1024 * 1024
# What may stand between two words of a directive: white space, signs of emphasis, quotation, quoted lines, links.
_GAP: Final = r"(?:[\s*_~\x60\"'|#>\[\]()]+)"
_PIECE: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|%[a-z_]+%| ")
_WORD: Final = re.compile(r"[a-z]{3,}")
_MARKS: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[\[()|]|\Z", re.DOTALL)
_LONG_GAP: Final = re.compile(r"\[\^[^\]]*\]\{0,(?:[2-9]\d|\d{3})\}")
# Bytes that begin no letter of Greek, Cyrillic, Hebrew, Arabic, Indic, Thai, Chinese, Japanese or Korean.
_SCRIPTS: Final = (*range(0xCD, 0xDC), 0xE0, 0xE1, *range(0xE3, 0xEE))
_NO_SCRIPT: Final = bytes(byte for byte in range(256) if byte not in _SCRIPTS)
_SUBSTANCE: Final = 2  # gaps between words that an opening needs, so that it does not hit everywhere


class Rule(FrozenModel):
    """One directive as a linear-time pattern, with what it must hit and what it must leave alone.

    In a pattern `%name%` stands for a fragment and a space for any gap between two words.
    """

    id: Identifier
    family: Identifier
    severity: Severity
    languages: tuple[str, ...] = Field(min_length=1)
    pattern: str
    unless_before: str = ""
    """What makes it harmless when it stands right before the match."""
    unless_after: str = ""
    hits: tuple[str, ...] = Field(min_length=1)
    near_misses: tuple[str, ...] = Field(min_length=1)


class RuleSignal(FrozenModel):
    """One sign that a sentence turns to its reader as to an assistant; signs add up."""

    id: Identifier
    pattern: str
    weight: int = Field(ge=-1000, le=1000)


class Handover(FrozenModel):
    """The second stage: sentences round an anchor are scored with integers."""

    id: Identifier
    family: Identifier
    severity: Severity
    languages: tuple[str, ...]
    anchors: tuple[str, ...] = Field(min_length=1)
    signals: tuple[RuleSignal, ...] = Field(min_length=1)
    bias: int
    threshold: int
    hits: tuple[str, ...] = Field(min_length=1)
    near_misses: tuple[str, ...] = Field(min_length=1)


class Mention(FrozenModel):
    """When a directive is quoted by a passage about attacks, and not used."""

    attack_terms: tuple[str, ...] = Field(min_length=1)
    """Words for attacks; a sentence with one of them may describe one."""
    terms: tuple[str, ...] = Field(min_length=1)
    """More of the vocabulary of such passages."""
    distinct_terms: int = Field(ge=1)
    """How many of them must stand near a place."""
    reach: int = Field(ge=1)
    """Characters to either side that count as near."""


class RuleSet(FrozenModel):
    """The rules of one version; they change apart from the contract and are named in every receipt."""

    version: str
    fragments: dict[str, str] = Field(default_factory=dict)
    rules: tuple[Rule, ...] = Field(min_length=1)
    handover: Handover
    mention: Mention
    lexicon: Lexicon | None = None
    window: WindowWeights | None = None
    """The third stage; without it or without the lexicon there is none."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a rule file.

        Raises:
            ContractViolation: the file is not a rule set.
        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as exc:
            raise ContractViolation("the injection rules cannot be read") from exc

    @property
    def digest(self) -> str:
        """What receipts and certificates name."""
        return digest_of(self)

    def written(self, pattern: str) -> str:
        """A pattern as the engine takes it: fragments put in, gaps widened, letters folded.

        Raises:
            ContractViolation: it names a fragment that is not there.
        """

        def piece(match: re.Match[str]) -> str:
            found = match[0]
            if found == " ":
                return _GAP
            if found[0] == "[":
                return found.replace(" ", r"\s")
            if found[0] != "%":
                return found
            name = found.strip("%")
            if name not in self.fragments:
                raise ContractViolation(f"an injection rule names the fragment `{name}`, which is not there")
            return self.written(self.fragments[name])

        return folded_pattern(_PIECE.sub(piece, pattern))

    def words(self) -> Iterator[str]:
        """The plain words of all patterns: those that digits may stand in for."""
        for rule in self.rules:
            yield from _WORD.findall(re.sub(r"\\.", " ", self.written(rule.pattern).lower()))


def _options(pattern: str) -> re2.Options:
    """How a pattern is compiled: over bytes where it is ASCII, which makes for a far smaller automaton."""
    chosen = re2.Options()
    chosen.max_mem = _MEMORY_BYTES
    chosen.case_sensitive = False
    chosen.log_errors = False
    if pattern.isascii():
        chosen.encoding = re2.Options.Encoding.LATIN1
    return chosen


def compiled(pattern: str) -> re.Pattern[bytes]:
    """A pattern over UTF-8.

    Raises:
        ContractViolation: it does not compile.
    """
    try:
        found: re.Pattern[bytes] = re2.compile(
            pattern if not pattern.isascii() else pattern.encode(), _options(pattern)
        )
    except re2.error as exc:
        raise ContractViolation("an injection rule does not compile") from exc
    return found


class LatePattern:
    """A pattern that is compiled when it is first searched for: most processes meet no text that needs it."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    @cached_property
    def compiled(self) -> re.Pattern[bytes]:
        """The pattern over UTF-8."""
        return compiled(self._pattern)


def late_patterns(patterns: Sequence[str]) -> tuple[LatePattern, ...]:
    """Patterns that are read now, which takes a third of the time, and compiled when they are needed.

    Raises:
        ContractViolation: one of them cannot be read.
    """
    for pattern in dict.fromkeys(patterns):
        try:
            re2.Set.SearchSet(_options(pattern)).Add(pattern)
        except re2.error as exc:
            raise ContractViolation("an injection rule does not compile") from exc
    return tuple(LatePattern(pattern) for pattern in patterns)


def automaton_of(patterns: Sequence[str]) -> re2.Set:
    """Patterns as one automaton that says which of them occur.

    Raises:
        ContractViolation: one of them cannot be read.
    """
    automaton = re2.Set.SearchSet(_options("".join(patterns)))
    try:
        for pattern in patterns:
            automaton.Add(pattern)
    except re2.error as exc:
        raise ContractViolation("an injection rule does not compile") from exc
    automaton.Compile()
    return automaton


def boundary_before(data: bytes, at: int) -> int:
    """The last character boundary of UTF-8 text that is not behind `at`."""
    while at < len(data) and _continues(data[at]):
        at -= 1
    return at


def boundary_after(data: bytes, at: int) -> int:
    """The first character boundary of UTF-8 text that is not before `at`."""
    while at < len(data) and _continues(data[at]):
        at += 1
    return at


def spans(pattern: re.Pattern[bytes], data: bytes) -> Iterator[tuple[int, int]]:
    """Every match of a pattern, widened to whole characters.

    A pattern over bytes counts the bytes of its gaps, so a gap may begin or end inside a character.
    """
    for match in pattern.finditer(data):
        yield boundary_before(data, match.start()), boundary_after(data, match.end())


def _continues(byte: int) -> bool:
    """True for a byte of a UTF-8 character behind its first."""
    return byte & 0b1100_0000 == 0b1000_0000


class Gate:
    """Patterns as automata that say in one pass each which of them occur.

    Patterns that are alike share an automaton; those of different kinds would only multiply its states.
    """

    def __init__(self, patterns: Sequence[str], kinds: Sequence[str] = ()) -> None:
        groups: dict[tuple[bool, str], list[int]] = {}
        for number, pattern in enumerate(patterns):
            groups.setdefault((pattern.isascii(), kinds[number] if kinds else ""), []).append(number)
        self._sides = [_Side(plain, patterns, numbers) for (plain, _), numbers in groups.items()]

    def hits(self, data: bytes) -> list[int]:
        """The patterns that may occur, in order."""
        # Signs and symbols are not letters of another script; the first byte of a character tells.
        latin_only = data.isascii() or not data.translate(None, _NO_SCRIPT)
        found: list[int] = []
        for side in self._sides:
            if side.plain or not latin_only:
                # re2 reports hits in no promised order.
                found.extend(side.numbers[hit] for hit in side.automaton.Match(data) or ())
        return sorted(found)


class _Side:
    """Patterns of one kind and their automaton; one for other scripts is compiled with the first text in one."""

    def __init__(self, plain: bool, patterns: Sequence[str], numbers: Sequence[int]) -> None:
        self.plain = plain
        self.numbers = numbers
        self._patterns = patterns
        self._ready = _automaton(patterns, numbers) if plain else None

    @cached_property
    def automaton(self) -> re2.Set:
        """Compiled at once for plain patterns, since every text is looked at with it."""
        return self._ready or _automaton(self._patterns, self.numbers)


def _automaton(patterns: Sequence[str], numbers: Sequence[int]) -> re2.Set:
    automaton = re2.Set.SearchSet(_options(patterns[numbers[0]]))
    for number in numbers:
        automaton.Add(opening(patterns[number]))
    automaton.Compile()
    return automaton


def opening(pattern: str) -> str:
    """A pattern up to its first long gap: it hits wherever the pattern does, and its automaton is far smaller."""
    cut: list[str] = []
    begin = depth = 0
    end = -1
    for found in _MARKS.finditer(pattern):
        at, mark = found.start(), found[0]
        if mark[:1] == "[":
            if mark == "[":  # a class that is not closed
                return pattern
            gap = _LONG_GAP.match(pattern, at)
            if gap is not None and depth == 0 and end < 0 and pattern.count(_GAP, begin, at) >= _SUBSTANCE:
                end = at
        elif mark in ("(", ")"):
            depth += 1 if mark == "(" else -1
        elif depth == 0 and mark in ("|", ""):
            cut.append(pattern[begin : end if end >= 0 else at])
            begin, end = at + 1, -1
    return "|".join(cut)
