"""Commands on the record of past sessions: replay, sessions, receipt, erase, prune."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table

from ..kernel.errors import RequestInvalid
from ..kernel.models import FrozenModel
from ..kernel.stops import Signal
from ..research.record.history import SessionHistory, SessionSummary
from ..wiring import open_archive
from .exits import Exit
from .options import DataDir, Json, chosen_settings
from .render import plain, print_json

__all__ = ["add_record_commands"]

Session = Annotated[str, typer.Argument(help="The id of a session, as `ask` and `sessions list` print it.")]
_AGE: Final = re.compile(r"^([1-9][0-9]{0,5})([smhd])$")
_UNIT_MS: Final = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_RECEIPT_BYTES_MAX: Final = 1_000_000
_TOLD_EVERY: Final = 5_000


class SessionList(FrozenModel):
    """What `sessions list --json` prints."""

    sessions: tuple[SessionSummary, ...]


def add_record_commands(app: typer.Typer) -> None:
    """Put the commands into the command line."""
    app.command("replay")(_replay)
    app.command("erase")(_erase)
    app.command("prune")(_prune)
    sessions = typer.Typer(name="sessions", no_args_is_help=True, add_completion=False)
    sessions.command("list")(_sessions_list)
    sessions.command("show")(_sessions_show)
    app.add_typer(sessions, name="sessions", help="Look at past sessions, as an operator.")
    receipt = typer.Typer(name="receipt", no_args_is_help=True, add_completion=False)
    receipt.command("show")(_receipt_show)
    receipt.command("verify")(_receipt_verify)
    app.add_typer(receipt, name="receipt", help="Print and check the receipt of a session.")


def _replay(session: Session, as_json: Json = False, data_dir: DataDir = None) -> None:
    """Run a recorded session again, offline, and compare every byte."""
    found = open_archive(chosen_settings(data_dir)).replay(session)
    if as_json:
        print_json(found)
    elif found.identical:
        sys.stdout.write(f"identical: {found.steps} steps, {found.stop}, journal head {found.journal_head}\n")
    else:
        sys.stdout.write(f"{found.result}: {found.why}\n")
    _leave(found.identical)


def _sessions_list(
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most this many sessions, the newest first.")] = 20,
    tenant: Annotated[str | None, typer.Option("--tenant", help="Only the sessions of one tenant.")] = None,
    as_json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """List past sessions, the newest first."""
    rows = open_archive(chosen_settings(data_dir)).sessions(limit, tenant)
    if as_json:
        print_json(SessionList(sessions=tuple(rows)))
    else:
        _print_sessions(rows)


def _sessions_show(session: Session, as_json: Json = False, data_dir: DataDir = None) -> None:
    """Show one session: stop, all signals with numbers, calls, spend, timeline."""
    history = open_archive(chosen_settings(data_dir)).show(session)
    if as_json:
        print_json(history)
    else:
        _print_history(history)
    _leave(history.broken_at is None)


def _receipt_show(session: Session, data_dir: DataDir = None) -> None:
    """Print the receipt of a finished session, as one JSON document."""
    # As it is hashed: without fields at their default, so that whoever has the document can check its id.
    receipt = open_archive(chosen_settings(data_dir)).receipt(session)
    sys.stdout.write(receipt.model_dump_json(exclude_defaults=True) + "\n")
    sys.stdout.flush()


def _receipt_verify(
    file: Annotated[str, typer.Argument(help="A file with a receipt, or - for stdin.")],
    as_json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Check that a receipt is whole and that the journal here says the same."""
    check = open_archive(chosen_settings(data_dir)).verify(_read(file))
    if as_json:
        print_json(check)
    else:
        sys.stdout.write(f"{'valid' if check.valid else 'not valid'}: {check.why}\n")
    _leave(check.valid)


def _erase(
    session: Annotated[str | None, typer.Argument(help="The id of a session.")] = None,
    tenant: Annotated[str | None, typer.Option("--tenant", help="Erase everything of a tenant instead.")] = None,
    shared: Annotated[
        bool, typer.Option("--shared", help="Also objects that other sessions name; they cannot be replayed then.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Needed with --tenant: this cannot be undone.")] = False,
    as_json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Take questions and source texts of a session out of the content store, for good."""
    if (session is None) is (tenant is None):
        raise RequestInvalid("name either a session or, with --tenant, a tenant")
    records = open_archive(chosen_settings(data_dir))
    if session is not None:
        report = records.erase(session, shared=shared)
    elif yes and tenant is not None:
        report = records.erase_tenant(tenant)
    else:
        raise RequestInvalid("erasing a tenant cannot be undone: say --yes")
    if as_json:
        print_json(report)
    else:
        kept = f", {report.shared} kept because other sessions name them" if report.shared else ""
        sys.stdout.write(f"erased {report.objects} objects of {report.sessions} sessions{kept}\n")


def _prune(
    older_than: Annotated[str, typer.Option("--older-than", help="An age such as 30d, 12h, 90m or 45s.")],
    as_json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Forget sessions that ended long ago, with every object that no other session names."""
    match = _AGE.match(older_than)
    if match is None:
        raise RequestInvalid("--older-than is a number and one of s, m, h, d, such as `30d`")
    age_ms = int(match[1]) * _UNIT_MS[match[2]]
    report = asyncio.run(open_archive(chosen_settings(data_dir)).prune(age_ms, _told))
    if as_json:
        print_json(report)
    else:
        given_up = f", gave up {report.given_up} that were still open" if report.given_up else ""
        sys.stdout.write(f"pruned {report.sessions} sessions and {report.objects} objects{given_up}\n")


def _told(seen: int) -> None:
    if seen % _TOLD_EVERY == 0:
        sys.stderr.write(f"looked at {seen} sessions\n")


def _leave(good: bool) -> None:
    if not good:
        raise typer.Exit(Exit.DOES_NOT_HOLD)


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read(_RECEIPT_BYTES_MAX)
    try:
        with Path(file).open("rb") as source:
            return source.read(_RECEIPT_BYTES_MAX)
    except (OSError, ValueError) as exc:
        raise RequestInvalid(f"receipt `{file}` cannot be read") from exc


def _print_sessions(rows: Iterable[SessionSummary]) -> None:
    table = Table("session", "started (UTC)", "state", "stop", "capability", "calls", "units", "ms", "sources")
    for row in rows:
        state = f"{row.state}, erased" if row.erased else row.state
        numbers = (row.calls, row.spent_units, row.elapsed_ms, row.sources)
        table.add_row(row.session_id, _moment(row), state, row.stop or "-", plain(row.capability), *map(str, numbers))
    # A list that is piped somewhere is not cut to the width of a terminal that is not there.
    console = Console(highlight=False)
    console = console if console.is_terminal else Console(highlight=False, width=200)
    console.print(table if table.row_count else "no sessions")


def _print_history(history: SessionHistory) -> None:
    console, row = Console(highlight=False), history.summary
    console.print(f"session {row.session_id}", style="bold")
    state = f"{row.state}, content erased" if row.erased else row.state
    stop = f"{row.stop} → {row.action}" if row.stop else "no stop"
    console.print(f"{state} · {stop} · {row.tenant} · {_moment(row)} UTC")
    console.print(f"calls {row.calls} · units {row.spent_units} · {row.elapsed_ms} ms · sources {row.sources}")
    for signal in history.signals:
        console.print(plain(f"signal {_signal(signal)}"))
    for finding in history.blocked:
        place = f"{finding.part} {finding.start}-{finding.end}"
        console.print(plain(f"blocked {finding.locator} · {finding.rule_id} · {place}"), style="yellow", soft_wrap=True)
    for step in history.timeline:
        console.print(plain(f"{step.step:>3} {step.at_ms:>7} ms  {step.kind:<15} {step.facts}"), soft_wrap=True)
    if history.broken_at is not None:
        console.print(f"damaged: step {history.broken_at} is not what the chain says", style="red")


def _signal(signal: Signal) -> str:
    numbers = [
        f"{name} {value}"
        for name, value in (("limit", signal.limit), ("value", signal.value), ("retry at", signal.retry_at_ms))
        if value is not None
    ]
    words = [signal.reason.value, signal.cause.value, signal.call_id, signal.code, *numbers]
    return " · ".join(word for word in words if word)


def _moment(row: SessionSummary) -> str:
    return datetime.fromtimestamp(row.started_at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
