"""What the guard reports: a place, the rule that was broken, and the word that broke it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Finding", "Report"]


@dataclass(frozen=True, order=True)
class Finding:
    """One refusal; `subject` is what an exception in `lists.py` would have to name."""

    path: str
    line: int
    rule: str
    subject: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.rule} {self.message}"


@dataclass(frozen=True)
class Report:
    """All findings of a tree, and how many files were read for them."""

    files: int
    findings: tuple[Finding, ...]
