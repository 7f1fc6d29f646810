"""Which files carry injected instructions, for the person at the terminal, who is the operator there, too."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from rich.console import Console

from ..kernel.document_index import IndexReport
from ..kernel.outcome import ResearchOutcome
from ..system.settings import Settings, settings_from
from ..system.stores.documents.exclusion import pattern_of
from .render import plain

__all__ = ["elsewhere", "print_blocked", "print_flagged", "way_out"]

_SHOWN: Final = 20
_SCHEME: Final = "doc:"


def elsewhere(settings: Settings) -> tuple[str, ...]:
    """The option that a printed command needs to find the same data folder."""
    return () if settings.data_dir == settings_from().data_dir else ("--data-dir", str(settings.data_dir))


def way_out(folder: Path, settings: Settings, tenant: str = "local") -> tuple[str, ...]:
    """The command that changes the index of a folder, as it would have to be typed here."""
    whose = () if tenant == "local" else ("--tenant", tenant)
    return "portcullis", "index", str(folder), *whose, *elsewhere(settings)


def print_flagged(console: Console, report: IndexReport, command: Sequence[str]) -> None:
    """What `index` found, and how to leave it out."""
    for one in report.flagged[:_SHOWN]:
        more = f", {one.findings} times" if one.findings > 1 else ""
        console.print(
            plain(f"flagged {one.path}: {one.rule_id} in {one.part} at {one.start}-{one.end}{more}"),
            style="red",
            soft_wrap=True,
        )
    if len(report.flagged) > _SHOWN:
        console.print(f"... and {len(report.flagged) - _SHOWN} more findings (--json lists all)", style="red")
    paths = list(dict.fromkeys(one.path for one in report.flagged))
    if paths:
        console.print("A question that reaches a flagged place ends without an answer.")
        _print_way_out(console, paths, command)


def print_blocked(console: Console, outcomes: Iterable[ResearchOutcome], command: Sequence[str]) -> None:
    """Which files ended a question without an answer, and how to leave them out."""
    found = [finding for outcome in outcomes for finding in outcome.blocked]
    paths: dict[str, None] = {}
    why: dict[str, dict[str, None]] = {}
    for finding in found:
        path = _path_of(finding.locator)
        # One line of a text is often found by several rules.
        why.setdefault(path or finding.locator, {})[f"{finding.rule_id} in {finding.part}"] = None
        if path is not None:
            paths[path] = None
    for place, found_by in list(why.items())[:_SHOWN]:
        console.print(plain(f"Blocked: {place} ({', '.join(found_by)})"), style="yellow", soft_wrap=True)
    if paths:
        _print_way_out(console, list(paths), command)


def _print_way_out(console: Console, paths: Sequence[str], command: Sequence[str]) -> None:
    words = list(command)
    for path in paths[:_SHOWN]:
        words += ["--exclude", pattern_of(path)]
    console.print(plain(f"Leave out: {shlex.join(words)}"), soft_wrap=True)


def _path_of(locator: str) -> str | None:
    """The path of a document in its folder, from `doc:<collection>/<path>#<start>-<end>`."""
    _, found, rest = locator.partition("/")
    if not found or not locator.startswith(_SCHEME):
        return None
    return unquote(rest.rpartition("#")[0] or rest)
