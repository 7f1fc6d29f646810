"""Options that several commands share, and the settings they make."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..kernel.errors import RequestInvalid
from ..system.settings import Settings, settings_from

__all__ = [
    "Calls",
    "DataDir",
    "Docs",
    "Env",
    "Json",
    "Millis",
    "Tier",
    "Units",
    "chosen_settings",
    "folder",
    "narrowing",
]


def folder(text: str) -> Path:
    """An empty name is a slip, often of a variable that is not set; `Path` would read it as the current folder."""
    if not text:
        raise RequestInvalid("the folder of documents has no name")
    return Path(text)


Docs = Annotated[
    Path | None,
    typer.Option(
        "--docs", parser=folder, metavar="DIR", help="Folder of documents; the sample documents when left out."
    ),
]
DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="Where journal, ledger and indexes live [PORTCULLIS_DATA].")
]
Tier = Annotated[str, typer.Option("--tier", help="FREE, PRO or MAX.")]
Env = Annotated[str | None, typer.Option("--env", help="dev, staging or prod [PORTCULLIS_ENV, else dev].")]
Calls = Annotated[int | None, typer.Option("--max-calls", help="Narrow the number of tool calls.")]
Units = Annotated[int | None, typer.Option("--max-units", help="Narrow the budget in units.")]
Millis = Annotated[int | None, typer.Option("--timeout-ms", help="Narrow the total time.")]
Json = Annotated[bool, typer.Option("--json", help="Exactly one JSON document on stdout.")]


def chosen_settings(data_dir: Path | None, env: str | None = None) -> Settings:
    """The environment's settings with what the command line says instead."""
    settings = settings_from()
    chosen: dict[str, Any] = {}
    if data_dir is not None:
        chosen["data_dir"] = data_dir
    if env is not None:
        chosen["environment"] = env
    return Settings.model_validate({**settings.model_dump(), **chosen})


def narrowing(
    max_calls: int | None = None, max_units: int | None = None, timeout_ms: int | None = None
) -> dict[str, int]:
    """What the command line asks for below its caps."""
    wishes = {
        "max_tool_calls_total": max_calls,
        "budget_units_clamp": max_units,
        "total_research_timeout_ms": timeout_ms,
    }
    return {name: wish for name, wish in wishes.items() if wish is not None}
