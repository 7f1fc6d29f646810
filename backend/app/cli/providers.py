"""`portcullis providers` and `portcullis parse`: the catalogue of outside services, and their parsers offline."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Column, Table

from ..kernel.errors import RequestInvalid
from ..kernel.models import FrozenModel
from ..kernel.providers import Parsed, ProviderEntry, ProviderTable
from ..system.provider_code import AnswerAbout, read_answer
from ..system.provider_files import check_routing, missing_settings, read_providers
from ..system.settings import Settings, settings_from
from .exits import Exit
from .options import Json
from .render import print_json

__all__ = ["add_provider_commands"]

_MOST_BYTES: Final = 5_000_001
"""One more than a parser reads: what is longer is refused there, and told like any other answer."""


class ProviderLine(FrozenModel):
    """One provider as the operator sees it."""

    name: str
    kinds: tuple[str, ...]
    keyless: bool
    missing: tuple[str, ...]
    """Settings that it needs and that are not set."""
    routed: tuple[str, ...]
    """Kinds for which it may be asked."""
    price_units: int


class ProviderLines(FrozenModel):
    """The whole catalogue."""

    providers: tuple[ProviderLine, ...]


def add_provider_commands(app: typer.Typer) -> None:
    """Add both commands; neither opens a connection."""
    app.command("providers")(_providers_command)
    app.command("parse")(_parse_command)


def _providers_command(as_json: Json = False) -> None:
    """List the outside services: what they serve, what they cost, and whether they may be asked."""
    settings, table = settings_from(), read_providers()
    check_routing(table, settings)
    lines = ProviderLines(providers=tuple(_line(entry, settings) for entry in table.providers))
    if as_json:
        print_json(lines)
    else:
        Console(highlight=False).print(_table(lines))


def _parse_command(
    provider: Annotated[str, typer.Argument(help="A provider of the catalogue.")],
    kind: Annotated[str, typer.Argument(help="What it was asked for; `portcullis providers` lists the kinds.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="The body of its answer; `-` reads stdin.")],
    status: Annotated[int, typer.Option("--status", help="The status of the answer.")] = 200,
    url: Annotated[str, typer.Option("--url", help="The URL that answered.")] = "",
) -> None:
    """Print what a provider's parser makes of a recorded answer, as one JSON document."""
    _known(read_providers(), provider, kind)
    if not 100 <= status <= 999 or not (url.isascii() and url.isprintable()):
        raise RequestInvalid("`--status` must be a number from 100 to 999, `--url` a URL in ASCII")
    about = AnswerAbout(provider=provider, kind=kind, status=status, url=url)
    said = read_answer(_body(file), about.model_dump_json())
    print_json(said)
    found = isinstance(said, Parsed) and bool(said.hits)
    raise typer.Exit(Exit.GROUNDED.value if found else Exit.NO_SOURCES.value)


def _known(table: ProviderTable, provider: str, kind: str) -> None:
    entry = table.entry(provider)
    if entry is None:
        raise RequestInvalid(f"there is no provider `{provider}`; `portcullis providers` lists them")
    if kind not in entry.kinds:
        raise RequestInvalid(f"`{provider}` does not serve `{kind}`, but {', '.join(entry.kinds)}")


def _body(file: str) -> bytes:
    if file == "-":
        if sys.stdin is None:
            raise RequestInvalid("there is no stdin to read")
        return sys.stdin.buffer.read(_MOST_BYTES)
    try:
        with Path(file).open("rb") as opened:
            return opened.read(_MOST_BYTES)
    except (OSError, ValueError) as exc:
        raise RequestInvalid(f"cannot read `{file}`") from exc


def _line(entry: ProviderEntry, settings: Settings) -> ProviderLine:
    return ProviderLine(
        name=entry.name,
        kinds=entry.kinds,
        keyless=entry.keyless,
        missing=missing_settings(entry, settings),
        routed=tuple(kind for kind in entry.kinds if entry.name in settings.routed(kind)),
        price_units=entry.price_units,
    )


def _table(lines: ProviderLines) -> Table:
    table = Table("name", Column("kinds", no_wrap=True), "key", "routed for", "units")
    for line in lines.providers:
        key = "keyless" if line.keyless else f"missing: {', '.join(line.missing)}" if line.missing else "set"
        table.add_row(line.name, "\n".join(line.kinds), key, "\n".join(line.routed) or "-", str(line.price_units))
    return table
