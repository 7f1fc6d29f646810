"""Past sessions, printed for people: a list, and one session step by step."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from rich.console import Console
from rich.table import Table

from ..kernel.models import Text
from ..kernel.stops import Signal
from ..research.record.history import SessionHistory, SessionSummary
from .render import plain, print_wrapped

__all__ = ["QuestionedSession", "print_history", "print_sessions"]

_PIPED_COLUMNS: Final = 200
_TABLE_COLUMNS: Final = 160


class QuestionedSession(SessionSummary):
    """A row with what was asked; `erased` or `missing` where the store does not have it."""

    question: Text


def print_sessions(rows: Sequence[SessionSummary]) -> None:
    """A table where there is room for one, else a few lines for each session."""
    console = Console(highlight=False)
    # A list that is piped somewhere is not cut to the width of a terminal that is not there.
    console = console if console.is_terminal else Console(highlight=False, width=_PIPED_COLUMNS)
    if not rows:
        console.print("no sessions")
    elif console.width < _TABLE_COLUMNS or isinstance(rows[0], QuestionedSession):
        for row in rows:
            _print_lines(console, row)
    else:
        console.print(_table(rows))


def _print_lines(console: Console, row: SessionSummary) -> None:
    state = f"{row.state}, erased" if row.erased else row.state
    console.print(row.session_id, style="bold", soft_wrap=True)
    if isinstance(row, QuestionedSession):
        print_wrapped(console, row.question, indent=4)
    print_wrapped(console, f"{_moment(row)} UTC · {state} · {row.stop or 'no stop'}", indent=4)
    numbers = f"calls {row.calls} · units {row.spent_units} · {row.elapsed_ms} ms · sources {row.sources}"
    print_wrapped(console, f"{row.capability} · {numbers}", indent=4, style="dim")


def _table(rows: Sequence[SessionSummary]) -> Table:
    table = Table("session", "started (UTC)", "state", "stop", "capability", "calls", "units", "ms", "sources")
    for row in rows:
        state = f"{row.state}, erased" if row.erased else row.state
        numbers = (row.calls, row.spent_units, row.elapsed_ms, row.sources)
        table.add_row(row.session_id, _moment(row), state, row.stop or "-", plain(row.capability), *map(str, numbers))
    return table


def print_history(history: SessionHistory) -> None:
    """How a session ended, every signal, what was blocked, and its timeline."""
    console, row = Console(highlight=False), history.summary
    console.print(f"session {row.session_id}", style="bold", soft_wrap=True)
    state = f"{row.state}, content erased" if row.erased else row.state
    stop = f"{row.stop} → {row.action}" if row.stop else "no stop"
    print_wrapped(console, f"{state} · {stop} · {row.tenant} · {_moment(row)} UTC")
    print_wrapped(console, f"calls {row.calls} · units {row.spent_units} · {row.elapsed_ms} ms · sources {row.sources}")
    for signal in history.signals:
        print_wrapped(console, f"signal {_signal(signal)}")
    for finding in history.blocked:
        place = f"{finding.part} {finding.start}-{finding.end}"
        print_wrapped(console, f"blocked {finding.locator} · {finding.rule_id} · {place}", style="yellow")
    for step in history.timeline:
        _print_step(console, f"{step.step:>3} {step.at_ms:>7} ms  {step.kind:<15} ", step.facts)
    if history.broken_at is not None:
        print_wrapped(console, f"damaged: step {history.broken_at} is not what the chain says", style="red")


def _print_step(console: Console, head: str, facts: str) -> None:
    """The facts of a step beside its head; below it where the terminal is narrow."""
    if console.is_terminal and len(head) + len(facts) > console.width:
        console.print(plain(head.rstrip()), soft_wrap=True)
        print_wrapped(console, facts, indent=16)
    else:
        console.print(plain(f"{head}{facts}".rstrip()), soft_wrap=True)


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
