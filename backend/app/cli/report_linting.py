"""`portcullis lint-report`: the structure of Markdown reports, one file or many lines."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Final

from ..evidence.grounding.report_lint import LintedReport, lint_report
from ..kernel.errors import RequestInvalid
from .exits import Exit
from .render import plain, print_json

__all__ = ["lint"]

_BYTES_MAX: Final = 200_000_000
_TEXT_FIELDS: Final = ("article", "text", "report")


def lint(file: str | None, *, jsonl: bool, as_json: bool) -> Exit:
    """Lint one report, or every line of a file of reports; exit code 8 where one report has findings."""
    text = _read(file)
    if jsonl:
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                name, article = _line(line, number)
                found = lint_report(article).model_dump(mode="json")
                sys.stdout.write(json.dumps({"id": name, **found}, ensure_ascii=False) + "\n")
        return Exit.GROUNDED
    report = lint_report(text)
    if as_json:
        print_json(report)
    else:
        _print(report)
    return Exit.DOES_NOT_HOLD if report.findings else Exit.GROUNDED


def _print(report: LintedReport) -> None:
    if not report.has_source_section:
        sys.stdout.write(f"no list of sources, {report.markers} markers\n")
    for one in report.findings:
        sys.stdout.write(f"line {one.line}: {one.kind.replace('_', ' ')} [{one.number}]: {plain(one.detail).plain}\n")
    sys.stdout.write(f"{report.markers} markers, {report.sources} sources, {len(report.findings)} findings\n")


def _line(line: str, number: int) -> tuple[object, str]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise RequestInvalid(f"line {number} is not JSON") from exc
    text = next((row[name] for name in _TEXT_FIELDS if isinstance(row, dict) and isinstance(row.get(name), str)), None)
    if text is None:
        raise RequestInvalid(f"line {number} has no `article` or `text`")
    return row.get("id", number), text


def _read(file: str | None) -> str:
    try:
        if file in (None, "-"):
            data = sys.stdin.buffer.read(_BYTES_MAX)
        elif str(file).endswith(".gz"):
            with gzip.open(str(file), "rb") as packed:
                data = packed.read(_BYTES_MAX)
        else:
            with Path(str(file)).open("rb") as source:
                data = source.read(_BYTES_MAX)
        return data.decode("utf-8")
    except (OSError, EOFError, ValueError) as exc:
        raise RequestInvalid(f"`{file or 'stdin'}` cannot be read as UTF-8 text") from exc
