"""Lint a Markdown report: markers without a source, sources without a marker, doubled sources, gaps in numbering."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from ...evidence.grounding.report_lint import LintedReport, lint_report
from ...kernel.capability import Capability, Example
from ...kernel.models import FrozenModel, Text

__all__ = ["LINT_REPORT", "LintReportInput"]


class LintReportInput(FrozenModel):
    """A report in Markdown."""

    text: Annotated[Text, Field(max_length=200_000)]


def compute(given: LintReportInput) -> LintedReport:
    """The findings, in the order of the text."""
    return lint_report(given.text)


LINT_REPORT: Final = Capability(
    name="lint_report",
    family="answers",
    title="Lint a report",
    description="Finds dangling markers, uncited and doubled sources and gaps in numbering in any Markdown report.\n"
    "Use it on the text of a finished report. Not for whether a source supports a sentence: check_grounding.",
    kind="compute",
    input=LintReportInput,
    output=LintedReport,
    example=Example({"text": "The tide is high. [1] [2]\n\n## Sources\n\n[1] https://example.org/tide"}, "findings"),
    compute=compute,
)
