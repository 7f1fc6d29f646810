"""What a step finds and what a check says; the exit codes of the gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

__all__ = ["Exit", "Found", "NotEvaluated", "Result", "Verdict"]

Verdict = Literal["pass", "red", "not evaluated"]


class Exit(IntEnum):
    """As in `app.cli.exits`, which the gate does not import: it has to speak when the product cannot be loaded."""

    PASSED = 0
    NOT_TOLD = 1
    INVALID = 2
    RED = 8
    NOT_EVALUATED = 9
    INTERRUPTED = 130


class NotEvaluated(Exception):
    """Something that a check needs is not here, so nothing is claimed."""


@dataclass(frozen=True)
class Found:
    """Numbers, digests and faults of one step."""

    counts: Mapping[str, int] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """One check, judged; `problems` says why when it is not a pass."""

    check: str
    verdict: Verdict
    counts: Mapping[str, int] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
