"""Lines that a model wrote, judged one by one: only those whose evidence exists and holds them stay."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..evidence.grounding.line_check import check_line
from .evidence_sentences import EvidenceSentence

__all__ = ["JudgedLine", "JudgedLines", "judge_lines"]

_NAMED: Final = re.compile(r"e\d{1,3}(?:[ ,;]{1,3}e\d{1,3}){0,40}|-")
_RAW_CHARS_MAX: Final = 600
_NUMBER: Final = re.compile(r"e(\d{1,3})")
_LINES_MAX: Final = 24
_NAMED_MAX: Final = 6
_DROPPED_MOST_MILLI: Final = 500
"""Above this share of dropped lines nothing of the model's is shown: it did not keep to the evidence."""


@dataclass(frozen=True, slots=True)
class JudgedLine:
    """One line: what it says and cites, or why it was dropped."""

    text: str
    citations: tuple[int, ...]
    dropped: str = ""


@dataclass(frozen=True, slots=True)
class JudgedLines:
    """What is left of a model's answer."""

    lines: tuple[JudgedLine, ...]

    @property
    def kept(self) -> tuple[JudgedLine, ...]:
        """The lines that may leave."""
        return tuple(line for line in self.lines if not line.dropped)

    @property
    def dropped(self) -> tuple[tuple[str, int], ...]:
        """How many lines were dropped for which reason, by reason."""
        return tuple(sorted(Counter(line.dropped for line in self.lines if line.dropped).items()))

    @property
    def usable(self) -> bool:
        """True if enough of it holds to be shown at all."""
        count = len(self.lines) - len(self.kept)
        return bool(self.kept) and 1000 * count <= _DROPPED_MOST_MILLI * len(self.lines)

    @property
    def text(self) -> str:
        """The sentences with our markers."""
        return " ".join(f"{line.text} {''.join(f'[{number}]' for number in line.citations)}" for line in self.kept)


def judge_lines(written: str, evidence: Sequence[EvidenceSentence]) -> JudgedLines:
    """Judge every line of a model's answer; connecting lines are left out, since ours are fixed templates."""
    known = {one.number: one for one in evidence}
    found: list[JudgedLine] = []
    for raw in filter(None, (line.strip() for line in written.splitlines())):
        if len(found) == _LINES_MAX:
            found.append(JudgedLine("", (), "too_many"))
            break
        named, bar, text = raw.partition("|")
        named, text = named.strip(), text.strip()
        if not bar or len(raw) > _RAW_CHARS_MAX or _NAMED.fullmatch(named) is None:
            found.append(JudgedLine("", (), "form"))
        elif named != "-":
            found.append(_judged(named, text, known))
    said: set[str] = set()
    once = []
    for line in found:
        if line.dropped or line.text not in said:
            once.append(line)
        said.add(line.text)
    return JudgedLines(tuple(once))


def _judged(named: str, said: str, known: dict[int, EvidenceSentence]) -> JudgedLine:
    numbers = list(dict.fromkeys(int(number) for number in _NUMBER.findall(named)))
    if len(numbers) > _NAMED_MAX or any(number not in known for number in numbers):
        return JudgedLine("", (), "evidence")
    cited = [known[number] for number in numbers]
    verdict = check_line(said, [one.text for one in cited])
    if verdict.why is not None:
        return JudgedLine("", (), verdict.why)
    return JudgedLine(said, tuple(sorted({one.citation for one in cited})))
