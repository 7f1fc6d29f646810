"""The injection screen: strips carriers, finds directives in every part of a tool's output (§3.4, R7)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Self

import re2
from pydantic import Field, ValidationError

from ..kernel.canonical import digest_of
from ..kernel.errors import ContractViolation
from ..kernel.noun import Identifier, Noun
from ..kernel.results import TRUST_MARKER, Finding, RawItem, RawResult, ScreenedItem, ScreenedResult
from ..parsing.carriers import Stripped, strip_carriers

__all__ = ["InjectionScreen", "Rule", "RuleSet"]

_MEMORY_BYTES: Final = 256 * 1024 * 1024
_SPACES: Final = re.compile("[\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


class Rule(Noun):
    """One directive as a linear-time pattern, with what it must hit and what it must leave alone."""

    id: Identifier
    family: Identifier
    languages: tuple[str, ...]
    pattern: str
    hits: tuple[str, ...] = Field(min_length=1)
    near_misses: tuple[str, ...] = Field(min_length=1)


class RuleSet(Noun):
    """The rules of one version; they change apart from the contract and are named in every receipt."""

    version: str
    rules: tuple[Rule, ...] = Field(min_length=1)

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


class InjectionScreen:
    """Compiled once; every text is looked at in one pass, and only rules that hit are searched for their spans."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        options = re2.Options()
        options.max_mem = _MEMORY_BYTES
        options.case_sensitive = False
        options.log_errors = False
        # re2 reports hits in no promised order, so rules are looked up by position and sorted.
        self._gate = re2.Set.SearchSet(options)
        try:
            self._spans = tuple(re2.compile(rule.pattern, options) for rule in rules.rules)
        except re2.error as exc:
            raise ContractViolation("an injection rule does not compile") from exc
        for rule in rules.rules:
            self._gate.Add(rule.pattern)
        self._gate.Compile()

    def __call__(self, call_id: str, raw: RawResult) -> ScreenedResult:
        """Screen a whole result; an item with a finding is left out of it (R8)."""
        items: list[ScreenedItem] = []
        findings: list[Finding] = []
        removed = 0
        for position, item in enumerate(raw.items):
            stripped = {name: strip_carriers(text) for name, text in _parts(item)}
            here = [
                finding for name, part in stripped.items() for finding in self._find(f"items.{position}.{name}", part)
            ]
            gone = item.carriers_removed + sum(part.removed for part in stripped.values())
            removed += gone
            findings.extend(here)
            if not here:
                items.append(_screened(item, stripped, gone))
        return ScreenedResult(call_id=call_id, items=tuple(items), findings=tuple(findings), carriers_removed=removed)

    def find(self, text: str) -> tuple[Finding, ...]:
        """The directives in one text, with offsets into it."""
        return tuple(self._find("text", strip_carriers(text)))

    def _find(self, part: str, stripped: Stripped) -> Iterator[Finding]:
        # A pattern's white space is ASCII; other spaces stand for it, one for one, so that offsets hold.
        text = stripped.text if stripped.text.isascii() else _SPACES.sub(" ", stripped.text)
        for number in sorted(self._gate.Match(text) or ()):
            for match in self._spans[number].finditer(text):
                yield Finding(
                    rule_id=self._rules.rules[number].id,
                    part=part,
                    start=stripped.original_offset(match.start()),
                    end=stripped.original_offset(match.end() - 1) + 1,
                )


def _parts(item: RawItem) -> Iterator[tuple[str, str]]:
    """Every text of a candidate under its name; what a reader would not see is screened like the rest."""
    yield "title", item.title
    yield "locator", item.locator
    yield "requested", item.requested
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
        body=stripped["body"].text,
        metadata=metadata,
        content_hash=item.content_hash,
        text_hash=item.text_hash,
        start=item.start,
        end=item.end,
        relevance_milli=item.relevance_milli,
        trust=TRUST_MARKER,
        carriers_removed=removed,
    )
