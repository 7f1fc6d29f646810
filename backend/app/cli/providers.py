"""`portcullis providers`: the catalogue of outside services, and whether each may be asked."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.table import Column, Table

from ..kernel.models import FrozenModel
from ..kernel.providers import ProviderEntry, ProviderTable
from ..system.provider_files import check_routing, missing_settings, read_providers, routed_providers
from ..system.settings import Settings, settings_from
from .options import Json
from .render import print_json

__all__ = ["add_provider_commands"]


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
    price_units: int


class ProviderLines(FrozenModel):
    """The whole catalogue."""

    providers: tuple[ProviderLine, ...]


def add_provider_commands(app: typer.Typer) -> None:
    """Add the command; it opens no connection."""
    app.command("providers")(_providers_command)


def _providers_command(as_json: Json = False) -> None:
    """List the outside services: what they serve, what they cost, and whether they may be asked."""
    settings, table = settings_from(), read_providers()
    check_routing(table, settings)
    lines = ProviderLines(providers=tuple(_line(entry, table, settings) for entry in table.providers))
    if as_json:
        print_json(lines)
    else:
        Console(highlight=False).print(_table(lines))


def _line(entry: ProviderEntry, table: ProviderTable, settings: Settings) -> ProviderLine:
    missing = missing_settings(entry, settings)
    return ProviderLine(
        name=entry.name,
        kinds=entry.kinds,
        keyless=entry.keyless,
        configured=not missing,
        missing=missing,
        routed=tuple(kind for kind in entry.kinds if entry.name in routed_providers(table, settings, kind)),
        price_units=entry.price_units,
    )


def _table(lines: ProviderLines) -> Table:
    table = Table("name", Column("kinds", no_wrap=True), Column("configured", overflow="fold"), "routed for", "units")
    for line in lines.providers:
        ready = "yes, keyless" if line.keyless else "yes"
        state = "\n".join(("missing:", *line.missing)) if line.missing else ready
        table.add_row(line.name, "\n".join(line.kinds), state, "\n".join(line.routed) or "-", str(line.price_units))
    return table
