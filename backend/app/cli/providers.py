"""`portcullis providers`: the catalogue of outside services, whether each may be asked, and how it answered last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table

from ..kernel.models import FrozenModel
from ..kernel.providers import ProviderEntry, ProviderTable
from ..parsing.services.published import rfc3339_of_ms
from ..system.provider_files import check_routing, missing_settings, read_providers, routed_providers
from ..system.settings import Settings
from .options import DataDir, Json, chosen_settings
from .render import print_json

if TYPE_CHECKING:
    from ..archive.provider_answers import LastAnswer

__all__ = ["add_provider_commands"]

_TABLE_COLUMNS: Final = 100
"""A narrower terminal would break names and settings into pieces."""


class ProviderLine(FrozenModel):
    """One provider as the operator sees it."""

    name: str
    kinds: tuple[str, ...]
    keyless: bool
    configured: bool
    """Whether everything is set that it needs."""
    missing: tuple[str, ...]
    """Settings that it needs and that are not set."""
    routed: tuple[str, ...]
    """Kinds for which it may be asked."""
    why_not: str
    """Why it is not asked at all; empty where it is asked for some kind."""
    price_units: int
    last_asked_at_ms: int | None = None
    """When it was asked last, as the record of this data folder says."""
    last_fault: str | None = None
    """Why it gave no answer then."""


class ProviderLines(FrozenModel):
    """The whole catalogue."""

    providers: tuple[ProviderLine, ...]


def add_provider_commands(app: typer.Typer) -> None:
    """Add the command; it opens no connection."""
    app.command("providers")(_providers_command)


def _providers_command(as_json: Json = False, data_dir: DataDir = None) -> None:
    """List the outside services: what they serve and cost, whether they may be asked, and how they answered last."""
    from ..wiring import open_archive

    settings, table = chosen_settings(data_dir), read_providers()
    check_routing(table, settings)
    told = open_archive(settings).provider_answers() if settings.data_dir.is_dir() else ()
    last = {answer.provider: answer for answer in told}
    lines = ProviderLines(
        providers=tuple(_line(entry, table, settings, last.get(entry.name)) for entry in table.providers)
    )
    if as_json:
        print_json(lines)
    else:
        console = Console(highlight=False)
        if not console.is_terminal:  # what is piped is not cut to the width of a terminal that is not there
            console = Console(highlight=False, width=_TABLE_COLUMNS)
        if console.width < _TABLE_COLUMNS:
            for line in lines.providers:
                _print_stacked(console, line)
        else:
            console.print(_table(lines))


def _line(entry: ProviderEntry, table: ProviderTable, settings: Settings, last: LastAnswer | None) -> ProviderLine:
    missing = missing_settings(entry, settings)
    routed = tuple(kind for kind in entry.kinds if entry.name in routed_providers(table, settings, kind))
    not_named = "" if routed else "PORTCULLIS_SEARCH_ROUTING does not name it"
    return ProviderLine(
        name=entry.name,
        kinds=entry.kinds,
        keyless=entry.keyless,
        configured=not missing,
        missing=missing,
        routed=routed,
        why_not=f"missing: {', '.join(missing)}" if missing else not_named,
        price_units=entry.price_units,
        last_asked_at_ms=None if last is None else last.at_ms,
        last_fault=None if last is None or last.fault is None else last.fault.value,
    )


def _table(lines: ProviderLines) -> Table:
    table = Table(
        Column("name", no_wrap=True),
        Column("kinds", no_wrap=True),
        Column("configured", overflow="fold"),
        "routed for",
        Column("last answer", no_wrap=True),
        "units",
    )
    for line in lines.providers:
        ready = "yes, keyless" if line.keyless else "yes"
        why_not = (f"not asked: {line.why_not}",) if line.why_not else ()
        state = "\n".join(("missing:", *line.missing) if line.missing else (ready, *why_not))
        routed = "\n".join(line.routed) or "-"
        table.add_row(line.name, "\n".join(line.kinds), state, routed, _last(line), str(line.price_units))
    return table


def _print_stacked(console: Console, line: ProviderLine) -> None:
    console.print(line.name, style="bold")
    ready = "keyless" if line.keyless else "configured"
    units = "1 unit" if line.price_units == 1 else f"{line.price_units} units"
    facts = [f"{', '.join(line.kinds)} · {units}"]
    facts += [f"missing: {name}" for name in line.missing] or [ready]
    facts += [f"not asked: {line.why_not}"] if line.why_not and not line.missing else []
    facts += [f"routed for {', '.join(line.routed)}"] if line.routed else []
    facts += [f"last answer: {' '.join(_last(line).split(chr(10)))}"] if line.last_asked_at_ms is not None else []
    for fact in facts:
        console.print(Padding(fact, (0, 0, 0, 4)))


def _last(line: ProviderLine) -> str:
    if line.last_asked_at_ms is None:
        return "-"
    return f"{line.last_fault or 'ok'}\n{rfc3339_of_ms(line.last_asked_at_ms)[5:16].replace('T', ' ')}"
