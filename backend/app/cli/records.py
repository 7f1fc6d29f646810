"""Commands on the record of past sessions: replay, sessions, receipt, erase, prune."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Final

from ..kernel.counting import counted
from ..kernel.errors import RequestInvalid
from ..kernel.models import FrozenModel
from ..research.record.history import SessionSummary
from ..wiring import open_archive
from .exits import Exit
from .histories import QuestionedSession, print_history, print_sessions
from .options import chosen_settings
from .render import print_json

__all__ = [
    "erase",
    "list_sessions",
    "prune",
    "replay",
    "show_receipt",
    "show_session",
    "verify_receipt",
]

_OWN_TENANT: Final = "local"
_AGE: Final = re.compile(r"^([1-9][0-9]{0,5})([smhd])$")
_UNIT_MS: Final = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_RECEIPT_BYTES_MAX: Final = 1_000_000
_TOLD_EVERY: Final = 5_000


class SessionList(FrozenModel):
    """What `sessions list --json` prints."""

    sessions: tuple[SessionSummary, ...]


class QuestionList(FrozenModel):
    """What it prints with `--questions`."""

    sessions: tuple[QuestionedSession, ...]


def replay(session: str, data_dir: Path | None, *, as_json: bool) -> Exit:
    """Run a recorded session again and print the result."""
    found = open_archive(chosen_settings(data_dir)).replay(session)
    if as_json:
        print_json(found)
    elif found.identical:
        sys.stdout.write(f"identical: {found.steps} steps, {found.stop}, journal head {found.journal_head}\n")
    else:
        sys.stdout.write(f"{found.result}: {found.why}\n")
    return _held(found.identical)


def list_sessions(limit: int, tenant: str | None, data_dir: Path | None, *, questions: bool, as_json: bool) -> None:
    """Print the newest sessions; with `questions`, those of one tenant and what it asked."""
    archive = open_archive(chosen_settings(data_dir))
    rows = archive.sessions(limit, tenant or _OWN_TENANT if questions else tenant)
    if not questions:
        told = tuple(rows)
        print_json(SessionList(sessions=told)) if as_json else print_sessions(told)
        return
    listed = tuple(QuestionedSession(**dict(row), question=archive.question(row)) for row in rows)
    print_json(QuestionList(sessions=listed)) if as_json else print_sessions(listed)


def show_session(session: str, data_dir: Path | None, *, as_json: bool) -> Exit:
    """Print one session, step by step."""
    history = open_archive(chosen_settings(data_dir)).show(session)
    if as_json:
        print_json(history)
    else:
        print_history(history)
    return _held(history.broken_at is None)


def show_receipt(session: str, data_dir: Path | None) -> None:
    """Print the receipt of a finished session."""
    # As it is hashed: without fields at their default, so that whoever has the document can check its id.
    receipt = open_archive(chosen_settings(data_dir)).receipt(session)
    sys.stdout.write(receipt.model_dump_json(exclude_defaults=True) + "\n")
    sys.stdout.flush()


def verify_receipt(file: str, data_dir: Path | None, *, as_json: bool) -> Exit:
    """Compare a receipt with the journal here."""
    check = open_archive(chosen_settings(data_dir)).verify(_read(file))
    if as_json:
        print_json(check)
    else:
        sys.stdout.write(f"{'valid' if check.valid else 'not valid'}: {check.why}\n")
    return _held(check.valid)


def erase(
    session: str | None, tenant: str | None, data_dir: Path | None, *, shared: bool, yes: bool, as_json: bool
) -> None:
    """Erase a session, or everything of a tenant.

    Raises:
        RequestInvalid: not exactly one of them is named, or a tenant is to be erased without `--yes`.
    """
    if (session is None) is (tenant is None):
        raise RequestInvalid("name either a session or, with --tenant, a tenant")
    records = open_archive(chosen_settings(data_dir))
    if session is not None:
        report = records.erase(session, shared=shared)
    elif yes and tenant is not None:
        report = records.erase_tenant(tenant)
    else:
        raise RequestInvalid("erasing a tenant cannot be undone: add --yes")
    if as_json:
        print_json(report)
    else:
        kept = f", {report.shared} kept because other sessions name them" if report.shared else ""
        done = f"{counted(report.objects, 'object')} of {counted(report.sessions, 'session')}"
        sys.stdout.write(f"erased {done}{kept}\n")


def prune(older_than: str, data_dir: Path | None, *, as_json: bool) -> None:
    """Delete sessions that ended before an age.

    Raises:
        RequestInvalid: the age is not a number and a unit.
    """
    match = _AGE.match(older_than)
    if match is None:
        raise RequestInvalid("--older-than is a number from 1 on and one of s, m, h, d, such as `30d`")
    age_ms = int(match[1]) * _UNIT_MS[match[2]]
    report = asyncio.run(open_archive(chosen_settings(data_dir)).prune(age_ms, _told))
    if as_json:
        print_json(report)
    else:
        given_up = f", gave up {report.given_up} that were still open" if report.given_up else ""
        done = f"{counted(report.sessions, 'session')} and {counted(report.objects, 'object')}"
        sys.stdout.write(f"pruned {done}{given_up}\n")


def _told(seen: int) -> None:
    if seen % _TOLD_EVERY == 0:
        sys.stderr.write(f"looked at {seen} sessions\n")


def _held(good: bool) -> Exit:
    return Exit.GROUNDED if good else Exit.DOES_NOT_HOLD


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read(_RECEIPT_BYTES_MAX)
    try:
        with Path(file).open("rb") as source:
            return source.read(_RECEIPT_BYTES_MAX)
    except (OSError, ValueError) as exc:
        raise RequestInvalid(f"receipt `{file}` cannot be read") from exc
