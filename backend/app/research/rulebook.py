"""The rules as data: directives, signals of a hand-over, and how a pattern is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, Self

import re2
from pydantic import Field, ValidationError

from ..kernel.canonical import digest_of
from ..kernel.errors import ContractViolation
from ..kernel.noun import Identifier, Noun
from ..parsing.folding import folded_pattern

__all__ = ["Handover", "Mention", "Rule", "RuleSet", "Severity", "Signal", "compiled", "gate_of", "options"]

Severity = Literal["high", "medium"]
_MEMORY_BYTES: Final = 256 * 1024 * 1024
# What may stand between two words of a directive: white space, and signs of emphasis, quotation and quoted lines.
_GAP: Final = r"(?:[\s*_~\x60\"'|#>]+)"
_PIECE: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|%[a-z_]+%| ")
_WORD: Final = re.compile(r"[a-z]{3,}")


class Rule(Noun):
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


class Signal(Noun):
    """One sign that a sentence turns to its reader as to an assistant; signs add up."""

    id: Identifier
    pattern: str
    weight: int = Field(ge=-1000, le=1000)


class Handover(Noun):
    """The second stage: sentences round an anchor are scored with integers."""

    id: Identifier
    family: Identifier
    severity: Severity
    languages: tuple[str, ...]
    anchors: tuple[str, ...] = Field(min_length=1)
    signals: tuple[Signal, ...] = Field(min_length=1)
    bias: int
    threshold: int
    hits: tuple[str, ...] = Field(min_length=1)
    near_misses: tuple[str, ...] = Field(min_length=1)


class Mention(Noun):
    """When a directive is quoted by a page about attacks, and not used."""

    terms: tuple[str, ...] = Field(min_length=1)
    distinct_terms: int = Field(ge=1)
    per_mille: int = Field(ge=1)
    shortest: int = Field(ge=1)


class RuleSet(Noun):
    """The rules of one version; they change apart from the contract and are named in every receipt."""

    version: str
    fragments: dict[str, str] = Field(default_factory=dict)
    rules: tuple[Rule, ...] = Field(min_length=1)
    handover: Handover
    mention: Mention

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


def options() -> re2.Options:
    """How every pattern of the screen is compiled."""
    chosen = re2.Options()
    chosen.max_mem = _MEMORY_BYTES
    chosen.case_sensitive = False
    chosen.log_errors = False
    return chosen


def compiled(pattern: str) -> re.Pattern[bytes]:
    """A pattern over UTF-8.

    Raises:
        ContractViolation: it does not compile.
    """
    try:
        found: re.Pattern[bytes] = re2.compile(pattern, options())
    except re2.error as exc:
        raise ContractViolation("an injection rule does not compile") from exc
    return found


def gate_of(patterns: tuple[str, ...]) -> re2.Set:
    """All patterns as one automaton that says in one pass which of them occur."""
    gate = re2.Set.SearchSet(options())
    for pattern in patterns:
        gate.Add(pattern)
    gate.Compile()
    return gate
