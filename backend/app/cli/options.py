"""Options that several commands share, and the settings they make."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..system.settings import Settings, settings_from

__all__ = ["DataDir", "Json", "chosen_settings"]

DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="Where journal, ledger and indexes live [PORTCULLIS_DATA].")
]
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
